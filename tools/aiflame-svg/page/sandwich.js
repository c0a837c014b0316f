// SPDX-License-Identifier: MIT
// A name between its callers and what it calls. Both halves begin at the outermost frames of the name,
// so recursion is counted once and both are as wide as the total that the table shows.

// What the whole tree counts for a name, but no frame of the file does: frames were left out. The file
// has exact totals of the names that count most (tree_data.h); of the others, the frames in the file
// are the least there can be.
function countsLeftOut(tree, which, isFiltered) {
  "use strict";
  const {exact, total, totalBefore, room, big, differential} = tree;
  const left = {total: big ? 0n : 0, before: big ? 0n : 0, room: big ? 0n : 0, leaves: null};
  const isComplete = tree.restCount.length === 0 && !tree.fromElements;
  const isKnown = !isFiltered && exact !== null && exact.known[which] === 1;
  // Adds to `node`, which has the counts of the frames in the file, what is missing there.
  left.complete = (node) => {
    node.isLeast = !isComplete && !isKnown;
    if (isComplete || !isKnown) return;
    left.total = exact.total[which] - node.total;
    if (differential) left.before = exact.totalBefore[which] - node.before;
    left.room = room === total ? left.total : room === totalBefore ? left.before
        : left.total > left.before ? left.total : left.before;
    node.total += left.total;
    node.before += left.before;
    node.room += left.room;
    left.leaves = {name: [which], self: [left.total], before: [left.before], room: [left.room]};
  };
  return left;
}

// The view of both halves, as one of makeViewTree(). Its root is the name; the children of the root are
// what it calls and its callers, which lie side by side twice. `callers` tells the nodes of a half.
function makeSandwich(data, layers, options, which) {
  "use strict";
  const callees = makeViewTree(data, layers, {...options, leaf: false, focus: -1, half: which});
  const callers = makeViewTree(callees.tree, layers,
                               {...options, leaf: true, focus: -1, filter: null, half: which});
  const {root} = callees;
  let isJoined = false;
  function join() {
    isJoined = true;
    const called = callees.expand(root, 0), calling = callers.expand(callers.root, 0);
    for (const node of calling) node.parent = root;
    root.children = [...called, ...calling];
    return root.children;
  }
  // Callers lie on the other side of the root.
  function placeRows(nodes) {
    const farthest = (half) => nodes.reduce((most, one) => (one.callers === half ? Math.max(most, one.depth) : most), 0);
    const base = farthest(true);
    for (const node of nodes) node.row = node.callers ? base - node.depth : base + node.depth;
    return base + farthest(false) + 1;
  }
  const halfOf = (node) => (node.callers ? callers : callees);
  return {
    ...callees, plain: false, isBackwards: (node) => node.callers, sandwich: true, placeRows,
    rowsOn: (children) => [false, true].map((half) => children.filter((one) => one.callers === half))
        .filter((row) => row.length > 0),
    expand: (node, least) => (node === root && !isJoined ? join() : halfOf(node).expand(node, least)),
    ranges: (node) => halfOf(node).ranges(node),
    weight: callers.weight, weightBefore: callers.weightBefore,
    options: {...options, leaf: false, focus: which, half: which},
  };
}
