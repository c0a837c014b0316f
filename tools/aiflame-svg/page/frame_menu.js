// SPDX-License-Identifier: MIT
// The menu of one frame.
function makeFrameMenu(viewer) {
  "use strict";
  const {cards: overlay} = viewer, {make} = viewer.shell;

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch (error) {
      // not allowed, or missing on insecure pages: the old way
      const area = make("textarea", {"aria-hidden": "true", style: "width:1px;height:1px"});
      area.value = text;
      overlay.show("copying", "Copying", [area], {x: 0, y: 0});
      area.select();
      document.execCommand("copy");
      overlay.close("copying");
    }
  }

  // `frame`: {title, name (raw, "" for none), stack (raw names, the root first)}
  function open(frame, x, y) {
    const row = (id, text, action) => make("button", {class: "row", id, role: "menuitem",
      onclick: () => {
        overlay.close("framemenu");
        action();
      }}, text);
    const content = [make("p", {}, frame.title), row("menuzoom", "Zoom", frame.zoom)];
    if (frame.name)
      content.push(row("menufocus", "Focus on every instance", () => viewer.focusOnName(frame.name)),
                   row("menuhide", "Hide every instance", () => viewer.hideName(frame.name)),
                   row("menusearch", "Search for this name", () => viewer.searchFor([viewer.exactly(frame.name)])),
                   row("copyname", "Copy name", () => copy(frame.shown)),
                   row("copystack", "Copy stack", () => copy(frame.stack.join(";"))));
    const card = overlay.show("framemenu", frame.title, content, {x, y, width: 260}, "menu");
    card.querySelector("button").focus({preventScroll: true});
  }

  return {open};
}
