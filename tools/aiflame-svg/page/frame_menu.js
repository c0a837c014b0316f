// SPDX-License-Identifier: MIT
// The menu of one frame.
function makeFrameMenu(viewer) {
  "use strict";
  const {cards, save} = viewer, {make} = viewer.shell;

  // `frame`: {title, name (raw, "" for none), stack (raw names, the root first)}
  function open(frame, x, y) {
    const row = (id, text, action) => make("button", {class: "row", id, role: "menuitem",
      onclick: () => {
        cards.close("framemenu");
        action();
      }}, text);
    const content = [make("p", {}, frame.title), row("menuzoom", "Zoom", frame.zoom)];
    if (frame.name)
      content.push(row("menufocus", "Focus on every instance", () => viewer.focusOnName(frame.name)),
                   row("menuhide", "Hide every instance", () => viewer.hideName(frame.name)),
                   row("menusearch", "Search for this name",
                       () => viewer.searchFor([viewer.exactly(frame.name)])),
                   row("copyname", "Copy name", () => save.copy(frame.shown, "Name")),
                   row("copystack", "Copy stack", () => save.copy(frame.stack.join(";"), "Stack")));
    const card = cards.show("framemenu", frame.title, content, {x, y, width: 260}, "menu");
    card.querySelector("button").focus({preventScroll: true});
  }

  return {open};
}
