// SPDX-License-Identifier: MIT
// Mouse, touch and keyboard.
function listen() {
  "use strict";
  const kLongPress = 500;  // milliseconds
  let ignoreClick = false, hovered = null;

  const inPicture = (event) => event.target.closest && event.target.closest("#frames > *, #slivers > *");
  // A button may have been removed by the time its click arrives here.
  const inCard = (event) => event.composedPath().some((element) => element.id === "overlay");

  svg.addEventListener("click", (event) => {
    if (ignoreClick || inCard(event)) return;
    const {id} = event.target;
    if (inPicture(event)) {
      const link = event.target.closest("a");
      if (link && link.href.baseVal && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const node = load().nodeAt(event);
      load().overlay.close("framemenu");
      if (node) {
        load().zoomTo(node);
        load().describe(node);
      }
    } else if (!control(id)) {
      if (page) ["framemenu", "viewmenu"].forEach((card) => page.overlay.close(card));
    }
  });

  function control(id) {
    if (id === "unzoom") load().zoomOut();
    else if (id === "search") load().searchOrClear();
    else if (id === "ignorecase") load().toggleCase();
    else if (id === "view") load().overlay.isOpen("viewmenu") ? load().overlay.close("viewmenu")
                                                              : load().menu.open();
    else return false;
    return true;
  }

  // Before the data of a large file is read, the foot shows the title of the element itself.
  function showTitle(element) {
    const [title] = element.children;
    details.textContent = svg.dataset.nametype + " " + title.textContent.split("\n").join("; ");
  }
  svg.addEventListener("mousemove", (event) => {
    const element = inPicture(event);
    if (!element) {
      if (hovered !== null && page) page.leave();
      else if (hovered !== null) details.textContent = " ";
      hovered = null;
      return;
    }
    if (!page) {
      if (hovered !== element) showTitle(element);
      hovered = element;
      return;
    }
    const node = page.nodeAt(event);
    if (node && node !== hovered) {
      page.describe(node);
      // a frame within a path has no title of its own
      if (element.tagName === "path") setTitle(element, details.textContent);
    }
    hovered = node;
  });
  svg.addEventListener("mouseleave", () => {
    if (hovered === null) return;
    hovered = null;
    if (page) page.leave();
    else details.textContent = " ";
  });
  function setTitle(path, text) {
    let title = path.firstElementChild;
    if (!title) title = path.appendChild(document.createElementNS(svg.namespaceURI, "title"));
    title.textContent = text;
  }

  // ---- the menu of a frame: right click, long press, menu key -----------------------------------
  function toPicture(x, y) {
    return new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  }
  function menuAt(event) {
    const node = load().nodeAt(event);
    if (!node) return false;
    const point = toPicture(event.clientX, event.clientY);
    page.openFrameMenu(node, point.x, point.y);
    return true;
  }
  svg.addEventListener("contextmenu", (event) => {
    if (event.shiftKey || !inPicture(event)) return;  // with Shift, the browser's own
    if (event.button !== 2 && page && page.current()) return;  // of the menu key: see below
    if (menuAt(event)) event.preventDefault();
  });
  let press = 0;
  svg.addEventListener("pointerdown", (event) => {
    ignoreClick = false;
    if (event.pointerType !== "touch" || !inPicture(event)) return;
    press = setTimeout(() => {
      ignoreClick = menuAt(event);  // lifting the finger is no click
    }, kLongPress);
  });
  for (const kind of ["pointerup", "pointercancel", "pointermove"])
    svg.addEventListener(kind, (event) => {
      if (kind !== "pointermove" || Math.hypot(event.movementX, event.movementY) > 8)
        clearTimeout(press);
    });

  function menuOfCurrent() {
    const node = page && page.current();
    const element = node && page.elementOf(node);
    if (!element) return false;
    const box = element.getBoundingClientRect();
    const point = toPicture(box.left + Math.min(box.width / 2, 40), box.bottom);
    page.openFrameMenu(node, point.x, point.y);
    return true;
  }

  // ---- keys -------------------------------------------------------------------------------------
  const letters = {i: "flip", l: "leaf", w: "width", c: "safe"};
  window.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    const {key} = event;
    const typing = event.target.tagName && /^(input|textarea)$/i.test(event.target.tagName);
    let done = true;
    if (key === "F3" || (command && key.toLowerCase() === "f")) {
      load().searchBox.open();
    } else if (command && key.toLowerCase() === "i") {
      load().toggleCase();
    } else if (key === "Escape") {
      done = page !== null && page.escape();
    } else if (typing || command || event.altKey) {
      done = false;
    } else if (inCard(event) && /^(Enter| |Arrow.*)$/.test(key)) {
      done = false;  // the buttons' own
    } else if (key === "Enter" || key === " ") {
      done = control(event.target.id);
      if (!done && page && page.current()) {
        page.zoomTo(page.current());
        page.move("");
        done = true;
      }
    } else if (key.startsWith("Arrow")) {
      // when no frame has the focus, the arrows scroll
      done = Boolean(inPicture(event));
      if (done) load().move(key);
    } else if (key === "ContextMenu" || (key === "F10" && event.shiftKey)) {
      done = menuOfCurrent();
    } else if (key === "n" || key === "N") {
      load().step(key === "N");
    } else if (key === "?") {
      load().menu.open();
    } else if (key === "/") {
      load().searchBox.open();
    } else if (key === "0") {
      load().reset();
    } else if (letters[key]) {
      load().toggle(letters[key]);
    } else if (key === "r" && load().hasDevice) {
      load().toggle("swap");
    } else if (key === "s" && load().hasDevice) {
      load().sums.open();
    } else {
      done = false;
    }
    if (done) event.preventDefault();
  });
  window.addEventListener("popstate", () => load().recall());

  // ---- controls ---------------------------------------------------------------------------------
  for (const button of [searchButton, caseButton, viewButton, unzoom]) {
    if (button !== unzoom) button.classList.remove("hide");
    button.setAttribute("role", "button");
    button.setAttribute("tabindex", "0");
  }
  caseButton.setAttribute("aria-label", "Ignore case");
  details.setAttribute("aria-live", "polite");
  matched.setAttribute("aria-live", "polite");
  const [root] = byId("frames").children;
  root.setAttribute("tabindex", "0");

  function start() {
    if (location.search) load().recall();
    else load();
  }
  const whenIdle = window.requestIdleCallback || ((callback) => setTimeout(callback, 200));
  if (document.readyState === "complete") whenIdle(start);
  else window.addEventListener("load", () => whenIdle(start));
}
