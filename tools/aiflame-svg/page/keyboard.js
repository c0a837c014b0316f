// SPDX-License-Identifier: MIT
// The keyboard: moving between frames, and the keys of the page.
function makeKeyboard(viewer) {
  "use strict";
  const {drawing} = viewer;

  viewer.focusOn = (node, withElement = true) => {
    viewer.current = node;
    let element = drawing.elementOf(node);
    if (!element && withElement) {
      viewer.keyboard = true;
      viewer.render();
      element = drawing.elementOf(node);
    }
    if (element) {
      element.setAttribute("tabindex", "0");
      element.focus();
    }
    viewer.hover(node);
  };

  // Moves to the frame above, below or beside, among those that are drawn as elements.
  viewer.move = (key) => {
    const {current} = viewer;
    if (!current || !drawing.elementOf(current)) {
      viewer.keyboard = true;
      viewer.render();
      viewer.focusOn(viewer.zoomed);
      return;
    }
    const isSeen = (node) => node && drawing.elementOf(node);
    const up = (key === "ArrowUp") !== viewer.state.flip;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const row = (drawing.rowsNow()[current.depth] || []).filter((one) => isSeen(one.node));
      const at = row.findIndex((one) => one.node === current) + (key === "ArrowLeft" ? -1 : 1);
      if (row[at]) viewer.focusOn(row[at].node);
    } else if (!up) {
      if (current.parent) viewer.focusOn(current.parent);
    } else {
      const on = (drawing.rowsNow()[current.depth + 1] || [])
          .filter((one) => one.node.parent === current && isSeen(one.node));
      if (on.length > 0) viewer.focusOn(on.reduce((a, b) => (b.width > a.width ? b : a)).node);
    }
  };

  // The menu of the frame that has the focus. Returns false if none has it.
  viewer.menuOfCurrent = () => {
    const element = viewer.current && drawing.elementOf(viewer.current);
    if (!element) return false;
    const box = element.getBoundingClientRect();
    viewer.openFrameMenu(viewer.current, box.left + Math.min(box.width / 2, 40), box.bottom);
    return true;
  };

  return {update() {}};
}

// `load` makes the viewer, if it is not there yet.
function listenToKeys(svg, load) {
  "use strict";
  const letters = {i: "flip", l: "leaf", w: "width", c: "safe"};
  const inFrames = (event) => event.target.closest && event.target.closest("#frames > *");

  // Keys that the frames take while one of them has the focus.
  function frameKey(key, event) {
    if (!inFrames(event)) return false;
    if (key.startsWith("Arrow")) {
      load().move(key);
    } else if ((key === "Enter" || key === " ") && viewerMade && viewerMade.current) {
      viewerMade.zoomTo(viewerMade.current);
      viewerMade.move("");
    } else if (key === "ContextMenu" || (key === "F10" && event.shiftKey)) {
      return load().menuOfCurrent();
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
    else if (key === "r" && viewer.hasDevice) viewer.toggle("swap");
    else if (key === "s") viewer.table.open();
    else return false;
    return true;
  }

  window.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    const {key} = event;
    const typing = event.target.tagName && /^(input|textarea)$/i.test(event.target.tagName);
    let done = true;
    if (key === "F3" || (command && key.toLowerCase() === "f")) load().searchBox.open();
    else if (command && key.toLowerCase() === "i") load().toggleCase();
    else if (key === "Escape") done = viewerMade !== null && viewerMade.escape();
    else if (typing || command || event.altKey || event.defaultPrevented) done = false;
    else done = frameKey(key, event) || (key.length === 1 && pageKey(key));
    if (done) event.preventDefault();
  });
}
