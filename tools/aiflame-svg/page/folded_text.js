// SPDX-License-Identifier: MIT
// What a view shows, as folded text: aiflame-svg draws the same tree of it. `above` are the names of
// the frames from the root's child to `zoomed`; of a name of the view, `options.nameOf` gives the text.
// Returns null if the text would be too long for a clipboard.
function foldedText(view, zoomed, above, options) {
  "use strict";
  const {nameOf, decimals, quantity} = options;
  const kLongest = 2e8;  // characters; a text of a browser ends at twice as many
  const {differential} = view.tree;
  const lines = quantity ? ["# aiflame: " + quantity] : [];
  let length = 0;

  // A count is in units of 10^-decimals.
  function countText(count) {
    const digits = String(count).padStart(decimals + 1, "0");
    if (decimals === 0) return digits;
    const fraction = digits.slice(-decimals).replace(/0+$/, "");
    return digits.slice(0, -decimals) + (fraction ? "." + fraction : "");
  }
  function add(path, node) {
    if (!node.self && !node.selfBefore) return;
    // In another place of the stack, a name may look like a comment or like a first count.
    const stack = path.length === 0 ? "[hidden]" : path.join(";").replace(/^# /, "#_")
        .replace(/ (\d+(?:\.\d*)?)$/, "_$1");
    const line = stack + " " + (differential ? countText(node.selfBefore) + " " : "") +
                 countText(node.self);
    length += line.length + 1;
    lines.push(line);
  }

  // The nodes that are made on the way are forgotten again, since there may be millions.
  const path = above.map(nameOf);
  const work = [{node: zoomed, depth: path.length}];
  while (work.length > 0 && length <= kLongest) {
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
    add(path, node);
    for (let i = all.length - 1; i >= 0; --i) work.push({node: all[i], depth: path.length});
  }
  while (work.length > 0) {
    const {node, known} = work.pop();
    if (known) Object.assign(node, known);
  }
  return length > kLongest ? null : lines.join("\n") + "\n";
}
