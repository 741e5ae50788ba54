// The page of `plait view`: reads the data that the tool has embedded, lays it out (layout.js) and draws it on a canvas.
// Names come from files that are not trusted: they go into the page as text only, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const nets = data.nets;
const element = (id) => document.getElementById(id);
const canvas = element("canvas");
const pen = canvas.getContext("2d");
const CHARACTER = 6.7; // width in the font of labels, assumed, so that the layout does not depend on fonts
const LINE = 15;
const LARGE = 300; // ops from which on repeated blocks are folded, and versions are no nodes

const state = {
  ssa: nets[0].ops.length <= 60,
  parameters: false,
  gradient: true,
  fold: nets[0].ops.length > LARGE,
  unfolded: new Set(), // "net/op": ops whose nested nets are drawn
  open: new Set(), // "net/block": repeated blocks drawn op by op
  shown: new Set(), // "net/value": parameters drawn since they were selected
  selected: null, // {kind: "op" | "value" | "block", net, id}
  view: {x: 0, y: 0, k: 1},
};

// ---- names

const plural = (count, what) => count + " " + what + (count === 1 ? "" : "s");
const cut = (text, length) => (text.length <= length ? text : text.slice(0, length - 1) + "\u2026");
const key = (kind, net, id) => kind + "/" + net + "/" + id;
const full = (net, v) => nets[net].values[v].blob + ":" + nets[net].values[v].version;
const short = (net, v) => (state.ssa ? full(net, v) : nets[net].values[v].blob);
const opLabel = (net, i) => i + " " + nets[net].ops[i].type;

function blockLabel(block) {
  const types = nets[block.net].ops.slice(block.begin, block.end).map((op) => op.type);
  return {title: "block " + (block.at + 1) + " of " + block.repeats, types};
}

// ---- repeated blocks

// Sets the blocks of each net: consecutive ops [begin, end), of the same types as the blocks beside them.
nets.forEach((net, n) => {
  const numbers = new Map();
  const keys = net.ops.map((op) => {
    const text = op.type + "/" + op.in.length + "/" + op.out.length + (op.gradient ? "/g" : "") + (op.nets ? "/n" : "");
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  });
  net.blocks = [];
  net.block_of = new Int32Array(net.ops.length).fill(-1);
  for (const {begin, period, repeats} of findRepeats(keys))
    for (let at = 0; at < repeats; ++at) {
      const block = {net: n, at, repeats, begin: begin + at * period, end: begin + (at + 1) * period};
      const gradients = net.ops.slice(block.begin, block.end).map((op) => op.gradient === true);
      if (gradients.includes(true) && gradients.includes(false)) continue; // one layer only
      net.block_of.fill(net.blocks.length, block.begin, block.end);
      net.blocks.push(block);
    }
});
const foldedBlock = (n, op) => {
  const block = nets[n].block_of[op];
  return state.fold && block !== -1 && !state.open.has(n + "/" + block) ? block : -1;
};

// ---- scenes: one net as nodes and edges, with its layout

function opNode(n, i) {
  const op = nets[n].ops[i];
  const lines = [{text: (op.nets ? "  " : "") + cut(opLabel(n, i), 34)}];
  if (!state.ssa) {
    for (const v of op.out.slice(0, 3)) lines.push({text: cut(nets[n].values[v].blob, 34), value: v});
    if (op.out.length > 3) lines.push({text: "+" + (op.out.length - 3) + " more"});
  }
  const node = {kind: "op", net: n, id: i, lines, gradient: op.gradient === true, dead: op.dead === true, inner: []};
  size(node);
  if (op.nets && state.unfolded.has(n + "/" + i)) {
    let x = 12;
    node.head = node.h + 4;
    for (const number of op.nets) {
      const scene = buildScene(number);
      scene.dx = x;
      scene.dy = node.head + 16;
      x += Math.max(scene.w, 60) + 24;
      node.h = Math.max(node.h, scene.dy + scene.h + 12);
      node.inner.push(scene);
    }
    node.w = Math.max(node.w, x - 12);
  }
  return node;
}

function blockNode(n, number) {
  const block = nets[n].blocks[number];
  const {title, types} = blockLabel(block);
  const lines = [{text: "  " + title}, {text: cut(types.join(" "), 34)}];
  const node = {kind: "block", net: n, id: number, lines, inner: [], gradient: nets[n].ops[block.begin].gradient === true};
  return size(node);
}

function valueNode(n, v, gradient) {
  return size({kind: "value", net: n, id: v, lines: [{text: cut(short(n, v), 30)}], inner: [], gradient});
}

function size(node) {
  node.w = Math.max(36, ...node.lines.map((line) => line.text.length * CHARACTER + 18));
  node.h = node.lines.length * LINE + 8;
  return node;
}

// Recurs into unfolded nets only, so that its depth is that of the nesting that the user sees.
function buildScene(n) {
  const net = nets[n];
  const nodes = [];
  const edges = [];
  const of_op = new Int32Array(net.ops.length).fill(-1);
  const of_block = new Map();
  net.ops.forEach((op, i) => {
    if (op.gradient && !state.gradient) return;
    const block = foldedBlock(n, i);
    if (block === -1) {
      of_op[i] = nodes.push(opNode(n, i)) - 1;
    } else {
      if (!of_block.has(block)) of_block.set(block, nodes.push(blockNode(n, block)) - 1);
      of_op[i] = of_block.get(block);
    }
  });

  const seen = new Map();
  const connect = (a, b, v) => {
    if (a === b) return;
    const pair = a * (net.ops.length + net.values.length) + b;
    const before = seen.get(pair);
    if (before) return before.values.push(v);
    const edge = {a, b, values: [v], net: n, points: []};
    seen.set(pair, edge);
    edges.push(edge);
  };
  net.values.forEach((value, v) => {
    const producer = value.producer === undefined ? -1 : of_op[value.producer];
    if (value.producer !== undefined && producer === -1) return; // in a hidden layer
    const readers = new Set(value.readers.map((op) => of_op[op]).filter((node) => node !== -1));
    let own = true;
    if (value.producer === undefined)
      own =
        (readers.size !== 0 || value.readers.length === 0) &&
        (!value.parameter || state.parameters || state.shown.has(n + "/" + v));
    else own = state.ssa && !(nodes[producer].kind === "block" && readers.size === 1 && readers.has(producer));
    if (own) {
      const all_gradient =
        producer !== -1 ? nodes[producer].gradient : readers.size !== 0 && [...readers].every((r) => nodes[r].gradient);
      const node = nodes.push(valueNode(n, v, all_gradient)) - 1;
      if (producer !== -1) connect(producer, node, v);
      for (const reader of readers) if (reader !== producer || nodes[reader].kind !== "block") connect(node, reader, v);
    } else if (producer !== -1) {
      for (const reader of readers) connect(producer, reader, v);
    }
  });

  // Forward ops from top to bottom and, on their right, gradient ops from bottom to top.
  const scene = {net: n, nodes, edges, w: 0, h: 0};
  const place = new Int32Array(nodes.length); // by node: its number among those of its layer
  const sizes = [0, 0];
  const placed = [false, true].map((gradient) => {
    const part = nodes.filter((node, i) => {
      if (node.gradient !== gradient) return false;
      place[i] = sizes[Number(gradient)]++;
      return true;
    });
    const inside = edges.filter((e) => nodes[e.a].gradient === gradient && nodes[e.b].gradient === gradient);
    const local = inside.map((e) => ({a: place[e.a], b: place[e.b], points: []}));
    const extent = layoutGraph(part, local);
    local.forEach((e, i) => (inside[i].points = e.points));
    return {part, inside, extent};
  });
  scene.h = Math.max(placed[0].extent.h, placed[1].extent.h);
  const right = placed[0].extent.w === 0 ? 0 : placed[0].extent.w + 70;
  scene.w = placed[1].extent.w === 0 ? placed[0].extent.w : right + placed[1].extent.w;
  for (const node of placed[1].part) {
    node.x += right;
    node.y = scene.h - node.y;
  }
  for (const edge of placed[1].inside)
    edge.points = edge.points.map((p) => ({x: p.x + right, y: scene.h - p.y}));
  for (const edge of edges) edge.crosses = nodes[edge.a].gradient !== nodes[edge.b].gradient;
  return scene;
}

// ---- the picture: all scenes in one coordinate system

let drawn = {nodes: [], edges: [], titles: [], at: new Map(), w: 0, h: 0};

function rebuild() {
  const start = performance.now();
  const scene = buildScene(0);
  drawn = {nodes: [], edges: [], titles: [], at: new Map(), w: scene.w, h: scene.h};
  const left = [{scene, x: 0, y: 0}];
  while (left.length !== 0) {
    const {scene: s, x, y} = left.pop();
    for (const node of s.nodes) {
      node.x += x;
      node.y += y;
      node.left = node.x - node.w / 2;
      node.top = node.y - node.h / 2;
      drawn.nodes.push(node);
      drawn.at.set(key(node.kind, node.net, node.id), node);
      for (const inner of node.inner) {
        const owner = nets[inner.net].owner;
        drawn.titles.push({x: node.left + inner.dx, y: node.top + inner.dy - 6, text: owner.argument});
        left.push({scene: inner, x: node.left + inner.dx, y: node.top + inner.dy});
      }
    }
    for (const edge of s.edges) drawn.edges.push(route(edge, s, x, y));
  }
  const root = document.documentElement.dataset;
  root.layoutMs = Math.round(performance.now() - start);
  root.nodes = drawn.nodes.length;
  root.edges = drawn.edges.length;
  schedule();
}

// Sets the absolute points of an edge and their bounding box.
function route(edge, scene, x, y) {
  const a = scene.nodes[edge.a];
  const b = scene.nodes[edge.b];
  const down = a.y <= b.y ? 1 : -1;
  if (edge.crosses) {
    const side = a.x <= b.x ? 1 : -1;
    edge.line = [{x: a.x + (side * a.w) / 2, y: a.y}, {x: b.x - (side * b.w) / 2, y: b.y}];
  } else {
    edge.line = [
      {x: a.x, y: a.y + (down * a.h) / 2},
      ...edge.points.map((p) => ({x: p.x + x, y: p.y + y})),
      {x: b.x, y: b.y - (down * b.h) / 2},
    ];
  }
  edge.box = {l: Infinity, t: Infinity, r: -Infinity, b: -Infinity};
  for (const p of edge.line) {
    edge.box.l = Math.min(edge.box.l, p.x);
    edge.box.r = Math.max(edge.box.r, p.x);
    edge.box.t = Math.min(edge.box.t, p.y);
    edge.box.b = Math.max(edge.box.b, p.y);
  }
  const net = nets[edge.net];
  edge.in_place = edge.values.some((v) => net.in_place.has(v));
  return edge;
}
nets.forEach((net) => (net.in_place = new Set(net.chains.flat())));

// Returns the node that shows an op, a value or a block: the block that an op is folded into, the producer of a value
// that is no node. Undefined if a hidden layer or a folded net has it.
function nodeOf({kind, net, id}) {
  const exact = drawn.at.get(key(kind, net, id));
  if (exact || kind === "block") return exact;
  if (kind === "op") return drawn.at.get(key("block", net, nets[net].block_of[id]));
  const value = nets[net].values[id];
  if (value.producer !== undefined) return nodeOf({kind: "op", net, id: value.producer});
  return undefined;
}

// ---- drawing

let pending = false;
function schedule() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    draw();
  });
}

function hue(text) {
  let h = 7;
  for (let i = 0; i < text.length; ++i) h = (h * 31 + text.charCodeAt(i)) >>> 0;
  return h % 360;
}

function highlighted() {
  const nodes = new Set();
  const s = state.selected;
  const values = new Set();
  if (!s) return {nodes, values, net: -1};
  const add = (what) => {
    const node = nodeOf({net: s.net, ...what});
    if (node) nodes.add(node);
  };
  add(s);
  const net = nets[s.net];
  if (s.kind === "value") {
    values.add(s.id);
    if (net.values[s.id].producer !== undefined) add({kind: "op", id: net.values[s.id].producer});
    for (const op of net.values[s.id].readers) add({kind: "op", id: op});
  } else if (s.kind === "op") {
    for (const v of [...net.ops[s.id].in, ...net.ops[s.id].out]) {
      values.add(v);
      add({kind: "value", id: v});
    }
  }
  return {nodes, values, net: s.net};
}

function trace(edge) {
  const [first, ...rest] = edge.line;
  pen.moveTo(first.x, first.y);
  let p = first;
  for (const q of rest) {
    if (edge.crosses) pen.bezierCurveTo((p.x + q.x) / 2, p.y, (p.x + q.x) / 2, q.y, q.x, q.y);
    else pen.bezierCurveTo(p.x, (p.y + q.y) / 2, q.x, (p.y + q.y) / 2, q.x, q.y);
    p = q;
  }
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const {x, y, k} = state.view;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const text = colour("--text");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.setTransform(ratio * k, 0, 0, ratio * k, ratio * x, ratio * y);
  const window_ = {l: -x / k, t: -y / k, r: (width - x) / k, b: (height - y) / k};
  const marked = highlighted();
  const is_marked = (edge) => edge.net === marked.net && edge.values.some((v) => marked.values.has(v));

  // Boxes with nets in them are below all edges.
  const visible = drawn.nodes.filter(
    (n) => n.left < window_.r && n.left + n.w > window_.l && n.top < window_.b && n.top + n.h > window_.t,
  );
  for (const node of visible) if (node.inner.length !== 0) drawNode(node, marked, dark, k, text);
  const groups = {plain: [], in_place: [], crossing: [], marked: []};
  for (const edge of drawn.edges) {
    const {l, t, r, b} = edge.box;
    if (l > window_.r || r < window_.l || t > window_.b || b < window_.t) continue;
    const group = is_marked(edge) ? "marked" : edge.crosses ? "crossing" : edge.in_place ? "in_place" : "plain";
    groups[group].push(edge);
  }
  const stroke = (edges, shade, thickness) => {
    pen.beginPath();
    edges.forEach(trace);
    pen.strokeStyle = shade;
    pen.lineWidth = thickness;
    pen.stroke();
  };
  stroke(groups.crossing, colour("--line"), 0.6);
  stroke(groups.plain, dark ? "#7d8796" : "#9aa4b2", 1.1);
  stroke(groups.in_place, "#d98a2b", 1.6);
  stroke(groups.marked, "#2f6fca", 2.4);
  if (k > 0.3) {
    for (const group of ["plain", "in_place", "marked"]) {
      pen.fillStyle = {plain: dark ? "#7d8796" : "#9aa4b2", in_place: "#d98a2b", marked: "#2f6fca"}[group];
      pen.beginPath();
      for (const edge of groups[group]) {
        const end = edge.line[edge.line.length - 1];
        if (edge.crosses) continue;
        const back = edge.line[edge.line.length - 2].y <= end.y ? -6 : 6;
        pen.moveTo(end.x, end.y);
        pen.lineTo(end.x - 3.5, end.y + back);
        pen.lineTo(end.x + 3.5, end.y + back);
      }
      pen.fill();
    }
  }
  for (const node of visible) if (node.inner.length === 0) drawNode(node, marked, dark, k, text);
  pen.font = "11px ui-monospace, monospace";
  pen.fillStyle = colour("--faint");
  if (k > 0.3) for (const title of drawn.titles) pen.fillText(title.text, title.x, title.y);
}

function drawNode(node, marked, dark, k, text) {
  const net = nets[node.net];
  const value = node.kind === "value" ? net.values[node.id] : undefined;
  const round = node.kind === "value" ? node.h / 2 : 4;
  let fill;
  if (value) {
    fill = dark ? "#20262f" : "#ffffff";
    if (value.producer === undefined) fill = dark ? "#23354d" : "#dce8f7";
    if (value.parameter) fill = dark ? "#37304a" : "#ece5f8";
  } else {
    const name = node.kind === "op" ? net.ops[node.id].type : "block";
    fill = node.inner.length !== 0 ? (dark ? "#1b2027" : "#fafbfc") : "hsl(" + hue(name) + (dark ? " 25% 24%)" : " 45% 91%)");
  }
  pen.globalAlpha = node.dead ? 0.45 : 1;
  pen.beginPath();
  pen.roundRect(node.left, node.top, node.w, node.h, round);
  pen.fillStyle = fill;
  pen.fill();
  const chosen = marked.nodes.has(node);
  pen.strokeStyle = chosen ? "#2f6fca" : node.gradient ? "#c0504d" : dark ? "#5c6674" : "#a8b1bd";
  pen.lineWidth = chosen ? 2.4 : value && value.output ? 2 : 1;
  pen.setLineDash(node.dead ? [4, 3] : []);
  pen.stroke();
  if (node.kind === "block") {
    pen.beginPath();
    pen.roundRect(node.left + 3, node.top + 3, node.w, node.h, round);
    pen.stroke();
  }
  pen.setLineDash([]);
  if (k > 0.25) {
    pen.font = "11px ui-monospace, monospace";
    pen.fillStyle = text;
    const folds = node.kind === "block" || (node.kind === "op" && net.ops[node.id].nets);
    if (folds) pen.fillText(node.inner.length !== 0 ? "\u25be" : "\u25b8", node.left + 7, node.top + 16);
    node.lines.forEach((line, i) => {
      pen.globalAlpha = (node.dead ? 0.45 : 1) * (i === 0 ? 1 : 0.75);
      pen.fillText(line.text, node.left + 9, node.top + 16 + i * LINE);
    });
  }
  pen.globalAlpha = 1;
}

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

// Returns {node, value, toggle} at a point of the canvas: the value on whose line the point is, and whether the point is
// on the triangle that folds.
function hit(px, py) {
  const {x, y, k} = state.view;
  const wx = (px - x) / k;
  const wy = (py - y) / k;
  for (let i = drawn.nodes.length; i-- !== 0;) {
    const node = drawn.nodes[i];
    if (wx < node.left || wx > node.left + node.w || wy < node.top || wy > node.top + node.h) continue;
    const line = node.lines[Math.floor((wy - node.top - 4) / LINE)];
    const folds = node.kind === "block" || (node.kind === "op" && nets[node.net].ops[node.id].nets);
    const toggle = Boolean(folds) && wx < node.left + 20 && wy < node.top + 22;
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
const tags = (names) => make("div", {id: "tags"}, ...names.map((textContent) => make("span", {className: "tag", textContent})));

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
  const versions = nets[net].values.flatMap((other, v) => (other.blob === value.blob && v !== id ? [valueLink(net, v)] : []));
  parts.push(...section("other versions", "versions", versions));
  const chain = nets[net].chains.find((values) => values.includes(id));
  if (chain) parts.push(...section("overwritten in place", "chain", chain.map((v) => valueLink(net, v))));
  const gradient = net === 0 && data.gradients && data.gradients[value.blob];
  if (gradient) {
    const all = nets[0].values.map((other, v) => v).filter((v) => nets[0].values[v].blob === gradient);
    parts.push(...section("gradient", "gradient-of", all.slice(-1).map((v) => valueLink(0, v))));
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
function search(text) {
  if (!index)
    index = nets.flatMap((net, n) => [
      ...net.values.map((value, id) => ({what: {kind: "value", net: n, id}, label: full(n, id), text: value.blob})),
      ...net.ops.map((op, id) => ({what: {kind: "op", net: n, id}, label: opLabel(n, id), text: op.type, name: op.name || ""})),
    ]).map((entry) => ({...entry, text: entry.text.toLowerCase(), label_text: entry.label.toLowerCase(), name: (entry.name || "").toLowerCase()}));
  const wanted = text.trim().toLowerCase();
  const rank = (entry) => {
    if (entry.text === wanted || entry.label_text === wanted || entry.name === wanted) return 0;
    if (entry.text.startsWith(wanted)) return 1;
    return entry.label_text.includes(wanted) || entry.name.includes(wanted) ? 2 : 3;
  };
  return index.map((entry) => ({entry, rank: rank(entry)})).filter((e) => e.rank !== 3).sort((a, b) => a.rank - b.rank).map((e) => e.entry);
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
  const what = value === undefined ? {kind: node.kind, net: node.net, id: node.id} : {kind: "value", net: node.net, id: value};
  select(what, {move: false});
};
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => showTip(undefined));
canvas.addEventListener("dblclick", (event) => {
  const found = hit(at(event).x, at(event).y);
  if (found && (found.node.kind === "block" || (found.node.kind === "op" && nets[found.node.net].ops[found.node.id].nets)))
    toggle(found.node);
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
