// Layered layout of a directed acyclic graph (Sugiyama, Tagawa and Toda 1981): longest-path layering, dummy nodes on
// edges that span layers, barycentre sweeps against crossings, and coordinates by isotonic regression, which moves each
// node as near to its neighbours as order and distances within its layer allow.
// O((nodes + dummies) log) time. There are at most two dummies per node; the longest edges go straight.
"use strict";

const GAP_X = 18;
const GAP_Y = 34;

// Places `nodes` ({w, h}; gets x and y, the centre) along `edges` ({a, b}: indices; gets points, the places between its
// ends). Returns {w, h}. All coordinates are positive. Connected components are laid out by themselves and packed in
// rows, in the order of their first nodes, so that an init net is no row of a thousand ops.
function layoutGraph(nodes, edges) {
  const parts = components(nodes.length, edges).map((numbers) => ({numbers, edges: [], w: 0, h: 0}));
  const part_of = new Int32Array(nodes.length);
  const place = new Int32Array(nodes.length);
  parts.forEach((part, p) =>
    part.numbers.forEach((i, at) => {
      part_of[i] = p;
      place[i] = at;
    }),
  );
  for (const edge of edges) parts[part_of[edge.a]].edges.push({a: place[edge.a], b: place[edge.b], points: [], edge});
  let area = 0;
  let widest = 0;
  for (const part of parts) {
    Object.assign(part, layoutConnected(part.numbers.map((i) => nodes[i]), part.edges));
    area += (part.w + 2 * GAP_X) * (part.h + GAP_Y);
    widest = Math.max(widest, part.w);
  }
  const limit = Math.max(widest, Math.sqrt(1.6 * area));
  let x = 0;
  let y = 0;
  let height = 0;
  let width = 0;
  for (const part of parts) {
    if (x !== 0 && x + part.w > limit) {
      x = 0;
      y += height + GAP_Y;
      height = 0;
    }
    for (const i of part.numbers) {
      nodes[i].x += x;
      nodes[i].y += y;
    }
    for (const {edge, points} of part.edges) edge.points = points.map((p) => ({x: p.x + x, y: p.y + y}));
    width = Math.max(width, x + part.w);
    height = Math.max(height, part.h);
    x += part.w + 2 * GAP_X;
  }
  return {w: width, h: y + height};
}

// Returns the nodes of each connected component, ascending (union-find with path halving).
function components(count, edges) {
  const parent = Int32Array.from({length: count}, (_, i) => i);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const {a, b} of edges) {
    const [low, high] = [root(a), root(b)].sort((p, q) => p - q);
    parent[high] = low;
  }
  const lists = new Map();
  for (let i = 0; i < count; ++i) {
    if (!lists.has(root(i))) lists.set(root(i), []);
    lists.get(root(i)).push(i);
  }
  return [...lists.values()];
}

function layoutConnected(nodes, edges) {
  const count = nodes.length;
  const layer = assignLayers(count, edges);

  // Items are nodes, then dummies. The links join items of adjacent layers, except those of overlong edges.
  const items = nodes.map((node, i) => ({w: node.w, layer: layer[i], up: [], down: [], x: 0, rank: i}));
  let budget = 2 * count;
  const link = (a, b) => {
    items[a].down.push(b);
    items[b].up.push(a);
  };
  const routes = edges.map(() => []);
  const bySpan = edges.map((_, i) => i).sort((p, q) => span(edges[p]) - span(edges[q]) || p - q);
  function span(edge) {
    return layer[edge.b] - layer[edge.a];
  }
  for (const i of bySpan) {
    const {a, b} = edges[i];
    const between = span(edges[i]) - 1;
    if (between > budget || between < 0) {
      if (between >= 0) link(a, b);
      continue;
    }
    budget -= between;
    let last = a;
    for (let l = layer[a] + 1; l < layer[b]; ++l) {
      items.push({w: 2, layer: l, up: [], down: [], x: 0, rank: items[a].rank});
      link(last, items.length - 1);
      last = items.length - 1;
      routes[i].push(last);
    }
    link(last, b);
  }

  const layers = [];
  items.forEach((item, i) => (layers[item.layer] = layers[item.layer] || []).push(i));
  orderLayers(items, layers);
  assignX(items, layers);

  const heights = layers.map(() => 0);
  nodes.forEach((node, i) => (heights[layer[i]] = Math.max(heights[layer[i]], node.h)));
  const middle = [];
  let y = 0;
  heights.forEach((height, l) => {
    middle[l] = y + height / 2;
    y += height + GAP_Y;
  });
  let left = Infinity;
  let right = -Infinity;
  for (const item of items) {
    left = Math.min(left, item.x - item.w / 2);
    right = Math.max(right, item.x + item.w / 2);
  }
  nodes.forEach((node, i) => {
    node.x = items[i].x - left;
    node.y = middle[layer[i]];
  });
  edges.forEach((edge, i) => (edge.points = routes[i].map((d) => ({x: items[d].x - left, y: middle[items[d].layer]}))));
  return {w: right - left, h: y - GAP_Y};
}

// Returns the layer of each node: the length of the longest path to it. A source is moved down to its first reader.
function assignLayers(count, edges) {
  const after = Array.from({length: count}, () => []);
  const missing = new Int32Array(count);
  for (const {a, b} of edges) {
    after[a].push(b);
    ++missing[b];
  }
  const is_source = Array.from(missing, (n) => n === 0);
  const layer = new Int32Array(count);
  const order = [];
  for (let i = 0; i < count; ++i) if (missing[i] === 0) order.push(i);
  for (let i = 0; i < order.length; ++i)
    for (const b of after[order[i]]) {
      layer[b] = Math.max(layer[b], layer[order[i]] + 1);
      if (--missing[b] === 0) order.push(b);
    }
  for (let i = 0; i < count; ++i)
    if (is_source[i] && after[i].length !== 0)
      layer[i] = after[i].reduce((least, b) => Math.min(least, layer[b]), Infinity) - 1;
  return layer;
}

function orderLayers(items, layers) {
  const place = new Float64Array(items.length);
  const number = (row) => row.forEach((i, at) => (place[i] = at));
  const wanted = new Float64Array(items.length);
  const sweep = (row, side) => {
    if (row.length === 1) return;
    for (const i of row) {
      const near = items[i][side];
      let sum = 0;
      for (const j of near) sum += place[j];
      wanted[i] = near.length === 0 ? place[i] : sum / near.length;
    }
    row.sort((i, j) => wanted[i] - wanted[j] || place[i] - place[j]);
    number(row);
  };
  for (const row of layers) {
    row.sort((i, j) => items[i].rank - items[j].rank);
    number(row);
  }
  for (let round = 0; round < 4; ++round) {
    for (let l = 1; l < layers.length; ++l) sweep(layers[l], "up");
    for (let l = layers.length - 2; l >= 0; --l) sweep(layers[l], "down");
  }
  for (let l = 1; l < layers.length; ++l) sweep(layers[l], "up");
}

function assignX(items, layers) {
  for (const row of layers) {
    let x = 0;
    for (const i of row) {
      items[i].x = x + items[i].w / 2;
      x += items[i].w + GAP_X;
    }
    for (const i of row) items[i].x -= x / 2;
  }
  const mean = (near) => {
    let sum = 0;
    for (const j of near) sum += items[j].x;
    return sum / near.length;
  };
  const pull = (row, sides) => {
    const wanted = row.map((i) => {
      let sum = 0;
      let used = 0;
      for (const side of sides) {
        if (items[i][side].length === 0) continue;
        sum += mean(items[i][side]);
        ++used;
      }
      return used === 0 ? items[i].x : sum / used;
    });
    separate(row.map((i) => items[i]), wanted);
  };
  for (let round = 0; round < 4; ++round) {
    for (let l = 0; l < layers.length; ++l) pull(layers[l], ["up"]);
    for (let l = layers.length - 1; l >= 0; --l) pull(layers[l], ["down"]);
  }
  for (let l = 0; l < layers.length; ++l) pull(layers[l], ["up", "down"]);
}

// Sets x of the items of a row, in order and without overlap, with the least sum of squared distances from `wanted`
// (pool adjacent violators).
function separate(row, wanted) {
  const shift = [0];
  for (let i = 1; i < row.length; ++i) shift[i] = shift[i - 1] + (row[i - 1].w + row[i].w) / 2 + GAP_X;
  const pools = [];
  row.forEach((_, i) => {
    let pool = {sum: wanted[i] - shift[i], size: 1};
    while (pools.length !== 0) {
      const before = pools[pools.length - 1];
      if (before.sum / before.size <= pool.sum / pool.size) break;
      pools.pop();
      pool = {sum: before.sum + pool.sum, size: before.size + pool.size};
    }
    pools.push(pool);
  });
  let i = 0;
  for (const pool of pools)
    for (let k = 0; k < pool.size; ++k, ++i) row[i].x = pool.sum / pool.size + shift[i];
}
