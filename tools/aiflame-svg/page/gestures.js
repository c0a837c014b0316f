// SPDX-License-Identifier: MIT
// What moves the picture: the wheel with Ctrl, dragging, two fingers, the arrows with Shift. `load` makes
// the viewer, if it is not there yet.
function listenToGestures(svg, shell, load) {
  "use strict";
  const kNotch = 100, kPerPixel = 0.005;    // of a wheel: pixels at most at a time; the zoom of one
  const kDrag = {mouse: 4, touch: 10};      // pixels: less is a click
  const kLine = 16;                         // pixels, where a wheel counts lines
  const kStep = 0.15, kZoomStep = 1.5;      // of the arrows: of the width; the zoom
  if (shell.isFluid) shell.addStyle("#stage > svg { touch-action: pan-y; }");
  // The place in the picture of a place in the window.
  function placeOf(clientX) {
    const box = svg.getBoundingClientRect();
    return (clientX - box.left) * svg.viewBox.baseVal.width / Math.max(box.width, 1);
  }
  const scale = () => svg.viewBox.baseVal.width / Math.max(svg.getBoundingClientRect().width, 1);

  svg.addEventListener("wheel", (event) => {
    const pixels = event.deltaMode === 1 ? kLine : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const turned = Math.min(Math.max(event.deltaY * pixels, -kNotch), kNotch);
      load().camera.zoomBy(Math.exp(turned * kPerPixel), placeOf(event.clientX));
      return;
    }
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY) || !load().camera.canPan()) return;
    event.preventDefault();
    load().camera.panBy(-sideways * pixels * scale());
  }, {passive: false});

  // ---- dragging, pinching -------------------------------------------------------------------------
  const held = new Map();  // pointers, by number: {x, y} where they were last
  let isDragging = false, wasDragged = false, begin = null, apart = 0;
  const spread = () => {
    const [a, b] = held.values();
    return {apart: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1), x: (a.x + b.x) / 2};
  };
  function end() {
    held.clear();
    if (isDragging && viewerMade) viewerMade.camera.settle();
    isDragging = false;
  }
  svg.addEventListener("pointerdown", (event) => {
    wasDragged = false;
    if (event.button !== 0) return;
    held.set(event.pointerId, {x: event.clientX, y: event.clientY});
    begin = {x: event.clientX, y: event.clientY};
    if (held.size === 2) ({apart} = spread());
  });
  function drag(event, last) {
    const {camera} = load(), far = kDrag[event.pointerType] || kDrag.mouse;
    const dx = event.clientX - begin.x, dy = event.clientY - begin.y;
    if (!isDragging) {
      // Up and down, fingers scroll. Where nothing can move, an unsteady click stays a click.
      const isTouch = event.pointerType === "touch", isFar = (isTouch ? Math.abs(dx) : Math.hypot(dx, dy)) > far;
      const isHigh = document.documentElement.scrollHeight > window.innerHeight;
      if (!isFar || !(camera.canPan() || (isHigh && !isTouch))) return;
      isDragging = wasDragged = true;
      getSelection().removeAllRanges();
    }
    if (camera.canPan()) camera.panBy((event.clientX - last.x) * scale());
    if (event.pointerType !== "touch") window.scrollBy(0, last.y - event.clientY);
  }
  window.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    if (event.pointerType === "mouse" && event.buttons === 0) {  // let go outside the window
      end();
      return;
    }
    if (held.size === 1) drag(event, last);
    held.set(event.pointerId, {x: event.clientX, y: event.clientY});
    if (held.size !== 2) return;
    const {camera} = load(), before = apart, {x} = spread();
    ({apart} = spread());
    isDragging = wasDragged = true;
    camera.zoomBy(before / apart, placeOf(x));
  });
  for (const kind of ["pointerup", "pointercancel"])
    window.addEventListener(kind, (event) => { if (held.has(event.pointerId)) end(); });
  // A style that forbids to select would be that of every frame, which takes 25 ms for 7000 elements.
  window.addEventListener("selectstart", (event) => { if (isDragging) event.preventDefault(); });
  // letting go is no click
  svg.addEventListener("click", (event) => {
    if (!wasDragged) return;
    wasDragged = false;
    event.stopImmediatePropagation();
    event.preventDefault();
  }, true);

  // ---- keys -------------------------------------------------------------------------------------
  window.addEventListener("keydown", (event) => {
    const {key} = event;
    // in a foreign page, those of the picture that has the pointer
    const isOurs = svg.contains(document.activeElement) || (noneHasFocus() &&
        (!shell.page.classList.contains("embedded") || shell.page.matches(":hover")));
    if (!event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || !isOurs || !/^Arrow/.test(key)) return;
    event.preventDefault();
    const {camera} = load();
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const pixels = kStep * svg.viewBox.baseVal.width;
      camera.panBy(key === "ArrowLeft" ? pixels : -pixels);
    } else {
      camera.zoomBy(key === "ArrowUp" ? 1 / kZoomStep : kZoomStep, camera.middle());
    }
  });
}
