// SPDX-License-Identifier: MIT
// Cards with buttons and text above the page: menus, and what else opens and closes.
function makeCards(shell) {
  "use strict";
  const {make, cards: holder} = shell;
  const kMargin = 4;  // pixels, to the edge of the window
  shell.addStyle(`
    #cards .card { position: absolute; pointer-events: auto; color: var(--ink); background: var(--ground);
      border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 4px 16px rgba(0,0,0,.2);
      padding: 8px; overflow: auto; max-width: calc(100% - 8px); overflow-wrap: anywhere; }
    #cards .card .row { display: block; width: 100%; text-align: left; padding: 3px 8px;
      white-space: normal; }
    #page #cards .card .row { border: none; background: transparent; min-height: 24px; }
    #page #cards .card .row:hover, #page #cards .card .row:focus-visible { background: var(--mark); }
    #cards .card .row[aria-checked]::before { content: "\\2610\\00a0"; }
    #cards .card .row[aria-checked=true]::before { content: "\\2611\\00a0"; }
    #cards .card h2 { font-size: inherit; margin: 8px 8px 2px; }
    #cards .card h2:first-child { margin-top: 0; }
    #cards .card p { margin: 2px 8px; }
    #cards .card kbd { float: right; margin-left: 12px; color: var(--ink-soft); font: inherit; }
    #page .swatch { display: inline-block; width: 10px; height: 10px; margin-right: 5px;
      border: 1px solid rgba(120,120,120,.6); border-radius: 2px; }
    #cards .card table { border-collapse: collapse; width: 100%; }
    #cards .card td { padding: 1px 8px; vertical-align: top; }
    #page #cards .card .close { float: right; border: none; background: transparent; min-height: 24px; }
    @media (pointer: coarse) { #page #cards .card .row, #page #cards .card .close { min-height: 44px; } }`);

  const open = new Map();  // by id: {card, opener}

  function close(id) {
    const found = open.get(id);
    if (!found) return false;
    const hadFocus = found.card.contains(document.activeElement);
    open.delete(id);
    found.card.remove();
    if (hadFocus && found.opener && found.opener.focus) {
      // a frame is drawn anew when the view changes
      const again = found.opener.isConnected ? found.opener
                                             : shell.stage.querySelector("#frames [tabindex='0']");
      if (again) again.focus({preventScroll: true});
    }
    return true;
  }

  const focusables = (card) => Array.from(card.querySelectorAll("button, input, [tabindex]"));

  // Shows `content` as the card `id`. `where` is {x, y} in the window, or {under: an element}; and
  // {width} in pixels.
  function show(id, label, content, where, role = "dialog") {
    const opener = open.has(id) ? open.get(id).opener : document.activeElement;
    const before = open.has(id) ? open.get(id).card : null;
    const scroll = before ? before.scrollTop : 0;
    const focused = before ? focusables(before).indexOf(document.activeElement) : -1;
    if (before) before.remove();
    const card = make("div", {id, class: "card", role, "aria-label": label}, ...content);
    holder.append(card);
    open.set(id, {card, opener});
    const right = holder.clientWidth, bottom = holder.clientHeight;
    const box = where.under ? where.under.getBoundingClientRect() : null;
    card.style.maxHeight = bottom - (box ? box.bottom : 0) - 2 * kMargin + "px";
    const width = Math.min(where.width || 320, right - 2 * kMargin);
    card.style[where.width ? "width" : "maxWidth"] = width + "px";
    const between = (value, most) => Math.max(kMargin, Math.min(value, most - kMargin));
    card.style.left = between(box ? box.right - card.offsetWidth : where.x,
                              right - card.offsetWidth) + "px";
    card.style.top = between(box ? box.bottom + kMargin : where.y, bottom - card.offsetHeight) + "px";
    card.scrollTop = scroll;
    // one that is shown anew keeps the keyboard where it was
    if (focused >= 0 && focusables(card)[focused])
      focusables(card)[focused].focus({preventScroll: true});
    return card;
  }

  const isOpen = (id) => open.has(id);
  const contains = (element) => holder.contains(element);
  const closeAll = () => Array.from(open.keys()).map(close).some(Boolean);

  // The up and down keys move between the rows of a card.
  holder.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const card = event.target.closest(".card");
    const all = Array.from(card.querySelectorAll("button, tr[tabindex]"))
        .filter((one) => !one.disabled);
    const at = all.indexOf(event.target);
    if (at < 0) return;
    event.preventDefault();
    all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length].focus();
  });

  return {show, close, closeAll, isOpen, contains};
}
