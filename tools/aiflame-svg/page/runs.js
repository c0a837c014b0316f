// SPDX-License-Identifier: MIT
// Runs: three or more frames of one name on top of each other, of a function that calls itself.
function findRuns(tree) {
  "use strict";
  const kLeast = 3;
  const {name, parent, size} = tree;
  const isDropped = (i) => Boolean(tree.dropped && tree.dropped[i]);  // by a filter
  // how many frames of its name a frame has from the lowest of the run up to it, and from it up
  const below = new Uint32Array(size).fill(1), above = new Uint32Array(size).fill(1);
  for (let i = 1; i < size; ++i)
    if (name[i] === name[parent[i]] && !isDropped(i)) below[i] = below[parent[i]] + 1;
  for (let i = size - 1; i > 0; --i)
    if (below[i] > 1) above[parent[i]] = Math.max(above[parent[i]], above[i] + 1);
  const isRun = (i) => below[i] + above[i] > kLeast;  // the frame itself is in both
  return {
    // Whether a frame is drawn as a part of the lowest of its run.
    isInside: (i) => below[i] > 1 && isRun(i),
    // The length of the longest run from its lowest frame, or the height of a frame in its run; 0
    // when there is none.
    lengthFrom: (i) => (below[i] === 1 && isRun(i) ? above[i] : 0),
    heightOf: (i) => (isRun(i) ? below[i] : 0),
  };
}
