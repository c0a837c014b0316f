// SPDX-License-Identifier: MIT
// The bar at the foot of the window, which describes the frame under the pointer or with the focus.
function makeDetails(viewer) {
  "use strict";
  const {shell, tree, texts, drawing} = viewer;
  const text = shell.make("span", {id: "statustext"});
  shell.statusbar.append(text);

  viewer.say = (what) => { text.textContent = what; };

  viewer.hover = (node) => {
    const {view, zoomed} = viewer;
    const name = drawing.nameOf(node);
    const [first, ...more] = drawing.titleOf(node).split("\n");
    let counts = [first.slice(name.length), ...more].join("; ");
    if (zoomed !== view.root && node.depth >= zoomed.depth)
      counts += "; " + texts.share(node.total, zoomed.total) + " of the view";
    if (!tree.differential && !tree.fromElements && node.name !== view.kRest) {
      // a frame's own count is known after its children have been made
      view.expand(node, node.least === Infinity ? Number(node.total) : node.least);
      counts += "; self " + texts.count(node.self);
    }
    viewer.say(viewer.kindOf(node) + " " + name + counts);
  };

  viewer.leave = () => viewer.say("");

  return {update() {}};
}
