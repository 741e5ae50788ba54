// Draws the scenes of the page on its canvas, as far as they are in the window.
"use strict";

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
    fill = "hsl(" + hue(name) + (dark ? " 25% 24%)" : " 45% 91%)");
    if (node.inner.length !== 0) fill = dark ? "#1b2027" : "#fafbfc";
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
    if (canUnfold(node)) pen.fillText(node.inner.length !== 0 ? "\u25be" : "\u25b8", node.left + 7, node.top + 16);
    node.lines.forEach((line, i) => {
      pen.globalAlpha = (node.dead ? 0.45 : 1) * (i === 0 ? 1 : 0.75);
      pen.fillText(line.text, node.left + 9, node.top + 16 + i * LINE);
    });
  }
  pen.globalAlpha = 1;
}

