// SPDX-License-Identifier: MIT
// The buttons of the bar above the picture. In a narrow window they lie in a sheet at its foot, which
// the button "Menu" opens.
function makeToolbar(viewer) {
  "use strict";
  const {shell} = viewer, {make, buttons} = shell;
  shell.addStyle(`
    #buttons button { display: inline-flex; align-items: center; gap: 6px;
      min-width: var(--touch); }
    #buttons button[hidden] { display: none; }
    #buttons kbd { font: inherit; color: var(--ink-soft); }
    #buttons .icon, #helpbutton .text, #menubutton { display: none; }
    #page #helpbutton { justify-content: center; }
    #helpbutton .icon { display: inline; }
    @media (max-width: 599px) {
      #page #menubutton { display: inline-block; }
      #heading { flex-basis: 100%; }
      #buttons:not(.open) { display: none; }
      #buttons { position: fixed; left: 0; right: 0; bottom: 0; padding: 12px 8px;
        display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px;
        max-height: 70vh; overflow: auto; background: var(--ground); border-top: 1px solid var(--line);
        box-shadow: 0 -4px 16px rgba(0,0,0,.2); }
      #page #buttons button { min-height: 44px; }
      #buttons .icon { display: inline-block; width: 1.3em; font-size: 16px; text-align: center; }
      #buttons kbd { margin-left: auto; }
      #page #helpbutton { justify-content: flex-start; }
      #helpbutton .text { display: inline; }
      #bar.sheet { z-index: 6; }
    }`);

  function button(id, icon, text, key, title, onclick) {
    return make("button", {id, title, onclick: () => {
      close();
      onclick();
    }, "aria-keyshortcuts": key ? key.toUpperCase() : undefined},
    make("span", {class: "icon", "aria-hidden": "true"}, icon), make("span", {class: "text"}, text),
    key ? make("kbd", {"aria-hidden": "true"}, key.toUpperCase()) : null);
  }
  // A button that opens a card, or closes it.
  function opener(id, icon, text, title, card, part) {
    const one = button(id, icon, text, "", title, () => {
      if (viewer.cards.isOpen(card)) viewer.cards.close(card);
      else part().open();
    });
    one.setAttribute("aria-haspopup", "dialog");
    return {button: one, card};
  }

  const unzoom = button("unzoombutton", "\u2922", "Reset zoom", "", "Show the whole profile (Esc)",
                        () => viewer.zoomOut());
  const reset = button("resetbutton", "\u21ba", "Reset", "0", "Undo every change of the view",
                       () => viewer.reset());
  const switches = [
    ["swap", button("swapbutton", "\u21c5", "Reasons first", "r",
                    "Stall reasons before the instructions that wait", () => viewer.toggle("swap"))],
    ["leaf", button("leafbutton", "\u2913", "From leaves", "l",
                    "Merge the stacks from their leaves", () => viewer.toggle("leaf"))],
  ];
  const table = button("tablebutton", "\u2261", "Table", "s", "Sums of the view", () => viewer.toggle("table"));
  const code = viewer.svg.querySelector("#listings") === null ? null
      : button("codebutton", "\u25a4", "Instructions", "d", "The instructions of the kernel", () => viewer.listing.toggle());
  const view = opener("viewbutton", "\u2699", "View", "How the stacks are shown; save and copy", "viewmenu",
                      () => viewer.menu);
  const help = opener("helpbutton", "?", "Help", "Keys and colours (?)", "help", () => viewer.help);
  help.button.setAttribute("aria-label", "Help");
  if (!viewer.reasons.occur) switches.shift();
  buttons.append(unzoom, reset, ...switches.map(([, one]) => one), table, ...(code ? [code] : []), view.button, help.button);

  // ---- the sheet of a narrow window --------------------------------------------------------------
  const menu = make("button", {id: "menubutton", "aria-haspopup": "true", "aria-controls": "buttons",
                               "aria-expanded": "false", onclick: () => show(!isShown())}, "Menu");
  shell.find.after(menu);
  const isShown = () => buttons.classList.contains("open");
  function show(shown) {
    buttons.classList.toggle("open", shown);
    shell.bar.classList.toggle("sheet", shown);  // above the bar at the foot
    menu.setAttribute("aria-expanded", String(shown));
    if (shown) buttons.querySelector("button:not([hidden])").focus({preventScroll: true});
  }
  function close() {
    if (!isShown()) return;
    show(false);
    menu.focus({preventScroll: true});
  }
  buttons.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isShown()) return;
    close();
    event.preventDefault();
    event.stopPropagation();
  });
  shell.page.addEventListener("pointerdown", (event) => {
    if (isShown() && !buttons.contains(event.target) && event.target !== menu) show(false);
  });

  // Cards open and close in many ways.
  new MutationObserver(() => {
    for (const one of [view, help])
      one.button.setAttribute("aria-expanded", String(viewer.cards.isOpen(one.card)));
  }).observe(shell.cards, {childList: true});

  // A button that disappears hands the focus on.
  function hide(one, hidden) {
    if (hidden && one === document.activeElement) view.button.focus({preventScroll: true});
    one.hidden = hidden;
  }
  function update() {
    const {state} = viewer;
    hide(unzoom, viewer.zoomed === viewer.view.root && !viewer.span);
    hide(reset, !viewer.isChanged());
    for (const [key, one] of switches) one.setAttribute("aria-pressed", String(state[key]));
    table.setAttribute("aria-pressed", String(state.table));
    if (code) code.setAttribute("aria-pressed", String(state.listing !== ""));
  }
  return {update};
}
