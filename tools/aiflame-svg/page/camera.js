// SPDX-License-Identifier: MIT
// Panning and zooming to any part of the profile, not only to a frame. While the reader moves, what is
// drawn is shifted and stretched; once it is still, it is drawn anew.
function makeCamera(viewer) {
  "use strict";
  const kStill = 120;  // milliseconds without a movement
  const {svg, shell, layout, drawing} = viewer;
  shell.addStyle("#stage .moving #frames text, #stage .moving #slivers text { visibility: hidden; }");
  let target = null;  // {start, room}: the part that will be in view, as viewer.inView() has it
  let timer = 0;
  const moved = () => ["frames", "slivers", "outlines"].map((id) => svg.getElementById(id)).filter(Boolean);

  function settle() {
    clearTimeout(timer);
    const to = target;
    target = null;
    if (to) viewer.lookAt(to.start, to.room);
  }
  function move(start, room) {
    const all = Number(viewer.view.root.room), shown = viewer.inView();
    room = Math.min(Math.max(room, 1), all);
    if (!target) viewer.leave();
    target = {start: Math.min(Math.max(start, 0), all - room), room};
    clearTimeout(timer);
    // the file's own picture may have another size
    if (drawing.isFile()) return settle();
    const {pad, width} = layout, scale = shown.room / room;
    const left = pad * (1 - scale) + (shown.start - target.start) / room * width;
    for (const group of moved()) group.setAttribute("transform", "matrix(" + [scale, 0, 0, 1, left, 0] + ")");
    svg.classList.toggle("moving", scale !== 1);
    timer = setTimeout(settle, kStill);
    return undefined;
  }
  const now = () => target || viewer.inView();

  // A drawing of whatever cause ends the movement.
  function update() {
    clearTimeout(timer);
    target = null;
    for (const group of moved()) group.removeAttribute("transform");
    svg.classList.remove("moving");
  }
  return {
    update, settle,
    isMoving: () => target !== null,
    canPan: () => now().room < Number(viewer.view.root.room),
    // The place `x` of the picture stays where it is.
    zoomBy(factor, x) {
      const {start, room} = now(), at = Math.min(Math.max((x - layout.pad) / layout.width, 0), 1);
      const most = Number(viewer.view.root.room), wanted = Math.min(Math.max(room * factor, 1), most);
      move(start + at * (room - wanted), wanted);
    },
    panBy(pixels) {
      const {start, room} = now();
      move(start - pixels / layout.width * room, room);
    },
    middle: () => layout.pad + layout.width / 2,
  };
}
