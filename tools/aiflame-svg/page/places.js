// SPDX-License-Identifier: MIT
// Which frame: the one under the pointer, the one that has the focus, what it is.
function addPlaces(viewer) {
  "use strict";
  const {tree, drawing} = viewer;

  // The view's node for an element of the file.
  function nodeOfElement(g) {
    const {view} = viewer;
    const depth = Number(g.dataset.d), x = tree.big ? BigInt(g.dataset.x) : Number(g.dataset.x);
    let i = 0;
    while (i >= 0 && tree.depth[i] < depth) {
      let found = -1;
      for (let c = i + 1; c < tree.end[i]; c = tree.end[c]) {
        if (tree.start[c] > x) break;
        if (tree.start[c] + tree.room[c] > x || tree.start[c] === x) found = c;
      }
      i = found;
    }
    return i >= 0 && view.plain ? view.nodeOf(i) : null;
  }
  viewer.nodeAt = (event) => {
    const element = event.target.closest ? event.target.closest("#frames > *, #slivers > *") : null;
    if (!element) return null;
    if (drawing.isFile()) return nodeOfElement(element);
    if (drawing.nodeOf(element)) return drawing.nodeOf(element);
    const one = drawing.at(event.clientX, event.clientY);
    return one && one.node;
  };
  // The names from the root of the stacks, or from the name of a sandwich, to a frame.
  viewer.namesTo = (node) => {
    const names = [], {view} = viewer;
    if (view.aligned) {
      let lowest = node;  // which has one stack
      while (lowest.level > kLevels.kernel) lowest = lowest.parent;
      for (let i = lowest.tip; i > 0; i = tree.parent[i]) if (!view.skipped[tree.name[i]]) names.push(tree.name[i]);
      return names.reverse();
    }
    for (let p = node; p && p.name !== 0; p = p.parent) names.push(p.name);
    return names.reverse();
  };

  viewer.kindOf = frameKinds(tree, viewer.layers, viewer.svg.dataset.nametype.replace(/:$/, "")).of;

  viewer.openFrameMenu = (node, x, y) => {
    const {view} = viewer;
    if (node.name === view.kRest) return;
    const path = viewer.namesTo(node).map((name) => (name < 0 ? "?" : tree.names[name]));
    const raw = node.names ? "" : tree.names[node.name] || "";
    const element = drawing.elementOf(node);
    const listing = viewer.svg.dataset.listings !== undefined && element && element.localName === "a"
        ? element.href.baseVal : "";
    const hasCode = viewer.listing && viewer.listing.placeOf(node);
    viewer.frameMenu.open({listing, code: hasCode ? () => viewer.listing.open(node) : null,
      title: drawing.titleOf(node).split("\n")[0], name: raw, shown: viewer.shown(raw),
      stack: view.isBackwards(node) ? path.reverse() : path, zoom: () => viewer.zoomTo(node),
    }, x, y);
  };

  // Of all frames of a name.
  viewer.openNameMenu = (which, x, y) => {
    const name = tree.names[which], shown = viewer.shown(name);
    viewer.frameMenu.open({listing: "", title: shown, name, shown}, x, y);
  };
}
