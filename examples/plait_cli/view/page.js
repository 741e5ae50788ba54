// The page of `plait view`: moves and zooms the picture, selects, searches, and fills the panel. Names come from files
// that are not trusted: they go into the page as text only, never as markup.
"use strict";

// ---- moving around

function fit() {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const k = Math.min(1.2, (width - 40) / Math.max(1, drawn.w), (height - 40) / Math.max(1, drawn.h));
  state.view = {k, x: (width - drawn.w * k) / 2, y: (height - drawn.h * k) / 2};
  schedule();
}

// Shows a net that is too large to be read as a whole from its first op on.
function home() {
  fit();
  if (state.view.k >= 0.35 || drawn.nodes.length === 0) return;
  const first = drawn.nodes.reduce((best, node) => (node.top < best.top ? node : best));
  centre(first, 0.9);
  state.view.y = 30 - first.top * state.view.k;
}

function centre(node, k = Math.max(state.view.k, 0.9)) {
  const top = node.inner.length !== 0 ? node.top + Math.min(node.h, canvas.clientHeight / k) / 2 : node.y;
  state.view = {k, x: canvas.clientWidth / 2 - node.x * k, y: canvas.clientHeight / 2 - top * k};
  schedule();
}

function zoom(factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
  const {x, y, k} = state.view;
  const next = Math.min(4, Math.max(0.01, k * factor));
  state.view = {k: next, x: px - ((px - x) * next) / k, y: py - ((py - y) * next) / k};
  schedule();
}

// Returns {node, value, toggle} at a point of the canvas: the value on whose line the point is, and whether the point
// is on the triangle that folds.
function hit(px, py) {
  const {x, y, k} = state.view;
  const wx = (px - x) / k;
  const wy = (py - y) / k;
  for (let i = drawn.nodes.length; i-- !== 0;) {
    const node = drawn.nodes[i];
    if (wx < node.left || wx > node.left + node.w || wy < node.top || wy > node.top + node.h) continue;
    const line = node.lines[Math.floor((wy - node.top - 4) / LINE)];
    const toggle = canUnfold(node) && wx < node.left + 20 && wy < node.top + 22;
    return {node, value: line && line.value, toggle};
  }
  return undefined;
}

// Folds or unfolds, and keeps the place of the node on the screen.
function toggle(node) {
  const item = node.net + "/" + node.id;
  if (node.kind === "block") {
    state.open.add(item);
    return keepPlace({kind: "op", net: node.net, id: nets[node.net].blocks[node.id].begin}, node);
  }
  if (!state.unfolded.delete(item)) state.unfolded.add(item);
  keepPlace({kind: "op", net: node.net, id: node.id}, node);
}
function keepPlace(what, before) {
  const old = {x: before.left, y: before.top};
  rebuild();
  const node = nodeOf(what);
  if (node) {
    state.view.x += (old.x - node.left) * state.view.k;
    state.view.y += (old.y - node.top) * state.view.k;
  }
}

// ---- selection

// Makes an op, value or block visible: unfolds the nets around it, opens its block, shows its layer.
function reveal({kind, net, id}) {
  for (let n = net; nets[n].owner; n = nets[n].owner.net) {
    const {net: outer, op} = nets[n].owner;
    state.unfolded.add(outer + "/" + op);
    if (nets[outer].block_of[op] !== -1) state.open.add(outer + "/" + nets[outer].block_of[op]);
    if (nets[outer].ops[op].gradient) state.gradient = true;
  }
  const value = kind === "value" ? nets[net].values[id] : undefined;
  if (value && value.parameter && value.producer === undefined) state.shown.add(net + "/" + id);
  const op = kind === "op" ? id : value ? value.producer : undefined;
  if (op !== undefined && kind !== "block") {
    if (nets[net].ops[op].gradient) state.gradient = true;
    if (nets[net].block_of[op] !== -1) state.open.add(net + "/" + nets[net].block_of[op]);
  }
}

function select(what, {move = true} = {}) {
  state.selected = what;
  if (what) {
    const shown = nodeOf(what);
    const folded = shown && shown.kind === "block" && what.kind !== "block";
    if (!shown || folded) {
      reveal(what);
      syncToggles();
      rebuild();
    }
    const node = nodeOf(what);
    if (move && node) centre(node);
  }
  fillPanel();
  schedule();
  try {
    history.replaceState(null, "", what ? "#select=" + encodeURIComponent(address(what)) : "#");
  } catch (refused) {
    // Some browsers refuse it for files; only the address would be more convenient.
  }
}

const address = ({kind, net, id}) =>
  (net === 0 ? "" : net + "/") + (kind === "value" ? full(net, id) : kind + ":" + id);

// Returns what an address names: "h", "h:2", "op:7", "block:3", each with "NET/" in front for a nested net.
function find(text, net = 0) {
  const values = nets[net].values;
  const numbered = /^(op|block):(\d+)$/.exec(text);
  if (numbered) {
    const list = numbered[1] === "op" ? nets[net].ops : nets[net].blocks;
    if (Number(numbered[2]) < list.length) return {kind: numbered[1], net, id: Number(numbered[2])};
  }
  let id = values.findIndex((value, v) => full(net, v) === text);
  if (id === -1) id = values.findIndex((value) => value.blob === text);
  if (id !== -1) return {kind: "value", net, id};
  const nested = /^(\d+)\/(.*)$/.exec(text);
  if (nested && net === 0 && Number(nested[1]) < nets.length) return find(nested[2], Number(nested[1]) || undefined);
  return undefined;
}

// ---- the panel

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function linkTo(what, label) {
  const button = make("button", {className: "link", textContent: label});
  Object.assign(button.dataset, what);
  button.onclick = () => select(what);
  return button;
}
const opLink = (net, id) => linkTo({kind: "op", net, id}, opLabel(net, id));
const valueLink = (net, id) => linkTo({kind: "value", net, id}, full(net, id));

function section(title, id, items) {
  if (items.length === 0) return [];
  const shown = items.slice(0, 200).map((item) => make("li", {}, item));
  if (items.length > shown.length) shown.push(make("li", {className: "faint"}, items.length - shown.length + " more"));
  const list = make("ul", {id}, ...shown);
  return [make("h3", {textContent: title}), list];
}
function tags(names) {
  const made = names.map((textContent) => make("span", {className: "tag", textContent}));
  return make("div", {id: "tags"}, ...made);
}

function netPath(n) {
  const items = [];
  for (; nets[n].owner; n = nets[n].owner.net)
    items.push(make("span", {}, nets[n].owner.argument + " of ", opLink(nets[n].owner.net, nets[n].owner.op)));
  return section("in the nested net", "path", items);
}

function valuePanel(net, id) {
  const value = nets[net].values[id];
  const names = [];
  if (value.parameter) names.push("parameter");
  else if (value.producer === undefined) names.push(value.input ? "input" : "undeclared input");
  if (value.output) names.push("output");
  if (value.producer !== undefined && value.readers.length === 0 && !value.output) names.push("unread");
  const parts = [make("h2", {id: "chosen", textContent: full(net, id)}), tags(names), ...netPath(net)];
  if (value.producer !== undefined) parts.push(...section("producer", "producer", [opLink(net, value.producer)]));
  if (value.outer !== undefined)
    parts.push(...section("value of the enclosing net", "outer", [valueLink(nets[net].owner.net, value.outer)]));
  parts.push(...section("readers", "readers", value.readers.map((op) => opLink(net, op))));
  const all = nets[net].values.map((_, v) => v).filter((v) => nets[net].values[v].blob === value.blob && v !== id);
  parts.push(...section("other versions", "versions", all.map((v) => valueLink(net, v))));
  const chain = nets[net].chains.find((values) => values.includes(id));
  if (chain) parts.push(...section("overwritten in place", "chain", chain.map((v) => valueLink(net, v))));
  const gradient = net === 0 && data.gradients && data.gradients[value.blob];
  if (gradient) {
    const last = nets[0].values.findLastIndex((other) => other.blob === gradient);
    if (last !== -1) parts.push(...section("gradient", "gradient-of", [valueLink(0, last)]));
  }
  return parts;
}

function opPanel(net, id) {
  const op = nets[net].ops[id];
  const names = [];
  if (op.gradient) names.push("gradient");
  if (op.dead) names.push("dead");
  if (op.device) names.push(op.device);
  const parts = [make("h2", {id: "chosen", textContent: opLabel(net, id)})];
  if (op.name) parts.push(make("div", {className: "faint", textContent: op.name}));
  parts.push(tags(names), ...netPath(net));
  const split = (values, count = values.length) => [values.slice(0, count), values.slice(count)];
  const links = (values) => values.map((v) => valueLink(net, v));
  const [inputs, more_in] = split(op.in, op.explicit_in);
  const [outputs, more_out] = split(op.out, op.explicit_out);
  parts.push(...section("inputs", "inputs", links(inputs)));
  parts.push(...section("control inputs, and reads of nested nets", "implicit-inputs", links(more_in)));
  parts.push(...section("outputs", "outputs", links(outputs)));
  parts.push(...section("writes of nested nets", "implicit-outputs", links(more_out)));
  const shown = Object.entries(op.arguments || {}).map(([name, text]) => make("span", {}, name + " = " + text));
  parts.push(...section("arguments", "arguments", shown));
  if (op.nets) {
    const button = make("button", {id: "unfold-one"});
    button.textContent = state.unfolded.has(net + "/" + id) ? "fold nested nets" : "unfold nested nets";
    button.onclick = () => {
      toggle(nodeOf({kind: "op", net, id}));
      fillPanel();
    };
    parts.push(make("p", {}, button));
  }
  if (state.fold && nets[net].block_of[id] !== -1) {
    const block = nets[net].block_of[id];
    const button = make("button", {id: "fold-block", textContent: "fold " + blockLabel(nets[net].blocks[block]).title});
    button.onclick = () => {
      const before = nodeOf({kind: "op", net, id});
      state.open.delete(net + "/" + block);
      state.selected = {kind: "block", net, id: block};
      keepPlace(state.selected, before);
      fillPanel();
    };
    parts.push(make("p", {}, button));
  }
  return parts;
}

function blockPanel(net, id) {
  const block = nets[net].blocks[id];
  const {title} = blockLabel(block);
  const button = make("button", {id: "open-block", textContent: "unfold"});
  button.onclick = () => select({kind: "op", net, id: block.begin});
  const ops = [];
  for (let op = block.begin; op < block.end; ++op) ops.push(opLink(net, op));
  return [make("h2", {id: "chosen", textContent: title}), make("p", {}, button), ...section("ops", "ops", ops)];
}

function netPanel() {
  const net = nets[0];
  const link = (v) => valueLink(0, v);
  const parameters = net.values.flatMap((value, v) => (value.parameter ? [link(v)] : []));
  const dead = net.ops.flatMap((op, i) => (op.dead ? [opLink(0, i)] : []));
  const counts = new Map();
  for (const op of net.ops) counts.set(op.type, (counts.get(op.type) || 0) + 1);
  const types = [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => make("span", {}, count + " " + type));
  return [
    make("h2", {id: "chosen", textContent: data.title}),
    ...section("inputs", "inputs", net.inputs.filter((v) => !net.values[v].parameter).map(link)),
    ...section("outputs", "outputs", net.outputs.map(link)),
    ...section("dead ops", "dead", dead),
    ...section("op types", "types", types),
    ...section("parameters", "parameter-list", parameters),
  ];
}

function fillPanel() {
  const s = state.selected;
  const fill = {value: valuePanel, op: opPanel, block: blockPanel};
  element("panel").replaceChildren(...(s ? fill[s.kind](s.net, s.id) : netPanel()));
}

// ---- search

let index;
function buildIndex() {
  const entry = (kind, net, id, label, text, name = "") => ({
    what: {kind, net, id},
    label,
    texts: [text.toLowerCase(), label.toLowerCase(), name.toLowerCase()],
  });
  return nets.flatMap((net, n) => [
    ...net.values.map((value, id) => entry("value", n, id, full(n, id), value.blob)),
    ...net.ops.map((op, id) => entry("op", n, id, opLabel(n, id), op.type, op.name)),
  ]);
}

function search(text) {
  index = index || buildIndex();
  const wanted = text.trim().toLowerCase();
  const rank = (entry) => {
    if (entry.texts.includes(wanted)) return 0;
    if (entry.texts[0].startsWith(wanted)) return 1;
    return entry.texts.some((part) => part.includes(wanted)) ? 2 : 3;
  };
  const ranked = index.map((entry) => ({entry, rank: rank(entry)})).filter((e) => e.rank !== 3);
  return ranked.sort((a, b) => a.rank - b.rank).map((e) => e.entry);
}

function showResults() {
  const text = element("search").value;
  if (text.trim() === "") return fillPanel();
  const found = search(text);
  const items = found.map(({what, label}) => linkTo(what, label));
  element("panel").replaceChildren(
    make("h2", {id: "found", textContent: found.length + " found"}),
    ...section("ops and values", "results", items),
  );
}

// ---- tooltips

function describe({node, value}) {
  if (value !== undefined || node.kind === "value") {
    const v = value === undefined ? node.id : value;
    const {producer, readers} = nets[node.net].values[v];
    const from = producer === undefined ? "input" : "written by " + opLabel(node.net, producer);
    return full(node.net, v) + "\n" + from + "\n" + plural(readers.length, "reader");
  }
  if (node.kind === "block") return blockLabel(nets[node.net].blocks[node.id]).types.join(" \u2192 ");
  const op = nets[node.net].ops[node.id];
  const names = (values) => cut(values.map((v) => full(node.net, v)).join(", "), 160) || "\u2013";
  const notes = (op.dead ? "\ndead" : "") + (op.gradient ? "\ngradient" : "") + (op.name ? "\n" + op.name : "");
  return opLabel(node.net, node.id) + "\nin   " + names(op.in) + "\nout  " + names(op.out) + notes;
}

function showTip(found, px, py) {
  const tip = element("tip");
  tip.style.display = found ? "block" : "none";
  if (!found) return;
  tip.textContent = describe(found);
  tip.style.left = Math.min(px + 14, canvas.clientWidth - tip.offsetWidth - 4) + "px";
  tip.style.top = Math.min(py + 14, canvas.clientHeight - tip.offsetHeight - 4) + "px";
}

// ---- events

const pointers = new Map();
let moved = false;
const at = (event) => {
  const box = canvas.getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
};

canvas.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, at(event));
  if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  if (pointers.size === 1) moved = false;
});
canvas.addEventListener("pointermove", (event) => {
  const now = at(event);
  const before = pointers.get(event.pointerId);
  if (!before) {
    const found = hit(now.x, now.y);
    canvas.classList.toggle("pointing", Boolean(found));
    showTip(found, now.x, now.y);
    return;
  }
  if (!moved && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
  moved = true;
  showTip(undefined);
  canvas.classList.add("dragging");
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    const distance = (p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
    zoom(distance(now) / distance(before), other.x, other.y);
  } else {
    state.view.x += now.x - before.x;
    state.view.y += now.y - before.y;
    schedule();
  }
  pointers.set(event.pointerId, now);
});
const release = (event) => {
  const known = pointers.delete(event.pointerId);
  canvas.classList.remove("dragging");
  if (!known || moved || event.type !== "pointerup") return;
  const found = hit(at(event).x, at(event).y);
  if (found && found.toggle) return toggle(found.node);
  if (!found) return select(null);
  const {node, value} = found;
  if (value !== undefined) select({kind: "value", net: node.net, id: value}, {move: false});
  else select({kind: node.kind, net: node.net, id: node.id}, {move: false});
};
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => showTip(undefined));
canvas.addEventListener("dblclick", (event) => {
  const found = hit(at(event).x, at(event).y);
  if (found && canUnfold(found.node)) toggle(found.node);
});
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const scale = event.deltaMode === 1 ? 16 : 1;
    zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * scale)) / 300), at(event).x, at(event).y);
    showTip(undefined);
  },
  {passive: false},
);
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT" && event.key !== "Escape") return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") element("search").focus();
  else if (event.key === "f") fit();
  else if (event.key === "+" || event.key === "=") zoom(1.25);
  else if (event.key === "-") zoom(0.8);
  else if (event.key.startsWith("Arrow")) {
    const step = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]}[event.key];
    state.view.x += step[0];
    state.view.y += step[1];
    schedule();
  } else if (event.key === "Escape") {
    element("search").value = "";
    element("search").blur();
    select(null);
  } else return;
  event.preventDefault();
});
element("search").addEventListener("input", showResults);
element("search").addEventListener("keydown", (event) => {
  const found = event.key === "Enter" ? search(element("search").value) : [];
  if (found.length !== 0) select(found[0].what);
});
element("fit").onclick = fit;
element("unfold").onclick = () => {
  const all = nets.slice(1).map((net) => net.owner.net + "/" + net.owner.op);
  if (all.every((item) => state.unfolded.has(item))) state.unfolded.clear();
  else for (const item of all) state.unfolded.add(item);
  rebuild();
  home();
};

const toggles = ["ssa", "parameters", "gradient", "fold"];
function syncToggles() {
  for (const name of toggles) element(name).checked = state[name];
}
for (const name of toggles)
  element(name).addEventListener("change", () => {
    state[name] = element(name).checked;
    if (name === "fold") state.open.clear();
    if (name === "parameters" && !state.parameters) state.shown.clear();
    rebuild();
    const node = state.selected && nodeOf(state.selected);
    if (node) centre(node);
    else home();
  });

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of toggles) if (given.has(name)) state[name] = given.get(name) !== "0";
  if (given.has("unfold")) for (const net of nets.slice(1)) state.unfolded.add(net.owner.net + "/" + net.owner.op);
  syncToggles();
  rebuild();
  home();
  const what = given.has("select") ? find(given.get("select")) : undefined;
  if (what) return select(what);
  fillPanel();
  if (!given.has("search")) return;
  element("search").value = given.get("search");
  showResults();
}

element("title").textContent = data.title;
const nested_ops = nets.slice(1).reduce((sum, net) => sum + net.ops.length, 0);
element("counts").textContent =
  plural(nets[0].ops.length, "op") + ", " + plural(nets[0].values.length, "value") +
  (nets.length > 1 ? ", " + plural(nets.length - 1, "nested net") + " with " + plural(nested_ops, "op") : "");
element("gradient-label").hidden = !nets.some((net) => net.ops.some((op) => op.gradient));
element("fold-label").hidden = !nets.some((net) => net.blocks.length !== 0);
element("unfold").hidden = nets.length === 1;
window.addEventListener("hashchange", readAddress);
new ResizeObserver(schedule).observe(canvas);
readAddress();
draw();
document.documentElement.dataset.ready = "1";
