// SPDX-License-Identifier: MIT
// Mouse and touch on the picture. `load` makes the viewer, if it is not there yet.
function listenToPointer(svg, shell, load) {
  "use strict";
  const kLongPress = 500;  // milliseconds
  const leadsToListing = svg.dataset.listings !== undefined;
  const isLeaf = ({view}, node) => view.expand(node, 1).length === 0;
  let ignoreClick = false;

  const inPicture = (event) => event.target.closest && event.target.closest("#frames > *, #slivers > *");

  svg.addEventListener("click", (event) => {
    if (ignoreClick || !inPicture(event)) return;
    const link = event.target.closest("a");
    const isLink = link && link.href.baseVal && !event.ctrlKey && !event.metaKey;
    if (isLink && !leadsToListing) return;
    const viewer = load(), node = viewer.nodeAt(event);
    // the listing of a frame that has others on it opens when it fills the picture
    const leads = !node || node === viewer.zoomed || isLeaf(viewer, node);
    const hasCode = leads && node && leadsToListing && !event.ctrlKey && !event.metaKey && viewer.listing &&
        viewer.listing.placeOf(node);
    if (isLink && leads && !hasCode) {
      link.href.baseVal = withWayBack(link.href.baseVal);
      return;
    }
    event.preventDefault();
    if (!node) return;
    if (hasCode) {
      viewer.leave();
      viewer.listing.open(node);
      return;
    }
    viewer.zoomTo(node);
    if (node.name !== viewer.view.kRest) viewer.hover(node, event);
  });
  // A click beside a card closes it.
  shell.page.addEventListener("pointerdown", (event) => {
    if (!viewerMade || viewerMade.cards.contains(event.target)) return;
    if (shell.bar.contains(event.target)) return;  // its buttons open and close them
    viewerMade.cards.closeAll();
  });

  svg.addEventListener("mousemove", (event) => {
    if (!viewerMade || viewerMade.camera.isMoving()) return;
    const node = inPicture(event) ? viewerMade.nodeAt(event) : null;
    if (node === viewerMade.hovered) return;
    if (node) viewerMade.hover(node, event);
    else viewerMade.leave();
  });
  svg.addEventListener("mouseleave", () => {
    if (viewerMade && viewerMade.hovered) viewerMade.leave();
  });

  // ---- the menu of a frame: right click, long press ---------------------------------------------
  function menuAt(event) {
    const viewer = load(), node = viewer.nodeAt(event);
    if (!node) return false;
    viewer.leave();
    viewer.openFrameMenu(node, event.clientX, event.clientY);
    return true;
  }
  svg.addEventListener("contextmenu", (event) => {
    if (event.shiftKey || !inPicture(event)) return;  // with Shift, the browser's own
    if (event.button !== 2 && viewerMade && viewerMade.current) return;  // of the menu key: see keyboard.js
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
}
