// SPDX-License-Identifier: MIT
// Reads what tree_data.cc wrote (see tree_data.h for the format): the whole tree, or its widest
// part, as arrays indexed by node. Nodes are in pre-order: 0 is the root, and the descendants of
// node i are i+1 … end[i]-1. Returns null when the file has no such data.
function readTree(svg) {
  "use strict";
  const data = svg.querySelector("#tree");
  if (!data) return null;
  const size = Number(data.dataset.nodes);
  const differential = data.dataset.totalBefore !== undefined;
  const showsVanished = data.dataset.room !== undefined;
  const inputOrder = data.dataset.order === "input";
  const texts = (kind) => Array.from(data.getElementsByClassName(kind), (g) => g.textContent);

  // Counts are Numbers if all of them are exact, else BigInts.
  const exceeds = (text) => text !== undefined && BigInt(text) > BigInt(Number.MAX_SAFE_INTEGER);
  const big = exceeds(data.dataset.total) || exceeds(data.dataset.totalBefore) ||
              exceeds(data.dataset.room);
  const counts = () => (big ? new BigUint64Array(size) : new Float64Array(size));

  const tree = {
    size, differential, showsVanished, inputOrder, big,
    names: texts("names").join("").split("\n"),
    colours: new Int32Array(Number(data.dataset.names)),  // of the names: 0xrrggbb
    name: new Int32Array(size),      // index into names
    parent: new Int32Array(size),    // -1 for the root
    depth: new Int32Array(size),
    end: new Int32Array(size),       // one past the last node below
    self: counts(),                  // its own count
    total: counts(),                 // and with all on top of it
    start: counts(),                 // what is left of it, as in the file's elements (data-x)
    selfBefore: differential ? counts() : null,
    totalBefore: differential ? counts() : null,
    // How many counts wide it is drawn, without and with all on top of it: tree_data.h.
    selfRoom: null, room: null,
    // For nodes with children that were left out, an index into the arrays below; else -1. These
    // children lay in the gaps between the others.
    rest: new Int32Array(size).fill(-1),
    restCount: [], restBefore: [], restRoom: [], restFrames: [],
    // When nodes were left out: what names count in the whole tree, for those that count most, as
    // arrays by name. `known` is 1 for these.
    exact: null,
  };
  tree.selfRoom = showsVanished ? counts() : tree.self;
  tree.room = showsVanished ? counts() : tree.total;
  if (!showsVanished) tree.restRoom = tree.restCount;

  const zero = big ? 0n : 0;
  let text = "", at = 0;
  function number() {  // any up to 2^53
    let digit = text.charCodeAt(at++) - 63;
    if (digit < 32) return digit;
    let value = digit - 32, factor = 32;
    do {
      digit = text.charCodeAt(at++) - 63;
      value += (digit & 31) * factor;
      factor *= 32;
    } while (digit >= 32);
    return value;
  }
  function bigNumber() {
    let value = 0n, shift = 0n, digit = 0;
    do {
      digit = text.charCodeAt(at++) - 63;
      value += BigInt(digit & 31) << shift;
      shift += 5n;
    } while (digit >= 32);
    return value;
  }
  const count = big ? bigNumber : number;

  [text] = texts("colours");
  for (let i = 0; i < tree.colours.length; ++i) tree.colours[i] = number();

  [text = ""] = texts("totals");
  at = 0;
  if (text !== "") {
    const all = () => (big ? new BigUint64Array(tree.names.length) : new Float64Array(tree.names.length));
    const exact = {known: new Uint8Array(tree.names.length), self: all(), total: all(),
                   selfBefore: differential ? all() : null, totalBefore: differential ? all() : null,
                   selfRoom: null};
    exact.selfRoom = showsVanished ? all() : exact.self;
    for (let line = 0; at < text.length;) {
      line += number();
      exact.known[line] = 1;
      exact.self[line] = count();
      exact.total[line] = exact.self[line] + count();
      if (differential) {
        exact.selfBefore[line] = count();
        exact.totalBefore[line] = exact.selfBefore[line] + count();
      }
      if (showsVanished) exact.selfRoom[line] = count();
    }
    tree.exact = exact;
  }

  const {name, parent, depth, end, self, total, start, selfBefore, totalBefore, rest, selfRoom, room} = tree;
  let node = 0;
  const edge = [];    // by depth: right of the last child placed
  let previous = -1;  // the node read last
  for (text of texts("nodes")) {
    at = 0;
    while (at < text.length) {
      const head = number();
      let p = previous;
      for (let up = head >> 2; up > 0; --up) {
        end[p] = node;
        p = parent[p];
      }
      const d = p < 0 ? 0 : depth[p] + 1;
      parent[node] = p;
      depth[node] = d;
      name[node] = number();
      let gap = zero;
      if (head & 1) {
        self[node] = total[node] = count();
        if (differential) selfBefore[node] = totalBefore[node] = count();
        if (showsVanished)
          selfRoom[node] = room[node] = self[node] > selfBefore[node] ? self[node] : selfBefore[node];
      }
      if (head & 2) {
        const extras = number();
        if (extras & 1) gap = count();
        if (extras & 2) {
          const left = count();
          rest[node] = tree.restCount.length;
          tree.restCount.push(left);
          total[node] += left;
          if (differential) {
            const before = count();
            tree.restBefore.push(before);
            totalBefore[node] += before;
          }
          if (showsVanished) {
            const wide = count();
            tree.restRoom.push(wide);
            room[node] += wide;
          }
          tree.restFrames.push(number());
        }
      }
      // This becomes the node's left edge when the parent's edge is added; where the node ends
      // depends on its room. Both are computed below.
      start[node] = gap;
      previous = node++;
    }
  }
  for (let p = previous; p >= 0; p = parent[p]) end[p] = size;
  for (let i = size - 1; i > 0; --i) {
    total[parent[i]] += total[i];
    if (differential) totalBefore[parent[i]] += totalBefore[i];
    if (showsVanished) room[parent[i]] += room[i];
  }
  for (let i = 0; i < size; ++i) {
    const d = depth[i];
    if (i > 0) start[i] += edge[d];
    edge[d] = start[i] + room[i];
    edge[d + 1] = inputOrder ? start[i] : start[i] + selfRoom[i];
  }
  return tree;
}
