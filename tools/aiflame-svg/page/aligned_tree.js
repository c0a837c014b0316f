// SPDX-License-Identifier: MIT
// The tree of a device's profile in layers that line up. Kernels are one row; above it, what they wait
// for is another, by kind of reason. Where one kernel is nearly all of what is looked at, its
// instructions and their offsets have rows, too. Towers of the CPU keep their heights: a kernel stands
// on the frame that launched it, with air between the two where other towers are higher. A chain of
// frames is one node. In a chain, each frame is the only one on the frame below, and all are idle time
// or none.
//
// It is made of a tree of makeViewTree(), which hides, folds, filters and focuses, and has the same
// form. Its nodes have, in addition:
//
//   level    kLevels.cpu, .kernel, .why, .code, .offset
//   forms    the label, and shorter ones; or null: the name says it
//   names    of all frames that the node stands for; or null: `name` alone
//   steps    the way to it from its parent, as permalink.js has it
//   kind     what it is, in a word or two; or "": as a frame of its name
//   reasons  of level `why`: the kind of reason
//   tip      a node of the data: the uppermost of those that it stands for
const kLevels = {cpu: 0, kernel: 1, why: 2, code: 3, offset: 4};
const kShortKinds = {memory: "memory", dependency: "result", sync: "others", fetch: "fetch", "pipe busy": "pipe",
                     issuing: "work", other: "other", [kHidden]: "ready"};
const kNoKernel = -3, kFirstKind = -10;  // names of nodes: without one, kinds of reasons downwards

function makeAlignedTree(data, layers, why, options) {
  "use strict";
  const kNearlyAll = 0.97;  // of the lowest frame of a chain: less is worth a row
  const {layer, kSource, kInstruction, kReason, kOffset, kIdle} = layers;
  const base = makeViewTree(data, layers, {...options, isMerged: true});
  const {tree, skipped, kRest} = base, {names, name, parent, end, rest, self, selfRoom, selfBefore} = tree;
  const zero = tree.big ? 0n : 0;
  const kinds = Object.keys(kReasonKinds);
  const isCode = (text) => !isSourceFile(text) && !isSourceLine(text) && !isLoop(text);
  const isOfDevice = (which) => which > 0 && (layer[which] === kSource || layer[which] === kInstruction ||
                                              layer[which] === kReason || layer[which] === kOffset);
  // Idle time is none of the frames that stand on it.
  const isOfIdle = (node) => node.name > 0 && layer[node.name] === kIdle;
  // The boundary belongs to what is on it.
  const isDevice = (node) => isOfDevice(node.name) || (node.name > 0 && names[node.name] === "-" &&
      base.expand(node, 0).every((child) => isOfDevice(child.name) || child.name === kRest));

  function newNode(which, above, level) {
    return {name: which, parent: above, depth: above ? above.depth + 1 : 0, level, start: zero,
            total: zero, before: zero, self: zero, selfBefore: zero, room: zero, selfRoom: zero,
            frames: 0, run: 0, areCallers: false, callers: false, row: 0, at: [], owed: [], leaves: [],
            children: null, least: Infinity, gaps: null, forms: null, names: null, steps: [which], kind: "",
            reasons: "", tip: -1, parts: [], spans: null};
  }
  function add(node, total, before, room) {
    node.total += total;
    node.before += before;
    node.room += room;
  }

  // ---- the CPU ----------------------------------------------------------------------------------
  // A frame, with those on it that say nothing of their own.
  function cpuNode(low, above) {
    const chain = [low];
    for (let top = low; top.name !== kRest;) {
      const children = base.expand(top, 0);
      if (children.length !== 1 || children[0].name === kRest || isDevice(children[0]) ||
          isOfIdle(children[0]) !== isOfIdle(top) ||
          Number(children[0].room) < kNearlyAll * Number(low.room)) break;
      [top] = children;
      chain.push(top);
    }
    const top = chain[chain.length - 1], node = newNode(top.name, above, kLevels.cpu);
    add(node, low.total, low.before, low.room);
    Object.assign(node, {at: low.at, owed: low.owed, frames: low.frames, run: low.run, counted: low.counted,
                         tip: top.at.length > 0 ? Math.max(top.at[0], ~top.at[0]) : -1, parts: chain});
    if (chain.length === 1) return node;
    const text = (one) => (one.name === 0 ? "all" : withoutAnnotation(names[one.name]));
    const begin = chain.length + " frames: ", last = text(top);
    node.forms = [begin + text(low) + " \u2026 " + last, begin + "\u2026 " + last,
                  ...shortForms(last).map((form) => "\u2026 " + form), shortForms(last).pop()];
    node.run = 0;
    node.names = node.steps = chain.map((one) => one.name).filter((one) => one > 0);
    node.kind = "Frames";
    if (!above) node.name = 0;
    return node;
  }

  // Calls found(name, part, isOwn) for all on a frame of the device: what belongs to a kernel, the lowest
  // code, and what has none.
  function findKernels(part, found) {
    if (part.name === kRest) return found(kRest, part, false);
    if (layer[part.name] === kSource ? isCode(names[part.name]) : names[part.name] !== "-")
      return found(layer[part.name] === kSource ? part.name : kNoKernel, part, false);
    const children = base.expand(part, 0);
    if (part.self || part.selfBefore) found(kNoKernel, part, true);
    for (const child of children) findKernels(child, found);
    return undefined;
  }
  function kernelsOn(above, parts) {
    const kernels = new Map(), widest = new Map();
    for (const part of parts)
      findKernels(part, (which, one, isOwn) => {
        let node = kernels.get(which);
        if (!node) {
          kernels.set(which, node = newNode(which, above, kLevels.kernel));
          if (which === kNoKernel) [node.forms, node.names] = [["(no kernel)"], []];
        }
        if (isOwn) add(node, one.self, one.selfBefore, one.selfRoom);
        else add(node, one.total, one.before, one.room);
        if (one.at.length > 0 && (node.tip < 0 || one.room > widest.get(node))) {
          node.tip = Math.max(one.at[0], ~one.at[0]);
          widest.set(node, one.room);
        }
        node.frames += one.frames;
        node.parts.push({part: one, isOwn});
        for (const at of one.at) node.at.push(at);
        node.owed.push(...one.at.map(() => -1));
      });
    return Array.from(kernels.values());
  }

  // ---- the device -------------------------------------------------------------------------------
  // The data of a part's own counts: those of hidden frames on it belong to it.
  function ownSpans(part) {
    return part.at.flatMap((at) => {
      const spans = [[at, at + 1]];
      for (let c = at + 1; c < end[at];) {
        if (skipped[name[c]]) spans.push([c, ++c]);
        else c = end[c];
      }
      return spans;
    });
  }
  function spansOf(node) {
    if (!node.spans)
      node.spans = node.level === kLevels.cpu ? base.ranges(node.parts[0])
          : node.parts.flatMap(({part, isOwn}) => (isOwn ? ownSpans(part) : base.ranges(part)));
    return node.spans;
  }

  // By node of the data: the nearest name below it, or its own, that is of the level; 0: none. What an
  // instruction waits for is a detail of its offset.
  const nearest = {};
  const isOfLevel = {
    [kLevels.code]: (which) => layer[which] === kInstruction,
    [kLevels.offset]: (which) => layer[which] === kOffset && !names[which].startsWith("waits for "),
  };
  function nearestOf(level) {
    if (nearest[level]) return nearest[level];
    const isWanted = names.map((_, which) => isOfLevel[level](which) && !skipped[which]);
    const found = nearest[level] = new Int32Array(tree.size);
    for (let i = 1; i < tree.size; ++i) found[i] = isWanted[name[i]] ? name[i] : found[parent[i]];
    return found;
  }

  // The children of a node of the device: its samples by what `of` says of a node of the data, a name for
  // a child and `undefined` for what stays the node's own.
  function partsBy(node, levelOf, of) {
    const children = new Map();
    let last = null;  // the child whose span may go on
    for (const [first, to] of spansOf(node)) {
      last = null;
      for (let i = first; i < to; ++i) {
        const which = of(i);
        if (which === undefined) {
          last = null;
          continue;
        }
        let child = children.get(which);
        if (!child) {
          children.set(which, child = newNode(which, node, levelOf(which)));
          child.spans = [];
          child.tip = i;
        }
        if (last === child) {
          child.spans[child.spans.length - 1][1] = i + 1;
        } else {
          child.spans.push([i, i + 1]);
          child.at.push(i);
          child.owed.push(-1);
        }
        last = child;
        const k = rest[i];
        add(child, k < 0 ? self[i] : self[i] + tree.restCount[k],
            !tree.differential ? zero : k < 0 ? selfBefore[i] : selfBefore[i] + tree.restBefore[k],
            k < 0 ? selfRoom[i] : selfRoom[i] + tree.restRoom[k]);
      }
    }
    return Array.from(children.values()).filter((child) => child.room);
  }

  function deviceChildren(node) {
    if (node.level === kLevels.offset || node.name === kRest) return [];
    // code that nobody disassembled has offsets alone
    const codeAt = nearestOf(kLevels.code), offsetAt = nearestOf(kLevels.offset);
    const codeOf = (i) => (node.level < kLevels.code && codeAt[i]) || offsetAt[i] || undefined;
    const levelOf = (which) => (which < 0 ? kLevels.why : layer[which] === kOffset ? kLevels.offset : kLevels.code);
    if (node.level >= kLevels.why) return partsBy(node, levelOf, codeOf);
    const reasonAt = why.reasonAt();
    const children = partsBy(node, levelOf, (i) => {
      const reason = reasonAt[i];
      return reason && !skipped[reason] ? kFirstKind - kinds.indexOf(why.kindOfName(reason)) : codeOf(i);
    });
    for (const child of children) {
      if (child.level !== kLevels.why) continue;
      child.reasons = kinds[kFirstKind - child.name];
      child.forms = [kReasonKinds[child.reasons], kShortKinds[child.reasons]];
      child.kind = "Reasons";
      child.names = Array.from(new Set(child.spans.flatMap(([first, to]) => {
        const found = new Set();
        for (let i = first; i < to; ++i) if (reasonAt[i] && layer[name[i]] === kReason) found.add(reasonAt[i]);
        return Array.from(found);
      })));
    }
    return children;
  }

  // ---- the tree ---------------------------------------------------------------------------------
  const textOf = (node) => (node.name === kRest ? "\uffff" : node.name < 0 ? "" : names[node.steps[0]] || "");
  const byName = (a, b) => a.level - b.level || (a.level === kLevels.why ? b.name - a.name : 0) ||
                           (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0);
  const byRoom = (a, b) => (a.room < b.room ? 1 : a.room > b.room ? -1 : byName(a, b));
  function expand(node) {
    if (node.least === 0) return node.children;
    let children = [];
    if (node.level === kLevels.cpu) {
      const on = base.expand(node.parts[node.parts.length - 1], 0);
      children = [...kernelsOn(node, on.filter(isDevice)),
                  ...on.filter((one) => !isDevice(one)).map((one) => cpuNode(one, node))];
    } else {
      children = deviceChildren(node);
    }
    // kernels stand together, before the towers beside them
    children.sort(options.width ? (a, b) => (b.level === a.level ? byRoom(a, b) : b.level - a.level)
                                : (a, b) => b.level - a.level || byName(a, b));
    Object.assign(node, {self: node.total, selfRoom: node.room, selfBefore: node.before});
    for (const child of children) {
      node.self -= child.total;
      node.selfRoom -= child.room;
      node.selfBefore -= child.before;
    }
    let left = node.start + node.selfRoom;
    for (const child of children) {
      child.start = left;
      left += child.room;
    }
    Object.assign(node, {children, least: 0});
    return children;
  }
  const root = cpuNode(base.root, null);

  // The rows of nodes that are drawn; returns how many there are. The device begins above the highest
  // tower of the CPU, and one row is between the two.
  function placeRows(nodes) {
    const highest = (level) => nodes.reduce((most, one) => (one.level === level ? Math.max(most, one.depth) : most), 0);
    const top = highest(kLevels.cpu);
    const levels = Object.values(kLevels).filter((level) => nodes.some((one) => one.level === level));
    if (!levels.includes(kLevels.cpu)) levels.unshift(kLevels.cpu);
    let rows = top + 1;
    for (const node of nodes) {
      node.row = node.level === kLevels.cpu ? node.depth : top + 1 + levels.indexOf(node.level);
      rows = Math.max(rows, node.row + 1);
    }
    return rows;
  }
  // Children that lie side by side in one row, each in a list.
  const rowsOn = (children) => Object.values(kLevels).map((level) => children.filter((one) => one.level === level))
      .filter((list) => list.length > 0);

  // Instructions are for those who look at a kernel, or at little else.
  let lookedAt = null, isKernel = false;  // the node that was asked about last
  function isAboutKernel(zoomed) {
    if (lookedAt === zoomed) return isKernel;
    let node = zoomed;
    while (node && node.level === kLevels.cpu)
      node = expand(node).find((child) => Number(child.room) >= kNearlyAll * Number(zoomed.room));
    [lookedAt, isKernel] = [zoomed, Boolean(node)];
    return isKernel;
  }

  return {...base, root, plain: false, aligned: true, expand, ranges: spansOf, placeRows, rowsOn,
          isShown: (node, zoomed) => node.level < kLevels.code || isAboutKernel(zoomed)};
}
