// SPDX-License-Identifier: MIT
// The tree with only the stacks that have a frame of a wanted name: the same nodes, with the counts
// of these stacks. `dropped` is 1 for nodes without any of them. What was left out of the file on top
// of a frame belongs to the frame's stack, since nobody knows its names.
//
//   wanted: by name, not 0 for those; skipped: by name, 1 for frames that are hidden
function filterTree(tree, wanted, skipped) {
  "use strict";
  const {size, name, parent, rest, restRoom, restCount, restBefore, differential, showsVanished} = tree;
  const counts = () => (tree.big ? new BigUint64Array(size) : new Float64Array(size));
  const kept = new Uint8Array(size);  // a wanted frame, or on top of one
  const left = {
    ...tree, self: counts(), total: counts(), rest: Int32Array.from(rest),
    selfBefore: differential ? counts() : null, totalBefore: differential ? counts() : null,
    dropped: new Uint8Array(size).fill(1),
  };
  const byFirst = tree.widths === "first";
  left.selfRoom = showsVanished ? counts() : byFirst ? left.selfBefore : left.self;
  left.room = showsVanished ? counts() : byFirst ? left.totalBefore : left.total;
  for (let i = 0; i < size; ++i) {
    const which = name[i];
    if ((wanted[which] === 0 || skipped[which] !== 0) && (i === 0 || kept[parent[i]] === 0)) {
      left.rest[i] = -1;
      continue;
    }
    kept[i] = 1;
    const k = rest[i];
    left.self[i] = left.total[i] = tree.self[i];
    if (k >= 0) left.total[i] += restCount[k];
    if (differential) {
      left.selfBefore[i] = left.totalBefore[i] = tree.selfBefore[i];
      if (k >= 0) left.totalBefore[i] += restBefore[k];
    }
    if (showsVanished) {
      left.selfRoom[i] = left.room[i] = tree.selfRoom[i];
      if (k >= 0) left.room[i] += restRoom[k];
    }
  }
  for (let i = size - 1; i >= 0; --i) {
    if (kept[i] !== 0) left.dropped[i] = 0;
    if (i === 0) break;
    const p = parent[i];
    left.total[p] += left.total[i];
    if (differential) left.totalBefore[p] += left.totalBefore[i];
    if (showsVanished) left.room[p] += left.room[i];
    if (left.dropped[i] === 0) left.dropped[p] = 0;
  }
  return left;
}
