// SPDX-License-Identifier: MIT
// The card of the button "View": how the tree is shown, what colours and widths mean, and the keys.
function makeViewMenu(overlay, actions) {
  "use strict";
  const {make} = overlay;

  function toggle(key, text, shortcut, checked) {
    return make("button", {class: "row", role: "menuitemcheckbox", "aria-checked": String(checked),
                           "data-option": key, onclick: () => actions.toggle(key)},
                text, shortcut ? make("kbd", {}, shortcut) : null);
  }
  const plain = (id, text, shortcut, onclick) =>
      make("button", {class: "row", id, role: "menuitem", onclick}, text,
           shortcut ? make("kbd", {}, shortcut) : null);
  const heading = (text) => make("h2", {}, text);

  function legend() {
    const {colours, width} = actions.legend();
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
    const state = actions.state();
    const layers = actions.layers();
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
      content.push(plain("opensums", "Sums by reason, kernel, instruction", "S", actions.sums));
    }
    if (state.focus || state.hidden.length > 0) {
      content.push(heading("Changed"));
      if (state.focus)
        content.push(plain("unfocus", "\u00d7 focus on " + state.focus, "", () => actions.focus("")));
      for (const name of state.hidden)
        content.push(plain(undefined, "\u00d7 hidden: " + name, "", () => actions.unhide(name)));
    }
    if (actions.isChanged()) content.push(plain("resetview", "Reset all", "0", actions.reset));
    content.push(...legend(), heading("Keys"),
                 make("table", {}, ...keys.map(([key, text]) =>
                     make("tr", {}, make("td", {}, key), make("td", {}, text)))));
    const had = document.activeElement && document.activeElement.dataset.option;
    const card = overlay.show("viewmenu", "View", content, {corner: "top left", width: 300, below: 34});
    const again = had && card.querySelector('[data-option="' + had + '"]');
    (again || card.querySelector("button.row")).focus({preventScroll: true});
  }
  const update = () => { if (overlay.isOpen("viewmenu")) open(); };

  return {open, update};
}
