// SPDX-License-Identifier: MIT
// The address of a page of aiflame-annotate, which then says where this picture is.
function withWayBack(address) {
  "use strict";
  const hash = address.indexOf("#"), page = hash < 0 ? address : address.slice(0, hash);
  if (page.includes("?") || !/^(https?|file):$/.test(location.protocol)) return address;
  return page + "?from=" + encodeURIComponent(location.href) + (hash < 0 ? "" : address.slice(hash));
}

// The menu of one frame, or of all frames of a name.
function makeFrameMenu(viewer) {
  "use strict";
  const {cards, save} = viewer, {make} = viewer.shell;

  // `frame`: {code (shows its instructions here; or null), listing (the address of aiflame-annotate's page, "" for none), title, name (raw, "" for none), stack (raw names, the root first)}; without zoom
  // and stack for a name of the table
  function open(frame, x, y) {
    const row = (id, text, action) => make("button", {class: "row", id, role: "menuitem",
      onclick: () => {
        cards.close("framemenu");
        action();
      }}, text);
    const rows = frame.zoom ? [row("menuzoom", "Zoom", frame.zoom)] : [];
    if (frame.code) rows.push(row("menucode", "Show the instructions", frame.code));
    if (frame.listing)
      rows.push(row("menulisting", "Open the listing", () => window.open(withWayBack(frame.listing), "_blank", "noopener")));
    if (frame.name)
      rows.push(row("menufocus", "Focus on every instance", () => viewer.focusOnName(frame.name)),
                row("menusandwich", "Callers and callees", () => viewer.showSandwich(frame.name)),
                row("menuhide", "Hide every instance", () => viewer.hideName(frame.name)),
                row("menusearch", "Search for this name",
                    () => viewer.searchFor([viewer.exactly(frame.name)])),
                row("copyname", "Copy name", () => save.copy(frame.shown, "Name")));
    if (frame.name && frame.stack)
      rows.push(row("copystack", "Copy stack", () => save.copy(frame.stack.join(";"), "Stack")));
    const card = cards.show("framemenu", frame.title, [
      make("p", {}, frame.title), make("div", {role: "menu", "aria-label": frame.title}, ...rows),
    ], {x, y, width: 260});
    card.querySelector("button").focus({preventScroll: true});
  }

  return {open};
}
