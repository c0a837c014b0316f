// SPDX-License-Identifier: MIT
// Sums of the frames in a view, for the table. A tree may have millions of nodes, so each is a
// generator that yields now and then: the page stays responsive, and what is out of date is left off.
const kNodesAtATime = 1 << 17;

// Sums the own counts of ranges of nodes (ranges() of view_tree.js) by kernel, reason, instruction,
// by the innermost operator and module, and by the cause of idle time. `left` counts what was left out of
// the file. Returns a list of {name, count} for each, the largest first; name -1 means none. Those of kernels have `reasons`, the same
// list of what is theirs. Work and waiting are not mixed: what stands
// on idle time is of no operator or module, unless the range is a part of it.
function* sumLayers(tree, layers, ranges, left) {
  "use strict";
  const {name, names, parent, end, self, rest, restCount, big} = tree;
  const {layer, kSource, kInstruction, kReason, kOperator, kModule, kIdle} = layers;
  const none = {idle: -1, kernel: -1, reason: -1, instruction: -1, operator: -1, module: -1};
  const sums = {};
  for (const kind in none) sums[kind] = new Map(left ? [[-1, left]] : []);
  const zero = big ? 0n : 0;
  const isCode = names.map(
      (text, i) => layer[i] === kSource && !isSourceFile(text) && !isSourceLine(text) && !isLoop(text));
  // What a node counts for, from what its parent does. The kernel is the first code of the device.
  function calledAt(node, below, isPartOfIdle) {
    const kind = layer[name[node]];
    // [gpu idle], then its cause; what stands on the cause is a stack
    if (kind === kIdle) {
      const isCause = below.idle < 0 || names[below.idle] === "[gpu idle]";
      return isCause ? {...none, idle: name[node]} : below;
    }
    if (below.idle >= 0 && !isPartOfIdle) return below;
    if (kind === kSource) {
      if (isCode[name[node]] && below.kernel < 0) return {...below, kernel: name[node]};
    } else if (kind === kReason) {
      return {...below, reason: name[node]};
    } else if (kind === kInstruction) {
      return {...below, instruction: name[node]};
    } else if (kind === kOperator) {
      return {...below, operator: name[node]};
    } else if (kind === kModule) {
      return {...below, module: name[node]};
    }
    return below;
  }
  const reasonsOf = new Map();  // by kernel
  function addReason(kernel, reason, own) {
    if (reason < 0) return;
    if (!reasonsOf.has(kernel)) reasonsOf.set(kernel, new Map());
    const reasons = reasonsOf.get(kernel);
    reasons.set(reason, (reasons.get(reason) || zero) + own);
  }
  let next = kNodesAtATime;
  for (const [first, last, count] of ranges) {
    const path = [];
    for (let p = first > 0 ? parent[first] : -1; p > 0; p = parent[p]) path.push(p);
    const isPartOfIdle = [first, ...path].some((one) => one > 0 && layer[name[one]] === kIdle);
    let called = none;
    while (path.length > 0) called = calledAt(path.pop(), called, isPartOfIdle);
    const below = [called], ends = [last];
    for (let i = first; i < last; ++i) {
      while (ends[ends.length - 1] <= i) {
        ends.pop();
        below.pop();
      }
      const here = calledAt(i, below[below.length - 1], isPartOfIdle);
      const own = count !== undefined ? count :
                  rest[i] < 0 ? self[i] : self[i] + restCount[rest[i]];
      if (own) {
        for (const kind in sums)
          sums[kind].set(here[kind], (sums[kind].get(here[kind]) || zero) + own);
        addReason(here.kernel, here.reason, own);
      }
      if (end[i] > i + 1) {
        ends.push(end[i]);
        below.push(here);
      }
      if (--next === 0) {
        next = kNodesAtATime;
        yield;
      }
    }
  }
  const sorted = (map) => Array.from(map, ([which, count]) => ({name: which, count}))
      .sort((a, b) => Number(b.count - a.count) || a.name - b.name);
  const lists = Object.fromEntries(Object.entries(sums).map(([kind, map]) => [kind, sorted(map)]));
  for (const one of lists.kernel) one.reasons = sorted(reasonsOf.get(one.name) || new Map());
  return lists;
}

// Sums the frames in and on top of a view's node by name. Returns {self, total, selfBefore,
// totalBefore: arrays by name, the latter two null but in a differential; left: {self, selfBefore} of
// frames whose names were left out of the file; callers: the counts whose callers were}. A function
// that calls itself is in the total once. Own counts of frames that are hidden are those of the frame
// below them. From the leaves, the stacks end at the node: the counts are its own.
function* sumFunctions(tree, view, node) {
  "use strict";
  const {name, parent, depth, end, rest, differential, size, names} = tree;
  const counts = (length) => (tree.big ? new BigUint64Array(length) : new Float64Array(length));
  const zero = tree.big ? 0n : 0;
  const {skipped} = view;
  const isPart = node !== view.root, fromLeaves = view.isBackwards(node) && isPart;
  const sums = {left: {self: zero, selfBefore: zero}, callers: zero, selfBefore: null, totalBefore: null};
  // A reason that stands before its instruction has the data's node of the reason, and so has the
  // instruction on top of it.
  const isTurned = (at, k) => node.owed[k] === -1 && at > 0 && name[at] !== node.name;
  const turned = new Set(isPart && !fromLeaves && !view.aligned ? node.at.filter(isTurned) : []);

  // The sums of one side: `own` and `all` are the counts of nodes, `others` of those left out.
  // Nodes are in pre-order, so a node lies within another of its name just when it comes before the
  // end of the outermost.
  function* sumSide(ranges, own, all, others) {
    const self = counts(names.length), total = counts(names.length);
    const covered = new Int32Array(names.length), nameAt = [];
    let left = zero, next = kNodesAtATime;
    const shownAt = (i) => {
      while (i > 0 && skipped[name[i]]) i = parent[i];
      return i > 0 ? name[i] : 0;
    };
    for (const [first, last] of ranges) {
      if (first > 0) nameAt[depth[first] - 1] = shownAt(parent[first]);
      for (let i = first; i < last; ++i) {
        const which = turned.size > 0 && turned.has(i) ? node.name : name[i], d = depth[i];
        const more = rest[i] < 0 ? zero : others[rest[i]];
        if (i === 0 || skipped[which]) {
          nameAt[d] = i === 0 ? 0 : nameAt[d - 1];
        } else {
          nameAt[d] = which;
          if (i >= covered[which]) {
            covered[which] = end[i];
            total[which] += end[i] <= last ? all[i] : own[i] + more;
          }
        }
        self[nameAt[d]] += own[i];
        left += more;
        if (--next === 0) {
          next = kNodesAtATime;
          yield;
        }
      }
    }
    return {self, total, left};
  }

  // The instructions on top of the reasons that the node stands for: in the data they are below.
  function addPairs(sum, all) {
    node.at.forEach((at, k) => {
      if (node.owed[k] >= 0) sum.total[name[node.owed[k]]] += all[at];
    });
  }

  // The callers of a node of a tree merged from leaves: of each of its stacks, those from the frame
  // that comes next on.
  function* sumCallers(weight) {
    const all = counts(size), none = counts(size), others = tree.restCount.map(() => zero);
    const pairs = counts(names.length);
    let unknown = zero;
    node.leaves.forEach((leaf, k) => {
      const at = node.at[k], owed = node.owed[k], count = weight(leaf);
      if (at > 0) all[at] += count;
      if (owed >= 0) pairs[name[owed]] += count;
      if (leaf >= size) unknown += count;  // past the nodes: it is all that is known of the stack
    });
    yield;
    for (let i = size - 1; i > 0; --i) if (!view.isStop(i)) all[parent[i]] += all[i];
    yield;
    const sum = yield* sumSide([[0, size]], none, all, others);
    pairs.forEach((count, which) => { sum.total[which] += count; });
    return {...sum, unknown};
  }

  function* sumPart(own, all, others, weight, whole) {
    const sum = fromLeaves ? yield* sumCallers(weight)
        : yield* sumSide(view.ranges(node).sort((a, b) => a[0] - b[0]), own, all, others);
    if (!isPart) return sum;
    if (fromLeaves) sum.self[node.name] = whole;
    else addPairs(sum, all);
    // a node of aligned layers may stand for several names, which its ranges have
    if (!view.aligned || node.level >= kLevels.code) sum.total[node.name] = whole;
    return sum;
  }

  const after = yield* sumPart(tree.self, tree.total, tree.restCount, view.weight, node.total);
  Object.assign(sums, {self: after.self, total: after.total});
  const missing = (!isPart && view.missing) || {total: zero, before: zero};
  sums.left.self = after.left + missing.total;
  if (fromLeaves) sums.callers = after.unknown;
  if (differential) {
    const before = yield* sumPart(tree.selfBefore, tree.totalBefore, tree.restBefore, view.weightBefore,
                                  node.before);
    Object.assign(sums, {selfBefore: before.self, totalBefore: before.total});
    sums.left.selfBefore = before.left + missing.before;
  }
  if (tree.exact && !tree.dropped && !isPart && view.options.focus < 0 && !skipped.includes(1))
    takeExact(sums, tree.exact);
  return sums;
}

// What the file says of names in the whole tree, in place of what its nodes say.
function takeExact(sums, exact) {
  "use strict";
  exact.known.forEach((isKnown, i) => {
    if (!isKnown) return;
    for (const side of ["self", "selfBefore"]) {
      if (!sums[side]) continue;
      sums.left[side] -= exact[side][i] - sums[side][i];
      sums[side][i] = exact[side][i];
    }
    for (const side of ["total", "totalBefore"]) if (sums[side]) sums[side][i] = exact[side][i];
  });
}
