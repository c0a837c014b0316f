// SPDX-License-Identifier: MIT
// The card of the button "?": what widths and colours mean, and the keys.
function makeHelpCard(viewer) {
  "use strict";
  const {cards, texts, tree} = viewer, {make} = viewer.shell;

  function legend() {
    const {state, view, difference} = viewer;
    const width = "Width: " + texts.name + " of a frame and of all that it called" +
        (state.leaf ? " on the way to the leaf below it" : "") +
        (difference.tree().showsVanished ? ", and hatched what vanished from it" : "") + ". Side by side: " +
        (state.width ? "the widest first" : tree.inputOrder && view.plain ? "as in the input"
                                                                        : "by name, not time") + ".";
    const colours = legendOf(viewer);
    return [make("h2", {}, "Legend"), make("p", {}, width),
            ...colours.map(([text, colour]) => make("p", {},
                colour ? make("span", {class: "swatch", style: "background:" + colour}) : null, text))];
  }

  const keys = [
    ["arrows", "to the frame above, below, beside"], ["Home, End", "to the root, to the leaf above"],
    ["Enter, click", "zoom"],
    ["Ctrl-wheel, two fingers, Shift-Up, Shift-Down", "zoom to any part"],
    ["drag, Shift-Left, Shift-Right", "move sideways"],
    ["Menu key, right click, long press", "hide, focus, copy"],
    ["/, Ctrl-F, F3", "search"], ["N, Shift-N", "next, previous match"],
    ["Ctrl-Enter", "in the search field: another term"], ["Ctrl-I", "ignore case"],
    ["X", "callers above and callees below a frame or a row of the table"],
    ...(viewer.canAlign ? [["A", "one row of kernels and one of reasons, or every frame"]] : []),
    ["I", "root on top"], ["L", "from the leaves"], ["W", "sort by width"], ["U", "fold repeats"],
    ...(viewer.reasons.occur ? [["R", "reasons first"]] : []),
    ...(viewer.difference.isHere ? [["V", "widths before, after, of both"], ["T", "change of itself, of all"],
                                    ["N", "absolute, normalised (while nothing is searched)"],
                                    ["B, held", "as it was before"]] : []),
    ...(viewer.listing ? [["D", "instructions of a kernel; N, P and arrows in them"]] : []),
    ...(viewer.tabs ? [["1 to 9", "another profile of the page"]] : []),
    ["S", "table"], ["C", "colours for the colour-blind"], ["0", "undo every change of the view"],
    ["Esc", "close, end the search, zoom out"], ["Alt-Left, Alt-Right", "back, forward"], ["?", "this list"],
  ];

  function open() {
    const wasOpen = cards.isOpen("help");
    const content = [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => cards.close("help")}, "\u00d7"),
      ...legend(), make("h2", {}, "Keys"),
      make("table", {}, ...keys.map(([key, text]) => make("tr", {}, make("td", {}, key), make("td", {}, text)))),
    ];
    const card = cards.show("help", "Help", content, {under: viewer.shell.page.querySelector("#helpbutton"), width: 320});
    if (!wasOpen) card.querySelector(".close").focus({preventScroll: true});
  }
  const update = () => { if (cards.isOpen("help")) open(); };

  return {open, update};
}

// The colours that are shown: [text, colour].
function legendOf(viewer) {
  "use strict";
  const {difference, state} = viewer;
  if (difference.isHere) return difference.legend(state.safe).map(({text, colour}) => [text, colour]);
  return state.safe ? viewer.palette().legend() : fileLegend(viewer.svg);
}
