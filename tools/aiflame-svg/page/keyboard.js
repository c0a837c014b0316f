// SPDX-License-Identifier: MIT
// The keyboard: moving between frames, and the keys of the page.
function addKeyboard(viewer) {
  "use strict";
  const {drawing, items} = viewer;

  // The drawing with an element for `node`: the file's own elements stand for no node.
  function draw(node) {
    if (drawing.elementOf(node)) return;
    viewer.keyboard = true;
    viewer.render();
  }
  viewer.focusOn = (node, withElement = true) => {
    viewer.current = node;
    if (withElement) draw(node);
    const element = drawing.elementOf(node);
    if (element) {
      items.stopAt(element);
      element.focus({preventScroll: true});  // it is revealed all the same
    }
    viewer.hover(node);
  };

  const isSeen = (node) => drawing.elementOf(node) !== null;
  const widest = (nodes) => nodes.reduce((a, b) => (b.room > a.room ? b : a));
  // Those drawn on a frame. The name of a sandwich has some on either side.
  const nodesOn = (node, callers) => (node.children || [])
      .filter((one) => one.callers === callers && isSeen(one));

  function beside(node, step) {
    const row = (drawing.rowsNow()[node.row] || []).filter((one) => isSeen(one.node));
    const at = row.findIndex((one) => one.node === node) + step;
    return row[at] ? row[at].node : null;
  }
  function above(node, callers = node.callers) {
    const nodes = nodesOn(node, callers);
    return nodes.length > 0 ? widest(nodes) : null;
  }
  function top(node) {
    let p = node;
    for (let next = above(p); next; next = above(p)) p = next;
    return p;
  }

  // Moves from `element`, which has the focus, among the frames that are drawn as elements: above is
  // the widest frame on this one, and End the last of such steps.
  viewer.move = (key, element) => {
    const from = items.nodeOf(element) || viewer.zoomed;
    draw(from);
    const isFurther = (key === "ArrowDown") === viewer.isRootOnTop();  // along the rows, from the root's
    const {view} = viewer, isMiddle = view.sandwich && from === view.root;
    let next = null;
    if (key === "ArrowLeft" || key === "ArrowRight") next = beside(from, key === "ArrowLeft" ? -1 : 1);
    else if (key === "Home") next = viewer.view.root;
    else if (key === "End") next = top(from);
    else if (isMiddle) next = above(from, !isFurther);
    else next = isFurther !== from.callers ? above(from) : from.parent;
    viewer.focusOn(next || from);
  };

  // The menu of the frame that has the focus. Returns false if none has it.
  viewer.menuOfCurrent = () => {
    const element = viewer.current && drawing.elementOf(viewer.current);
    if (!element) return false;
    const box = element.getBoundingClientRect();
    viewer.openFrameMenu(viewer.current, box.left + Math.min(box.width / 2, 40), box.bottom);
    return true;
  };
}

// Whether no element has the focus. In a document that began as an SVG, Firefox gives it to the root.
const noneHasFocus = () => [null, document.body, document.documentElement].includes(document.activeElement);

// `load` makes the viewer, if it is not there yet.
function listenToKeys(svg, shell, load) {
  "use strict";
  let isFirstArrow = true;  // later ones scroll, where nothing has the focus
  const letters = {i: "flip", l: "leaf", w: "width", c: "safe", u: "runs"};
  // a key without an element that has the focus comes from the window
  const isIn = (element, {target}) => target instanceof Node && element.contains(target);
  const inFrames = (event) => isIn(svg, event) && event.target.closest("#frames > *");
  // In a foreign page, the keys are those of the picture that has the focus or the pointer.
  const isOurs = (event) => !shell.page.classList.contains("embedded") ||
      isIn(shell.page, event) || shell.page.matches(":hover");

  // Keys that the frames take while one of them has the focus. The first arrow, while nothing has it,
  // goes on from the frame that Tab would go to.
  function frameKey(key, event) {
    if (event.shiftKey && /^Arrow/.test(key)) return false;  // gestures.js
    if (/^Arrow/.test(key) && noneHasFocus() && isFirstArrow) {
      const viewer = load();
      isFirstArrow = false;
      viewer.focusOn(viewer.current || viewer.zoomed);
      if (viewer.items.focused()) viewer.move(key, viewer.items.focused());
      return true;
    }
    if (!inFrames(event)) return false;
    const viewer = load(), element = viewer.items.focused();
    if (/^(Arrow.*|Home|End)$/.test(key)) {
      viewer.move(key, element);
    } else if (key === "Enter" || key === " ") {
      if (element.localName === "a") return false;  // the link's own
      const node = viewer.items.nodeOf(element);
      if (node) viewer.zoomTo(node);
    } else if (key === "ContextMenu" || (key === "F10" && event.shiftKey)) {
      return viewer.menuOfCurrent();
    } else {
      return false;
    }
    return true;
  }

  // Keys of the page, without Ctrl and Alt. Returns whether it is one.
  function pageKey(key) {
    const viewer = load();
    if (viewer.differenceBar.key(key)) return true;
    if (key === "n" || key === "N") viewer.step(key === "N");
    else if (key === "?") viewer.help.open();
    else if (key === "/") viewer.searchBox.open();
    else if (key === "0") viewer.reset();
    else if (letters[key]) viewer.toggle(letters[key]);
    else if (key === "x") viewer.toggleSandwich();
    else if (key === "d" && viewer.listing) viewer.listing.toggle();
    else if (key === "a" && viewer.canAlign) viewer.toggle("aligned");
    else if (key === "r" && viewer.reasons.occur) viewer.toggle("swap");
    else if (key === "s") viewer.toggle("table");
    else if (/^[1-9]$/.test(key) && viewer.tabs) viewer.tabs.choose(Number(key) - 1);
    else return false;
    return true;
  }

  window.addEventListener("keydown", (event) => {
    if (!isOurs(event)) return;
    const command = event.ctrlKey || event.metaKey;
    const {key} = event;
    const typing = event.target.isContentEditable ||
        /^(input|textarea|select)$/i.test(event.target.tagName || "");
    let done = true;
    if (key === "F3" || (command && key.toLowerCase() === "f")) load().searchBox.open();
    else if (command && key.toLowerCase() === "i") load().toggleCase();
    else if (key === "Escape") done = viewerMade !== null && viewerMade.escape();
    else if (typing || command || event.altKey || event.defaultPrevented) done = false;
    else done = frameKey(key, event) || (key.length === 1 && pageKey(key));
    if (done) event.preventDefault();
  });
}
