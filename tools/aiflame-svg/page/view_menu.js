// SPDX-License-Identifier: MIT
// The card of the button "View": how the tree is shown, what was changed, and what can be taken away.
function makeViewMenu(viewer) {
  "use strict";
  const {cards, shell} = viewer, {make} = shell;

  function toggle(key, text, shortcut, checked) {
    return make("button", {class: "row", role: "checkbox", "aria-checked": String(checked),
                           "data-option": key, onclick: () => viewer.toggle(key)},
                text, shortcut ? make("kbd", {}, shortcut) : null);
  }
  const plain = (id, text, shortcut, onclick) =>
      make("button", {class: "row", id, onclick}, text,
           shortcut ? make("kbd", {}, shortcut) : null);
  const heading = (text) => make("h2", {}, text);
  // After these, the menu is no longer wanted.
  const last = (id, text, onclick) => plain(id, text, "", () => {
    cards.close("viewmenu");
    onclick();
  });

  function layers(state) {
    if (!viewer.hasDevice && !viewer.hasModel) return [];
    return [heading("Layers"), ...viewer.layers().foldable.map(({key, text}) =>
                toggle("layer-" + key, text, "", !state.folded.includes(key))),
            ...(viewer.reasons.occur ? [toggle("swap", "Reasons before instructions", "R", state.swap)]
                                     : [])];
  }
  function changes(state) {
    const {focus, hidden} = state;
    const rows = [];
    if (state.sandwich)
      rows.push(plain("unsandwich", "\u00d7 callers and callees of " + state.sandwich, "X", viewer.endSandwich));
    if (focus) rows.push(plain("unfocus", "\u00d7 focus on " + focus, "", () => viewer.focusOnName("")));
    for (const name of hidden)
      rows.push(plain(undefined, "\u00d7 hidden: " + name, "",
                      () => viewer.change({hidden: hidden.filter((one) => one !== name)})));
    if (viewer.isChanged()) rows.push(plain("resetview", "Reset all", "0", viewer.reset));
    return rows.length > 0 ? [heading("Changed"), ...rows] : [];
  }

  function open() {
    const {state} = viewer, {save} = viewer;
    const content = [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => cards.close("viewmenu")}, "\u00d7"),
      heading("View"),
      toggle("flip", "Root on top", "I", state.flip),
      toggle("leaf", "Merge from the leaves", "L", state.leaf),
      toggle("width", "Sort by width", "W", state.width),
      ...(viewer.canAlign ? [toggle("aligned", "Kernels and reasons in one row each", "A", state.aligned)] : []),
      toggle("runs", "Fold frames that repeat", "U", state.runs),
      toggle("safe", "Colours for the colour-blind", "C", state.safe),
      toggle("table", "Table", "S", state.table),
      ...(state.terms.length > 0 ? [toggle("filter", "Only stacks with a match", "", state.filter)] : []),
      ...layers(state), ...changes(state),
      heading("Save"),
      last("copylink", "Copy link", save.copyLink),
      last("copyfolded", "Copy as folded (this view)", save.copyFolded),
      last("savesvg", "Save picture of this view (SVG)", save.saveSvg),
      last("savepng", "Save picture of this view (PNG)", save.savePng),
      last("print", "Print", () => window.print()),
    ];
    const had = document.activeElement && document.activeElement.dataset.option;
    const card = cards.show("viewmenu", "View", content,
                            {under: viewer.shell.page.querySelector("#viewbutton"), width: 300});
    const again = had && card.querySelector('[data-option="' + had + '"]');
    (again || card.querySelector("button.row")).focus({preventScroll: true});
  }
  const update = () => { if (cards.isOpen("viewmenu")) open(); };

  return {open, update};
}
