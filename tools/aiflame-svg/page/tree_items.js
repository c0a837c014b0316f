// SPDX-License-Identifier: MIT
// The frames as a tree for screen readers and the keyboard (ARIA's tree view): each says its level,
// its place among its siblings and whether frames lie on it, and just one of them is a stop of the Tab
// key. The drawing makes new elements each time; the focus moves on to those.
function makeTreeItems(viewer) {
  "use strict";
  const kItems = 2500;  // elements of the file's own picture, at most; the drawing makes no more
  const {svg, shell, drawing, link} = viewer;
  // System colours take the place of ours only around the picture: a frame's colour says what it is,
  // and its text is made for it.
  shell.addStyle(`
    #frames > *:focus { outline: none; }
    @media (forced-colors: active) {
      #stage > svg { forced-color-adjust: none; }
      #background { fill: Canvas; }
      #stage > svg > text, #gutter text, #legend text { fill: CanvasText; }
      #gutter path { stroke: CanvasText; }
      #page #frames rect { stroke: CanvasText; stroke-width: 1px; }
      #page #frames > *:focus-visible rect { stroke: Highlight; stroke-width: 3px; }
    }`);
  const group = () => svg.getElementById("frames");
  let stop = null;  // the element that Tab goes to
  let drawnView = null;

  function stopAt(element) {
    if (stop) stop.setAttribute("tabindex", "-1");
    stop = element;
    if (stop) stop.setAttribute("tabindex", "0");
  }

  // ---- what the elements say --------------------------------------------------------------------
  // From the siblings that are drawn; narrower ones appear when the reader zooms.
  function describeSiblings(siblings) {
    siblings.forEach((element, i) => {
      element.setAttribute("aria-posinset", i + 1);
      element.setAttribute("aria-setsize", siblings.length);
    });
  }
  function describeDrawn() {
    const on = new Map();  // of a node: the elements on it
    const elements = Array.from(group().children).filter((element) => drawing.nodeOf(element));
    for (const element of elements) {
      const {parent} = drawing.nodeOf(element);
      if (on.has(parent)) on.get(parent).push(element);
      else on.set(parent, [element]);
    }
    for (const siblings of on.values()) describeSiblings(siblings);
    for (const element of elements) {
      const node = drawing.nodeOf(element);
      const isLeaf = !on.has(node) && (node.name < 0 || node.children === null ||
                                       Number(node.self) >= Number(node.total));
      if (!isLeaf) element.setAttribute("aria-expanded", String(on.has(node)));
    }
  }
  // The file's own elements tell depth and place: siblings lie side by side on one frame.
  function describeFile() {
    const items = Array.from(group().children).filter((element) => element.dataset.d !== undefined)
        .slice(0, kItems)
        .map((element) => ({element, depth: Number(element.dataset.d), x: Number(element.dataset.x),
                            room: Number(element.dataset.room || element.dataset.n), on: []}));
    items.sort((a, b) => a.depth - b.depth || a.x - b.x);
    const below = [];  // by depth
    for (const item of items) (below[item.depth] || (below[item.depth] = [])).push(item);
    for (const item of items) {
      const parent = (below[item.depth - 1] || [])
          .find((one) => one.x <= item.x && item.x < one.x + one.room);
      if (parent) parent.on.push(item.element);
      item.element.setAttribute("role", "treeitem");
      item.element.setAttribute("aria-level", item.depth + 1);
      item.element.setAttribute("tabindex", "-1");
    }
    for (const {element, on} of items) {
      if (on.length === 0) continue;
      describeSiblings(on);
      element.setAttribute("aria-expanded", "true");
    }
    return items.length > 0 ? items[0].element : null;
  }

  // ---- after each drawing -----------------------------------------------------------------------
  let described = null, announced = null;

  function update() {
    const frames = group();
    if (frames !== described) {
      stop = null;
      frames.setAttribute("role", "tree");
      frames.setAttribute("aria-label", shell.heading.querySelector("h1").textContent ||
                                        "Flame graph");
      if (drawing.isFile()) {
        stopAt(describeFile());
      } else {
        describeDrawn();
        stopAt(drawing.elementOf(viewer.current || viewer.zoomed) || drawing.elementOf(viewer.zoomed));
      }
      described = frames;
    }
    const {zoomed, view} = viewer;
    drawnView = view;
    if (announced && announced !== zoomed) {
      const share = 100 * Number(zoomed.total) / Math.max(Number(view.root.total), 1);
      viewer.announce(drawing.nameOf(zoomed) + ", " + (share === 100 ? "100" : share.toFixed(1)) + "%");
    }
    announced = zoomed;
  }

  // ---- the focus --------------------------------------------------------------------------------
  // The element that has the focus, if it is a frame.
  const focused = () => {
    const {activeElement} = document;
    return activeElement && group().contains(activeElement) ? activeElement : null;
  };
  const nodeOf = (element) => viewer.nodeAt({target: element});

  // Called before a drawing; what it returns is called after it, and gives the focus to the same
  // frame, the nearest one below it that is drawn, or the one of its name in another view.
  function hold() {
    const element = focused();
    if (!element) return () => {};
    const node = nodeOf(element), before = drawnView;
    viewer.keyboard = true;
    return () => {
      const {view, zoomed, current} = viewer;
      let next = current || node || zoomed;
      if (!current && node && before !== view)
        next = before.options.leaf === view.options.leaf ? link.follow(view, link.pathOf(node)) : zoomed;
      while (next && !drawing.elementOf(next)) next = next.parent;
      take(next || zoomed);
    };
  }
  function take(node) {
    const element = drawing.elementOf(node);
    if (!element) return;
    viewer.current = node;
    stopAt(element);
    element.focus({preventScroll: true});
  }
  return {update, hold, stopAt, focused, nodeOf};
}
