// Scenes of the page of `plait view`: the data that the tool has embedded as nodes and edges, laid out by layout.js.
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

// Sets the blocks of each net: consecutive ops [begin, end), of equal structure with the blocks beside them.
nets.forEach((net, n) => {
  net.blocks = [];
  net.block_of = new Int32Array(net.ops.length).fill(-1);
  for (const [first, period, repeats] of net.repeats)
    for (let at = 0; at < repeats; ++at) {
      const block = {net: n, at, repeats, begin: first + at * period, end: first + (at + 1) * period};
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

const canUnfold = (node) => node.kind === "block" || (node.kind === "op" && Boolean(nets[node.net].ops[node.id].nets));

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
  const gradient = nets[n].ops[block.begin].gradient === true;
  return size({kind: "block", net: n, id: number, lines, inner: [], gradient});
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
  edge.in_place = edge.values.some((v) => isInPlace(nets[edge.net], a, b, v));
  return edge;
}

// Whether an edge of `v` leads to the op that overwrites it in place or, from an op, to the version that it makes so.
nets.forEach((net) => {
  net.next = new Map();
  for (const chain of net.chains) chain.slice(1).forEach((v, i) => net.next.set(chain[i], v));
});
function isInPlace(net, a, b, v) {
  if (b.kind === "op") return net.next.has(v) && net.ops[b.id].out.includes(net.next.get(v));
  return a.kind === "op" && b.kind === "value" && net.ops[a.id].in.some((before) => net.next.get(before) === v);
}

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

