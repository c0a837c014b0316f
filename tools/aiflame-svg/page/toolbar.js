// SPDX-License-Identifier: MIT
// The buttons of the bar above the picture.
function makeToolbar(viewer) {
  "use strict";
  const {shell} = viewer, {make} = shell;
  const unzoom = make("button", {id: "unzoombutton", onclick: () => viewer.zoomOut()}, "Reset zoom");
  const view = make("button", {id: "viewbutton", onclick: () => {
    if (viewer.cards.isOpen("viewmenu")) viewer.cards.close("viewmenu");
    else viewer.menu.open();
  }}, "View");
  const search = make("button", {id: "searchbutton", onclick: () => viewer.searchBox.open()}, "Search");
  shell.buttons.append(unzoom, search, view);

  function update() {
    unzoom.hidden = viewer.zoomed === viewer.view.root;
  }
  return {update};
}
