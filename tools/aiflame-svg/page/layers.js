// SPDX-License-Identifier: MIT
// Classifies frames: CPU, source and instructions of a device, stall reasons. The annotation of a
// name gives its layer (folded(5)). Reasons look like instructions; `isReason` tells which names the
// file says are reasons (colour/reason_names.h). A frame that says what an instruction waits for
// counts as an offset: it is a detail of the instruction below.
function nameLayers(tree, isReason) {
  "use strict";
  const kCpu = 0, kSource = 1, kInstruction = 2, kReason = 3, kOffset = 4, kBoundary = 5;
  const {names} = tree;
  const layer = new Uint8Array(names.length);
  for (let i = 0; i < names.length; ++i) {
    const text = names[i];
    if (text === "-") {
      layer[i] = kBoundary;
    } else if (text.endsWith("_[G]")) {
      layer[i] = kSource;
    } else if (text.endsWith("_[g]")) {
      const bare = text.slice(0, -4);
      if (/^0x[0-9a-f]+$/.test(bare) || bare.startsWith("waits for ")) layer[i] = kOffset;
      else layer[i] = isReason(bare) ? kReason : kInstruction;
    }
  }
  const device = layer.some((one) => one >= kSource && one <= kOffset);
  return {layer, device, kCpu, kSource, kInstruction, kReason, kOffset, kBoundary};
}

// Sums the own counts of ranges of nodes (ranges() of view_tree.js) by kernel, reason and
// instruction. Returns three lists of {name, count}, the largest first; name -1 means none.
function sumLayers(tree, layers, ranges) {
  "use strict";
  const {name, parent, end, self, rest, restCount, big} = tree;
  const {layer, kSource, kInstruction, kReason} = layers;
  const sums = {kernel: new Map(), reason: new Map(), instruction: new Map()};
  const zero = big ? 0n : 0;
  const isSource = (node) => node > 0 && layer[name[node]] === kSource;
  // The kernel, reason and instruction of a node, from those of its parent. The kernel is the
  // second source frame, after its file, or the only one.
  function calledAt(node, below) {
    const kind = layer[name[node]];
    if (kind === kSource) {
      const p = parent[node];
      if (!isSource(p) || !isSource(parent[p])) return {...below, kernel: name[node]};
    } else if (kind === kReason) {
      return {...below, reason: name[node]};
    } else if (kind === kInstruction) {
      return {...below, instruction: name[node]};
    }
    return below;
  }
  const none = {kernel: -1, reason: -1, instruction: -1};
  for (const [first, last, count] of ranges) {
    const path = [];
    for (let p = first > 0 ? parent[first] : -1; p > 0; p = parent[p]) path.push(p);
    let called = none;
    while (path.length > 0) called = calledAt(path.pop(), called);
    const below = [called], ends = [last];
    for (let i = first; i < last; ++i) {
      while (ends[ends.length - 1] <= i) {
        ends.pop();
        below.pop();
      }
      const here = calledAt(i, below[below.length - 1]);
      const own = count !== undefined ? count :
                  rest[i] < 0 ? self[i] : self[i] + restCount[rest[i]];
      if (own) {
        for (const kind in sums)
          sums[kind].set(here[kind], (sums[kind].get(here[kind]) || zero) + own);
      }
      if (end[i] > i + 1) {
        ends.push(end[i]);
        below.push(here);
      }
    }
  }
  const sorted = (map) => Array.from(map, ([which, count]) => ({name: which, count}))
      .sort((a, b) => Number(b.count - a.count) || a.name - b.name);
  return {kernel: sorted(sums.kernel), reason: sorted(sums.reason),
          instruction: sorted(sums.instruction)};
}
