// SPDX-License-Identifier: MIT
// The frames as a tree for screen readers and the keyboard (ARIA's tree view): each says its level,
// its place among its siblings and whether frames lie on it, and just one of them is a stop of the Tab
// key. The drawing makes new elements each time; the focus moves on to those.
function makeTreeItems(viewer) {
  "use strict";
  // of the elements of the file's own picture: as the drawing makes them
  const kItems = 2500;  // at most
  const kLeast = 3;     // pixels; narrower ones appear when the reader zooms
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
  // Of the siblings that are drawn as elements.
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
    const all = Array.from(group().children, (element) => ({
      element, depth: Number(element.dataset.d), x: Number(element.dataset.x), on: [], isClosed: false,
      room: Number(element.dataset.room || element.dataset.n),
      isItem: Number(element.querySelector("rect").getAttribute("width")) >= kLeast,
    })).sort((a, b) => a.depth - b.depth || a.x - b.x);
    const items = all.filter((one) => one.isItem).slice(0, kItems);
    const root = items.filter((one) => one.depth === 0).map((one) => one.element);
    describeSiblings(root);
    let row = [], at = 0;  // the items of the row below, and the one that the last frame lay on
    for (let i = 0; i < all.length; ++i) {
      const one = all[i];
      if (i > 0 && all[i - 1].depth !== one.depth) {
        row = all.filter((other) => other.depth === one.depth - 1 && other.isItem);
        at = 0;
      }
      while (at < row.length && row[at].x + row[at].room <= one.x) ++at;
      if (at === row.length || row[at].x > one.x) continue;
      if (one.isItem) row[at].on.push(one.element);
      else row[at].isClosed = true;
    }
    for (const {element, depth, on, isClosed} of items) {
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", depth + 1);
      element.setAttribute("tabindex", "-1");
      describeSiblings(on);
      if (on.length > 0 || isClosed) element.setAttribute("aria-expanded", String(on.length > 0));
    }
    return root[0] || null;
  }

  // ---- after each drawing -----------------------------------------------------------------------
  let described = null, announced = "";

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
    const {texts} = viewer;
    const text = drawing.nameOf(zoomed) + ", " + texts.shortShare(zoomed.total, texts.whole);
    if (announced && announced !== text) viewer.announce(text);
    announced = text;
  }

  // ---- the focus --------------------------------------------------------------------------------
  // The element that has the focus, if it is a frame.
  const focused = () => {
    const {activeElement} = document;
    return activeElement && group().contains(activeElement) ? activeElement : null;
  };
  const nodeOf = (element) => viewer.nodeAt({target: element});

  // The node with this path. What was clicked in the file's own picture has a node of its own.
  function sameIn(view, path) {
    const {zoomed} = viewer;
    return link.pathOf(zoomed).join() === path.join() ? zoomed : link.follow(view, path);
  }

  const elementOf = (node) => drawing.elementOf(node) || (drawing.isFile() &&
      group().querySelector('[role=treeitem][data-d="' + node.depth + '"][data-x="' + node.start + '"]'));

  // Called before a drawing; what it returns is called after it. The frame that Tab goes to stays the
  // same, or is the nearest one below it that is drawn, and keeps the focus if it had it.
  function hold() {
    const element = focused(), from = element || stop;
    const node = from ? nodeOf(from) : null, before = drawnView;
    return () => {
      const {view, zoomed, current} = viewer;
      const isThere = node && before.options.leaf === view.options.leaf &&
          before.options.half === view.options.half;
      let next = current || (isThere ? sameIn(view, link.pathOf(node)) : zoomed);
      while (next && !elementOf(next)) next = next.parent;
      const heir = elementOf(next || zoomed);
      if (!heir) return;
      stopAt(heir);
      if (!element) return;
      viewer.current = next || zoomed;
      heir.focus({preventScroll: true});
    };
  }
  return {update, hold, stopAt, focused, nodeOf};
}
