// SPDX-License-Identifier: MIT
// Lines of folded text, until they are too long for a clipboard.
function makeFoldedLines(differential, options) {
  "use strict";
  const {decimals, quantity, launchesOf} = options;
  const kLongest = 2e8;  // characters; a text of a browser ends at twice as many
  const lines = quantity ? ["# aiflame: " + quantity] : [];
  const kernels = new Set();  // that are copied, of those with lines of their launches
  let length = 0;

  // A count is in units of 10^-decimals.
  function countText(count) {
    const digits = String(count).padStart(decimals + 1, "0");
    if (decimals === 0) return digits;
    const fraction = digits.slice(-decimals).replace(/0+$/, "");
    return digits.slice(0, -decimals) + (fraction ? "." + fraction : "");
  }
  function add(path, self, before) {
    if (!self && !before) return;
    // In another place of the stack, a name may look like a comment or like a first count.
    const stack = path.length === 0 ? "[hidden]" : path.join(";").replace(/^# /, "#_")
        .replace(/ (\d+(?:\.\d*)?)$/, "_$1");
    const line = stack + " " + (differential ? countText(before) + " " : "") + countText(self);
    length += line.length + 1;
    lines.push(line);
    if (launchesOf.size > 0) for (const name of path) if (launchesOf.has(name)) kernels.add(name);
  }
  function text() {
    for (const name of kernels) lines.push(...launchesOf.get(name));
    return length > kLongest ? null : lines.join("\n") + "\n";
  }
  return {add, isFull: () => length > kLongest, text};
}

// What a view shows, as folded text: aiflame-svg draws the same tree of it. `above` are the names of
// the frames from the root's child to `zoomed`; of a name of the view, `options.nameOf` gives the text.
// Returns null if the text would be too long for a clipboard.
function foldedText(view, zoomed, above, options) {
  "use strict";
  const {nameOf} = options, lines = makeFoldedLines(view.tree.differential, options);

  // The nodes that are made on the way are forgotten again, since there may be millions.
  const path = above.map(nameOf);
  const work = [{node: zoomed, depth: path.length}];
  while (work.length > 0 && !lines.isFull()) {
    const {node, depth, known} = work.pop();
    if (known) {
      Object.assign(node, known);
      continue;
    }
    path.length = depth;
    if (node !== zoomed) path.push(nameOf(node.name));
    const {children, least} = node;
    work.push({node, depth, known: {children, least}});
    const all = view.expand(node, 0).filter(({callers}) => callers === zoomed.callers);
    lines.add(path, node.self, node.selfBefore);
    for (let i = all.length - 1; i >= 0; --i) work.push({node: all[i], depth: path.length});
  }
  while (work.length > 0) {
    const {node, known} = work.pop();
    if (known) Object.assign(node, known);
  }
  return lines.text();
}

// The same of layers that line up: the stacks that `zoomed` stands for, with all of their frames.
function foldedStacks(view, zoomed, options) {
  "use strict";
  const {nameOf} = options, {tree, skipped} = view, lines = makeFoldedLines(tree.differential, options);
  const {name, parent, self, selfBefore, rest, restCount, restBefore} = tree;
  const stackOf = (i) => {
    const path = [];
    for (let p = i; p > 0 && !view.isStop(p); p = parent[p]) if (!skipped[name[p]]) path.push(nameOf(name[p]));
    return path.reverse();
  };
  for (const [first, last] of view.ranges(zoomed)) {
    for (let i = first; i < last && !lines.isFull(); ++i) {
      const k = rest[i], before = tree.differential ? selfBefore[i] : 0;
      if (!self[i] && !before && k < 0) continue;
      const path = stackOf(i);
      lines.add(path, self[i], before);
      if (k >= 0) lines.add([...path, nameOf(view.kRest)], restCount[k], tree.differential ? restBefore[k] : 0);
    }
  }
  return lines.text();
}
