// SPDX-License-Identifier: MIT
// The tree in the view that the reader chose: merged from the root or from the leaves, with frames
// hidden, layers folded away, reasons below instructions, or all instances of a function merged. A
// profile has millions of nodes and a screen shows thousands, so nodes are made when they become
// visible. A node knows the nodes of the data that it stands for (its entries), and expand() merges
// its children from theirs.
//
//   options: {leaf, width, focus (a name's number or -1), hidden (a set of those), folded (a set of
//   layers), swap, filter (null, or by name which frames the stacks must have: not 0), runs (fold them),
//   isMerged (as with any of these, though none is set), half (a name's number: only what it calls, or
//   with `leaf` its callers; sandwich.js)}
//   node: {name (its number; kRest), total, before, self, selfBefore, room, selfRoom, start, depth,
//   parent, children, least, row, thin}. `room` is how many counts wide it is drawn, `start` the sum of
//   the rooms to its left; `children` are those with a room of at least `least`; `self` and `selfRoom`
//   are known after expand(); `row` and `thin` (thin_frames.js) are of the last drawing.
function makeViewTree(data, layers, options) {
  "use strict";
  const {leaf, width, focus, hidden, folded, swap, filter, half = -1} = options;
  const skipped = new Uint8Array(data.names.length);  // by name
  for (const one of hidden) skipped[one] = 1;
  if (folded.size > 0)
    for (let i = 1; i < data.names.length; ++i) if (folded.has(layers.layer[i])) skipped[i] = 1;
  const tree = filter ? filterTree(data, filter, skipped) : data;
  const runs = options.runs ? findRuns(tree) : null;
  const {names, name, parent, end, self, total, start, selfBefore, totalBefore} = tree;
  const {rest, restCount, restBefore, restRoom, restFrames, differential, room, selfRoom} = tree;
  const zero = tree.big ? 0n : 0;
  const kRest = -2, kSpliced = -2;
  const plain = !leaf && !width && focus < 0 && hidden.size === 0 && folded.size === 0 && !swap &&
      !filter && !runs && half < 0 && !options.isMerged;

  const isDropped = (i) => filter && tree.dropped[i] !== 0;

  function newNode(which, above) {
    return {name: which, parent: above, depth: above ? above.depth + 1 : 0, start: zero,
            total: zero, before: zero, self: zero, selfBefore: zero, room: zero, selfRoom: zero,
            frames: 0, run: 0, areCallers: false, row: 0, callers: above !== null && above.callers,
            // entries: forwards, the node whose descendants come next; backwards, the next
            // candidate
            at: [], owed: [], leaves: [], children: null, least: Infinity, gaps: null, thin: null};
  }

  // ---- as in the file ---------------------------------------------------------------------------
  function plainNode(i, above) {
    const node = newNode(name[i], above);
    node.at.push(i);
    node.owed.push(-1);
    node.start = start[i];
    node.total = total[i];
    node.self = self[i];
    node.room = room[i];
    node.selfRoom = selfRoom[i];
    if (differential) {
      node.before = totalBefore[i];
      node.selfBefore = selfBefore[i];
    }
    return node;
  }

  function restNode(above, count, before, wide, frames) {
    const node = newNode(kRest, above);
    node.total = node.self = count;
    node.before = node.selfBefore = before;
    node.room = node.selfRoom = wide;
    node.frames = frames;
    node.children = [];
    node.least = 0;
    return node;
  }

  function expandPlain(node, least) {
    const known = new Map((node.children || []).map((child) => [child.at[0], child]));
    const [i] = node.at;
    const children = [];
    // Children that were left out lay in the gaps between the others, and are drawn there. (In a
    // flame chart the frame's own counts lie there too, and nothing distinguishes the two: the
    // first gaps are taken.)
    const gaps = [];
    let edge = tree.inputOrder ? node.start : node.start + selfRoom[i];
    let left = rest[i] >= 0 ? restRoom[rest[i]] : zero;
    function gap(to) {
      if (left === zero || to <= edge) return;
      const count = to - edge < left ? to - edge : left;
      gaps.push({start: edge, total: count});
      left -= count;
    }
    for (let c = i + 1; c < end[i]; c = end[c]) {
      if (Number(room[c]) >= least) children.push(known.get(c) || plainNode(c, node));
      gap(start[c]);
      edge = start[c] + room[c];
    }
    gap(node.start + node.room);
    const k = rest[i];
    if (k >= 0 && Number(restRoom[k]) >= least) {
      const one = restNode(node, restCount[k], differential ? restBefore[k] : zero, restRoom[k],
                           restFrames[k]);
      one.start = gaps.length > 0 ? gaps[0].start : node.start;
      one.gaps = gaps;
      children.push(one);
    }
    node.children = children;
    node.least = least;
  }

  // ---- merged -----------------------------------------------------------------------------------
  const layerOf = (i) => layers.layer[name[i]];
  // Whether `r` is on top of `m`, and one of them is an instruction, the other its reason.
  function isPair(m, r) {
    if (!swap || m <= 0 || skipped[name[m]] || skipped[name[r]]) return false;
    const a = layerOf(m), b = layerOf(r);
    return (a === layers.kInstruction && b === layers.kReason) ||
           (a === layers.kReason && b === layers.kInstruction);
  }

  class Groups {
    constructor(above) {
      this.above = above;
      this.nodes = new Map();
    }
    of(which) {
      let node = this.nodes.get(which);
      if (!node) this.nodes.set(which, node = newNode(which, this.above));
      return node;
    }
    // `own`: only its own counts, since its descendants are counted elsewhere
    forwards(which, at, owed, own) {
      const node = this.of(which);
      node.at.push(own ? ~at : at);
      node.owed.push(owed);
      node.total += own ? self[at] + restOf(at) : total[at];
      node.room += own ? selfRoom[at] + restRoomOf(at) : room[at];
      if (differential) node.before += own ? selfBefore[at] + restBeforeOf(at) : totalBefore[at];
      if (runs) node.run = Math.max(node.run, runs.lengthFrom(at));
    }
    backwards(which, at, owed, leaf, run) {
      const node = this.of(which);
      if (run > node.run) node.run = run;
      node.at.push(at);
      node.owed.push(owed);
      node.leaves.push(leaf);
      node.total += weight(leaf);
      node.room += leafRoom(leaf);
      if (differential) node.before += weightBefore(leaf);
    }
    // The nodes side by side, by name or by width.
    sorted(first) {
      const children = Array.from(this.nodes.values());
      const text = (node) => (node.name < 0 ? "\uffff" : names[node.name]);
      const byName = (a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
      children.sort(width ? (a, b) => (a.room < b.room ? 1 : a.room > b.room ? -1 : byName(a, b))
                          : byName);
      let left = first;
      for (const child of children) {
        child.start = left;
        left += child.room;
      }
      return children;
    }
  }
  const restOf = (i) => (rest[i] < 0 ? zero : restCount[rest[i]]);
  const restRoomOf = (i) => (rest[i] < 0 ? zero : restRoom[rest[i]]);
  const restBeforeOf = (i) => (rest[i] < 0 ? zero : restBefore[rest[i]]);
  // A leaf is a node, or ~node for the children of that node that were left out, or tree.size + k for
  // leaf k of unknown callers.
  // Of a name's callers, the leaves are its outermost frames, and weigh what all on top of them does.
  const missing = half >= 0 ? countsLeftOut(tree, half, Boolean(filter || tree.dropped)) : null;
  let unknown = leaf && focus < 0 && half < 0 && !swap ? leavesLeftOut(tree, skipped, kRest) : null;
  const [own, ownRoom, ownBefore] = half < 0 ? [self, selfRoom, selfBefore] : [total, room, totalBefore];
  const isUnknown = (one) => one >= tree.size;
  const weight = (one) => (isUnknown(one) ? unknown.self[one - tree.size]
                                          : one >= 0 ? own[one] : restOf(~one));
  const leafRoom = (one) => (isUnknown(one) ? unknown.room[one - tree.size]
                                            : one >= 0 ? ownRoom[one] : restRoomOf(~one));
  const weightBefore = (one) => (isUnknown(one) ? unknown.before[one - tree.size]
                                                : one >= 0 ? ownBefore[one] : restBeforeOf(~one));

  function expandForwards(node) {
    const groups = new Groups(node);
    let restTotal = zero, restTotalBefore = zero, restTotalRoom = zero, restNumber = 0;
    node.self = zero;
    node.selfRoom = zero;
    node.selfBefore = zero;
    // adds a node's own counts, and those of its children that were left out
    function addOwn(i) {
      node.self += self[i];
      node.selfRoom += selfRoom[i];
      if (differential) node.selfBefore += selfBefore[i];
      if (rest[i] < 0) return;
      restTotal += restCount[rest[i]];
      restTotalRoom += restRoom[rest[i]];
      if (differential) restTotalBefore += restBefore[rest[i]];
      restNumber += restFrames[rest[i]];
    }
    for (let k = 0; k < node.at.length; ++k) {
      const at = node.at[k];
      if (at < 0) {
        addOwn(~at);
        continue;
      }
      if (node.owed[k] >= 0) {
        groups.forwards(name[node.owed[k]], at, -1);
        continue;
      }
      const last = end[at];
      const spliced = node.owed[k] === kSpliced;  // `at` itself is on top of this node
      if (!spliced) addOwn(at);
      for (let c = spliced ? at : at + 1; c < last;) {
        if (isDropped(c)) {
          c = end[c];
          continue;
        }
        if (skipped[name[c]] || (runs && runs.isInside(c))) {
          addOwn(c);
          ++c;  // and into it
          continue;
        }
        if (swap && !layers.isCpu(layerOf(c)) && hasPair(c)) {
          if (self[c] || rest[c] >= 0 || (differential && selfBefore[c]))
            groups.forwards(name[c], c, -1, true);
          for (let r = c + 1; r < end[c]; r = end[r]) {
            if (isDropped(r)) continue;
            if (isPair(c, r)) groups.forwards(name[r], r, c);
            else splice(groups, name[c], r);
          }
        } else {
          groups.forwards(name[c], c, -1);
        }
        c = end[c];
      }
    }
    if (missing && node === root) {
      restTotal += missing.total;
      restTotalBefore += missing.before;
      restTotalRoom += missing.room;
    }
    node.children = groups.sorted(node.start + node.selfRoom);
    if (restTotal || restTotalBefore) {
      const one = restNode(node, restTotal, restTotalBefore, restTotalRoom, restNumber);
      one.start = node.start + node.room - restTotalRoom;
      node.children.push(one);
    }
    node.least = 0;
  }
  function hasPair(c) {
    for (let r = c + 1; r < end[c]; r = end[r]) if (isPair(c, r) && !isDropped(r)) return true;
    return false;
  }
  // `r` is a child of the frame called `which`, and that frame is drawn on top of its other
  // children. So `r` goes into a group of that name, as its child.
  function splice(groups, which, r) {
    const node = groups.of(which);
    node.at.push(r);
    node.owed.push(kSpliced);
    node.total += total[r];
    node.room += room[r];
    if (differential) node.before += totalBefore[r];
  }

  // ---- from the leaves --------------------------------------------------------------------------
  let instances = null;  // of the function in focus: 1 for the outermost nodes of that name
  function findInstances(wanted) {
    if (instances) return;
    instances = new Uint8Array(tree.size);
    for (let i = 1; i < tree.size;) {
      if (name[i] !== wanted) {
        ++i;
        continue;
      }
      instances[i] = 1;
      i = end[i];
    }
  }
  const isStop = (i) => focus >= 0 && instances[i] === 1;

  // Puts an entry into the group of the next frame, searching from the candidate `i` towards the
  // root.
  function goOn(groups, i, owed, one) {
    if (owed >= 0) {
      groups.backwards(name[owed], i, -1, one);
      return true;
    }
    let run = 0;
    while (i > 0) {
      const below = isStop(i) ? -1 : parent[i];
      if (runs && below > 0 && runs.isInside(i)) {
        run = Math.max(run, runs.heightOf(i));
      } else if (!skipped[name[i]]) {
        if (below > 0 && !isStop(below) && isPair(below, i))
          groups.backwards(name[below], parent[below], i, one);
        else
          groups.backwards(name[i], below, -1, one, run);
        return true;
      }
      i = below;
    }
    return false;
  }

  function expandBackwards(node) {
    const groups = new Groups(node);
    node.self = zero;
    node.selfBefore = zero;
    node.selfRoom = zero;
    for (let k = 0; k < node.at.length; ++k) {
      const one = node.leaves[k];
      if (isUnknown(one) && node.name !== kRest) {
        groups.backwards(kRest, -1, -1, one);
        groups.of(kRest).areCallers = true;
        continue;
      }
      if (goOn(groups, node.at[k], node.owed[k], one)) continue;
      node.self += weight(one);
      node.selfRoom += leafRoom(one);
      if (differential) node.selfBefore += weightBefore(one);
    }
    node.children = groups.sorted(node.start + node.selfRoom);
    node.least = 0;
  }

  // ---- the root ---------------------------------------------------------------------------------
  function addLeaves(groups, root, first, last) {
    for (let i = first; i < last; ++i) {
      if (self[i] || (differential && selfBefore[i])) {
        if (!goOn(groups, i, -1, i)) {
          root.self += self[i];
          root.selfRoom += selfRoom[i];
          if (differential) root.selfBefore += selfBefore[i];
        }
      }
      if (rest[i] >= 0 && !unknown) {
        groups.backwards(kRest, i, -1, ~i);
        groups.of(kRest).frames += restFrames[rest[i]];
      }
    }
    if (unknown) unknown.name.forEach((which, k) => groups.backwards(which, -1, -1, tree.size + k));
  }

  // The name itself, with its outermost frames: recursion is counted once.
  function makeHalf() {
    findInstances(half);
    const node = newNode(half, null);
    node.callers = leaf;
    for (let i = 1; i < tree.size; ++i) {
      if (!instances[i] || (tree.dropped && tree.dropped[i])) continue;
      node.at.push(leaf ? parent[i] : i);
      node.owed.push(-1);
      if (leaf) node.leaves.push(i);
      node.total += total[i];
      node.room += room[i];
      if (differential) node.before += totalBefore[i];
      i = end[i] - 1;
    }
    missing.complete(node);
    unknown = missing.leaves;
    if (leaf && missing.room) {
      node.at.push(-1);
      node.owed.push(-1);
      node.leaves.push(tree.size);
    }
    return node;
  }

  function makeRoot() {
    if (plain) return plainNode(0, null);
    if (half >= 0) return makeHalf();
    const node = newNode(0, null);
    if (focus < 0) {
      node.total = total[0];
      node.room = room[0];
      if (differential) node.before = totalBefore[0];
      if (!leaf) {
        node.at.push(0);
        node.owed.push(-1);
        return node;
      }
      const groups = new Groups(node);
      addLeaves(groups, node, 0, tree.size);
      node.children = groups.sorted(node.selfRoom);
      node.least = 0;
      return node;
    }
    findInstances(focus);
    const groups = new Groups(node);
    for (let i = 1; i < tree.size; ++i) {
      if (!instances[i]) continue;
      node.total += total[i];
      node.room += room[i];
      if (differential) node.before += totalBefore[i];
      if (leaf) addLeaves(groups, node, i, end[i]);
      else groups.forwards(focus, i, -1);
      i = end[i] - 1;
    }
    node.children = groups.sorted(node.selfRoom);
    node.least = 0;
    return node;
  }
  const root = makeRoot();

  // The children whose room is at least `least`.
  function expand(node, least) {
    if (node.least > least) {
      if (plain) expandPlain(node, least);
      else if (leaf) expandBackwards(node);
      else expandForwards(node);
    }
    return node.children;
  }

  // The view node for node `i` of the data, made with its ancestors. Only when the tree is plain.
  function nodeOf(i) {
    const path = [];
    for (let p = i; p > 0; p = parent[p]) path.push(p);
    let node = root;
    while (path.length > 0) {
      const next = path.pop();
      node = (node.children || []).find((child) => child.at[0] === next) || plainNode(next, node);
    }
    return node;
  }

  // The data that `node` stands for: ranges [first, end) of nodes, with a count where it differs
  // from that of all nodes in the range.
  function ranges(node) {
    if (node === root) {
      if (focus < 0 && half < 0) return [[0, tree.size]];
      const all = [];
      for (let i = 1; i < tree.size; i = instances[i] ? end[i] : i + 1)
        if (instances[i]) all.push([i, end[i]]);
      return all;
    }
    const known = node.leaves.filter((one) => !isUnknown(one));
    if (leaf && half >= 0) return known.map((one) => [one, end[one]]);
    if (leaf) return known.map((one) => [Math.max(one, ~one), Math.max(one, ~one) + 1, weight(one)]);
    return node.at.map((at) => (at >= 0 ? [at, end[at]] : [~at, ~at + 1]));
  }

  // `tree` has the counts that are shown.
  return {tree, root, plain, kRest, kSpliced, expand, nodeOf, ranges, weight, weightBefore, isStop, skipped,
          isBackwards: () => leaf, missing, options};
}
