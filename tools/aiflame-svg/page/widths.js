// SPDX-License-Identifier: MIT
// The tree of a differential with other widths: by the counts of one side, or by the greater of
// both. A node is as wide as its own part and its children together, so with "both" it has room for
// everything that either side has.
function makeWidths(tree) {
  "use strict";
  const zero = tree.big ? 0n : 0;
  const most = (a, b) => (a > b ? a : b);
  const known = new Map([[tree.showsVanished ? "both" : "second", tree]]);

  // The frames that were left out of the file count as one leaf.
  function both() {
    const {size, parent, rest, self, selfBefore} = tree;
    const restRoom = tree.restCount.map((count, k) => most(count, tree.restBefore[k]));
    // Sums of both sides may need more than the 64 bits of an element of `self`.
    const copy = () => (tree.big ? Array.from(self) : self.slice());
    const selfRoom = copy(), room = copy();
    for (let i = 0; i < size; ++i) {
      selfRoom[i] = room[i] = most(self[i], selfBefore[i]);
      if (rest[i] >= 0) room[i] += restRoom[rest[i]];
    }
    for (let i = size - 1; i > 0; --i) room[parent[i]] += room[i];
    return {selfRoom, room, restRoom};
  }

  // Children side by side, to the right of their parent's own part. What was left out comes last.
  function starts({selfRoom, room}) {
    const {size, depth} = tree;
    const start = room.slice();
    const edge = [zero];  // by depth: right of the last node placed
    for (let i = 0; i < size; ++i) {
      const d = depth[i];
      start[i] = edge[d];
      edge[d] = start[i] + room[i];
      edge[d + 1] = start[i] + selfRoom[i];
    }
    return start;
  }

  // `which`: "first", "second" (of the two counts of a line) or "both"
  return function treeOf(which) {
    if (!known.has(which)) {
      const one = which === "both" ? both() : which === "first"
          ? {selfRoom: tree.selfBefore, room: tree.totalBefore, restRoom: tree.restBefore}
          : {selfRoom: tree.self, room: tree.total, restRoom: tree.restCount};
      known.set(which, {...tree, ...one, start: starts(one), showsVanished: which === "both",
                        widths: which});
    }
    return known.get(which);
  };
}
