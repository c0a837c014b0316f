// SPDX-License-Identifier: MIT
// The leaves that were left out of the file. Their callers are unknown, but the file says what most
// names count in the whole tree (tree_data.h), so what a name counts in nodes that were left out is
// known: what its nodes in the file lack. The last leaf, of the name `rest`, is all that remains.
// Returns {name, self, before, room}, arrays by leaf; or null when the file does not say enough.
// Names that are `skipped` pass their counts to their callers, so they remain.
function leavesLeftOut(tree, skipped, rest) {
  "use strict";
  const {exact, name, self, selfBefore, selfRoom, differential, size, names} = tree;
  // the greater of both counts is only in the file if the file's own picture needs it
  const isOfSide = selfRoom === self || selfRoom === selfBefore;
  if (!exact || tree.dropped || (!isOfSide && exact.selfRoom === exact.self)) return null;
  const zero = tree.big ? 0n : 0;
  const counts = () => (tree.big ? new BigUint64Array(names.length) : new Float64Array(names.length));
  const inFile = {self: counts(), before: counts(), room: counts()};
  for (let i = 0; i < size; ++i) {
    inFile.self[name[i]] += self[i];
    if (differential) inFile.before[name[i]] += selfBefore[i];
    if (!isOfSide) inFile.room[name[i]] += selfRoom[i];
  }

  const sum = (list) => list.reduce((all, one) => all + one, zero);
  const left = {self: sum(tree.restCount), before: sum(tree.restBefore), room: sum(tree.restRoom)};
  const leaves = {name: [], self: [], before: [], room: []};
  function add(which, own, before, room) {
    if (!own && !before) return;
    leaves.name.push(which);
    leaves.self.push(own);
    leaves.before.push(before);
    leaves.room.push(room);
    left.self -= own;
    left.before -= before;
    left.room -= room;
  }
  for (let i = 1; i < names.length; ++i) {
    if (!exact.known[i] || skipped[i]) continue;
    const own = exact.self[i] - inFile.self[i];
    const before = differential ? exact.selfBefore[i] - inFile.before[i] : zero;
    add(i, own, before, !isOfSide ? exact.selfRoom[i] - inFile.room[i] : selfRoom === self ? own : before);
  }
  add(rest, left.self, left.before, left.room);
  return leaves;
}
