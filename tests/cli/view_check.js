// Uses a page of plait view as a user does, and reports into the element #check. Runs after the page's own scripts,
// whose variables (state, drawn, nets) it reads.
"use strict";

const report = [];
function check(what, holds, ...facts) {
  report.push(holds ? "ok: " + what : ["WRONG: " + what, ...facts.map((fact) => JSON.stringify(fact))].join(" "));
}
const chosen = () => document.getElementById("chosen").textContent;
const links = (id) => [...document.querySelectorAll("#" + id + " button")].map((button) => button.textContent);
const click = (id) => document.getElementById(id).click();
function pointer(type, x, y) {
  const box = canvas.getBoundingClientRect();
  const place = {clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true, cancelable: true};
  canvas.dispatchEvent(new PointerEvent(type, place));
}
const screen_of = (x, y) => ({x: x * state.view.k + state.view.x, y: y * state.view.k + state.view.y});
function press(x, y) {
  const p = screen_of(x, y);
  pointer("pointerdown", p.x, p.y);
  pointer("pointerup", p.x, p.y);
}
const count = (kind) => drawn.nodes.filter((node) => node.kind === kind).length;
function lookUp(text) {
  document.getElementById("search").value = text;
  document.getElementById("search").dispatchEvent(new Event("input"));
}
function set(name, on) {
  if (document.getElementById(name).checked !== on) click(name);
}

// Nodes of the same net do not overlap, edges run down among forward ops and up among gradient ops.
function checkLayout(what) {
  let overlaps = 0;
  const rows = new Map();
  for (const node of drawn.nodes) {
    if (!Number.isFinite(node.left + node.top)) ++overlaps;
    const row = node.net + "/" + node.gradient + "/" + node.y;
    if (!rows.has(row)) rows.set(row, []);
    rows.get(row).push(node);
  }
  for (const row of rows.values()) {
    row.sort((a, b) => a.left - b.left);
    for (let i = 1; i < row.length; ++i) if (row[i].left < row[i - 1].left + row[i - 1].w) ++overlaps;
  }
  check(what + ": no boxes overlap", overlaps === 0, overlaps);
  const against = drawn.edges.filter((edge) => {
    if (edge.crosses) return false;
    const producer = nets[edge.net].values[edge.values[0]];
    const gradient = producer.producer !== undefined && nets[edge.net].ops[producer.producer].gradient === true;
    const down = edge.line[edge.line.length - 1].y - edge.line[0].y;
    const reader_is_gradient = producer.readers.some((op) => nets[edge.net].ops[op].gradient);
    return gradient ? down >= 0 : !reader_is_gradient && down <= 0;
  });
  check(what + ": edges run one way", against.length === 0, against.length);
}

function run() {
  const net = nets[0];
  const large = net.ops.length > 2000;
  const forward = net.ops.filter((op) => !op.gradient).length;
  check("the header counts", document.getElementById("counts").textContent.startsWith(net.ops.length + " ops, "));
  const folds = count("block") > 100 && drawn.nodes.length < net.ops.length / 2;
  if (large) check("repeated blocks are folded", folds, count("block"), drawn.nodes.length, net.ops.length);
  check("parameters are hidden", !drawn.nodes.some((n) => n.kind === "value" && nets[n.net].values[n.id].parameter));
  checkLayout("at first");

  // Search, and what a value links to.
  const blob = large ? "f250" : "gate";
  lookUp(blob);
  const both = [blob + ":1", blob + ":2"].every((name) => links("results").includes(name));
  check("search lists versions", both, links("results"));
  document.querySelector("#results button").click();
  check("a result is selected", chosen() === blob + ":1", chosen());
  const value = state.selected.id;
  check("a value has its producer", links("producer")[0].endsWith(" FC"), links("producer"));
  const reader = net.values[value].readers[0];
  check("a value has its reader", links("readers")[0] === reader + " " + net.ops[reader].type, links("readers"));
  check("a value has its chain in place", links("chain").join() === blob + ":1," + blob + ":2", links("chain"));
  document.querySelector("#readers button").click();
  check("a link selects", chosen().split(" ")[0] === String(net.values[value].readers[0]), chosen());
  const operands = [links("inputs")[0], links("outputs")[0]];
  check("an op lists its operands", operands.join() === blob + ":1," + blob + ":2", operands);
  const op = drawn.at.get("op/0/" + state.selected.id);
  const middle = op ? screen_of(op.x, op.y) : {x: -1, y: -1};
  check("the selected op is in the window", middle.x > 0 && middle.x < canvas.clientWidth && middle.y > 0, middle);
  lookUp("");
  if (large) {
    document.getElementById("fold-block").click();
    check("the panel folds a block", chosen().startsWith("block ") && nodeOf(state.selected).kind === "block", chosen());
    document.getElementById("open-block").click();
    check("the panel unfolds a block", state.selected.kind === "op" && nodeOf(state.selected).kind === "op", chosen());
  }
  const parameter = net.values.findIndex((v) => v.parameter);
  select({kind: "value", net: 0, id: parameter});
  check("a selected parameter is drawn", drawn.at.has("value/0/" + parameter));
  state.shown.clear();

  // Pan and zoom.
  const before = {...state.view};
  pointer("pointerdown", 100, 100);
  pointer("pointermove", 160, 70);
  pointer("pointermove", 180, 60);
  pointer("pointerup", 180, 60);
  check("dragging pans", state.view.x - before.x === 80 && state.view.y - before.y === -40, before, state.view);
  check("dragging keeps the selection", state.selected !== null);
  const fixed = {x: (300 - state.view.x) / state.view.k, y: (200 - state.view.y) / state.view.k};
  const box = canvas.getBoundingClientRect();
  const k = state.view.k;
  const place = {clientX: box.left + 300, clientY: box.top + 200};
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -120, cancelable: true, ...place}));
  const after = screen_of(fixed.x, fixed.y);
  check("the wheel zooms around the pointer", state.view.k > k && Math.hypot(after.x - 300, after.y - 200) < 1, after);

  // A click on a box, on a line of a box, and beside all boxes.
  set("ssa", false);
  select({kind: "op", net: 0, id: 0});
  const first = drawn.at.get("op/0/0");
  press(first.left + first.w / 2, first.top + 10);
  check("a click selects an op", chosen() === "0 FC", chosen());
  press(first.left + first.w / 2, first.top + 4 + 15 + 7);
  check("a click on a name selects the value", chosen() === net.values[net.ops[0].out[0]].blob + ":1", chosen());
  pointer("pointermove", screen_of(first.x, first.y).x, screen_of(first.x, first.y - 6).y);
  const tip = document.getElementById("tip").textContent;
  check("a tooltip states operands", tip.startsWith("0 FC\nin   x:0, "), tip);
  press(-1e5, -1e5);
  check("a click beside all boxes clears the selection", state.selected === null);

  // Nested nets.
  const owner = net.ops.findIndex((o) => o.nets);
  const inner = net.ops[owner].nets[0];
  check("nested nets are folded", !drawn.nodes.some((node) => node.net === inner));
  select({kind: "op", net: 0, id: owner});
  const folded = drawn.at.get("op/0/" + owner);
  press(folded.left + 8, folded.top + 10);
  check("the triangle unfolds nested nets", drawn.nodes.some((node) => node.net === inner));
  const unfolded = drawn.at.get("op/0/" + owner);
  const inside = drawn.nodes.filter((node) => node.net === inner);
  const across = inside.every((n) => n.left > unfolded.left && n.left + n.w < unfolded.left + unfolded.w);
  const along = inside.every((n) => n.top > unfolded.top && n.top + n.h < unfolded.top + unfolded.h);
  check("they are drawn in their op", across && along);
  checkLayout("unfolded");
  select(find(inner + "/" + nets[inner].values[nets[inner].ops[0].in[0]].blob));
  check("an inner value links to the outer one", links("outer").length === 1, links("outer"));
  check("an inner value links to the op around it", links("path").length === 1, links("path"));
  document.querySelector("#outer button").click();
  check("the outer value is selected", state.selected.net === 0 && state.selected.kind === "value");
  select({kind: "op", net: 0, id: owner});
  document.getElementById("unfold-one").click();
  check("the panel folds them", !drawn.nodes.some((node) => node.net === inner));

  // Layers.
  set("fold", false);
  check("all ops are drawn", count("op") === net.ops.length, count("op"), net.ops.length);
  checkLayout("all ops");
  set("gradient", false);
  check("gradient ops are a layer", count("op") === forward && forward < net.ops.length, count("op"), forward);
  set("gradient", true);
  set("ssa", true);
  const visible = net.values.filter((v) => v.producer !== undefined || !v.parameter).length;
  check("SSA: each version is a node", count("value") === visible, count("value"), visible);
  check("SSA: labels have versions", drawn.at.get("value/0/" + value).lines[0].text === blob + ":1");
  checkLayout("SSA");
  const thick = drawn.edges.filter((edge) => edge.net === 0 && edge.in_place).length;
  const steps = net.chains.reduce((sum, chain) => sum + chain.length - 1, 0);
  check("edges in place are marked: into and out of each such op", thick === 2 * steps, thick, steps);
  set("parameters", true);
  check("parameters are a layer", count("value") === net.values.length, count("value"), net.values.length);
  set("parameters", false);
  set("ssa", false);
  select(null);
  const dead = net.ops.findIndex((o) => o.dead);
  check("dead ops are listed", links("dead").includes(dead + " " + net.ops[dead].type), links("dead"));
  check("inputs are listed", links("inputs").includes("x:0"), links("inputs"));

  // The gradient of a value.
  select(find(blob + ":1"));
  check("a value links to its gradient", links("gradient-of")[0].startsWith(blob + "_grad:"), links("gradient-of"));

  // Keys.
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}));
  check("/ moves to the search", document.activeElement === document.getElementById("search"));
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true, cancelable: true}));
  check("escape clears the selection", state.selected === null && chosen() === data.title, chosen());
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "f", bubbles: true, cancelable: true}));
  const corners = [screen_of(0, 0), screen_of(drawn.w, drawn.h)];
  const fits = corners[1].x <= canvas.clientWidth && corners[1].y <= canvas.clientHeight;
  check("f fits the net into the window", corners[0].x >= 0 && corners[0].y >= 0 && fits, corners);
  draw();
  const pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data;
  check("the canvas is not empty", pixels.some((byte) => byte !== 0));
}

try {
  run();
  report.push("all checks have run");
} catch (problem) {
  report.push("WRONG: " + problem + "\n" + problem.stack);
}
document.body.append(Object.assign(document.createElement("pre"), {id: "check", textContent: report.join("\n")}));
