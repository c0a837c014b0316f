// SPDX-License-Identifier: MIT
// The card of the button "View": how the tree is shown, what colours and widths mean, and the keys.
function makeViewMenu(viewer) {
  "use strict";
  const {cards: overlay, texts, tree} = viewer, {make} = viewer.shell;

  function toggle(key, text, shortcut, checked) {
    return make("button", {class: "row", role: "menuitemcheckbox", "aria-checked": String(checked),
                           "data-option": key, onclick: () => viewer.toggle(key)},
                text, shortcut ? make("kbd", {}, shortcut) : null);
  }
  const plain = (id, text, shortcut, onclick) =>
      make("button", {class: "row", id, role: "menuitem", onclick}, text,
           shortcut ? make("kbd", {}, shortcut) : null);
  const heading = (text) => make("h2", {}, text);

  function legend() {
    const {state, view} = viewer;
    const width = "Width: " + texts.name + " of a frame and of all that it called" +
        (state.leaf ? " on the way to the leaf below it" : "") +
        (viewer.difference.tree().showsVanished ? ", and hatched what vanished from it" : "") + ". Side by side: " +
        (state.width ? "the widest first" : tree.inputOrder && view.plain ? "as in the input"
                                                                        : "by name, not time") + ".";
    const colours = viewer.difference.isHere
        ? viewer.difference.legend(state.safe).map(({text, colour}) => [text, colour]) : state.safe ? viewer.palette().legend() : fileLegend(viewer.svg, tree);
    return [heading("Legend"), make("p", {}, width),
            ...colours.map(([text, colour]) => make("p", {},
                colour ? make("span", {class: "swatch", style: "background:" + colour}) : null, text))];
  }

  const keys = [
    ["arrows", "to the frame above, below, beside"], ["Enter, click", "zoom"],
    ["Menu key, right click, long press", "hide, focus, copy"],
    ["Ctrl-F, F3, /", "search"], ["N, Shift-N", "next, previous match"],
    ["Ctrl-I", "ignore case"], ["Esc", "close, end the search, zoom out"],
    ["Alt-Left, Alt-Right", "back, forward"], ["?", "this list"],
  ];

  function open() {
    const {state} = viewer;
    const layers = viewer.hasDevice ? kLayers : null;
    const content = [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => overlay.close("viewmenu")}, "\u00d7"),
      heading("View"),
      toggle("flip", "Root on top", "I", state.flip),
      toggle("leaf", "Merge from the leaves", "L", state.leaf),
      toggle("width", "Sort by width", "W", state.width),
      toggle("safe", "Colours for the colour-blind", "C", state.safe),
    ];
    if (layers) {
      content.push(heading("Layers"));
      for (const {key, text} of layers)
        content.push(toggle("layer-" + key, text, "", !state.folded.includes(key)));
      content.push(toggle("swap", "Reasons before instructions", "R", state.swap));
      content.push(plain("opensums", "Sums by reason, kernel, instruction", "S", () => viewer.table.open()));
    }
    if (state.focus || state.hidden.length > 0) {
      content.push(heading("Changed"));
      if (state.focus)
        content.push(plain("unfocus", "\u00d7 focus on " + state.focus, "", () => viewer.focusOnName("")));
      for (const name of state.hidden)
        content.push(plain(undefined, "\u00d7 hidden: " + name, "", () => viewer.change({hidden: state.hidden.filter((one) => one !== name)})));
    }
    if (viewer.isChanged()) content.push(plain("resetview", "Reset all", "0", viewer.reset));
    content.push(...legend(), heading("Keys"),
                 make("table", {}, ...keys.map(([key, text]) =>
                     make("tr", {}, make("td", {}, key), make("td", {}, text)))));
    const had = document.activeElement && document.activeElement.dataset.option;
    const card = overlay.show("viewmenu", "View", content, {under: viewer.shell.buttons, width: 300});
    const again = had && card.querySelector('[data-option="' + had + '"]');
    (again || card.querySelector("button.row")).focus({preventScroll: true});
  }
  const update = () => { if (overlay.isOpen("viewmenu")) open(); };

  return {open, update};
}
