// SPDX-License-Identifier: MIT
// Cards with buttons and text on top of the picture. They are HTML inside the SVG, which every
// browser with scripts shows. All text is inserted as text.
function makeOverlay(svg) {
  "use strict";
  const kHtml = "http://www.w3.org/1999/xhtml";
  const kStyle = `
    #slivers > *:hover { cursor: pointer; }
    #overlay { overflow: visible; pointer-events: none; }
    #overlay * { box-sizing: border-box; }
    .card { --ink: #222; --paper: #fff; --line: #bbb; --mark: #dde8ff;
      position: absolute; pointer-events: auto; color: var(--ink); background: var(--paper);
      border: 1px solid var(--line); border-radius: 4px; box-shadow: 0 2px 8px rgba(0,0,0,.3);
      font: 12px Verdana, "DejaVu Sans", sans-serif; line-height: 1.4; padding: 6px;
      overflow: auto; max-width: calc(100% - 8px); overflow-wrap: anywhere; }
    .card button, .card input { font: inherit; color: inherit; background: transparent;
      border: 1px solid var(--line); border-radius: 3px; padding: 2px 6px; margin: 1px; }
    .card button { cursor: pointer; }
    .card button:hover, .card button:focus-visible { background: var(--mark); }
    .card button[disabled] { opacity: .4; cursor: default; }
    .card .row { display: block; width: 100%; text-align: left; border: none; padding: 3px 6px; }
    .card .row[aria-checked]::before { content: "\\2610\\00a0"; }
    .card .row[aria-checked=true]::before { content: "\\2611\\00a0"; }
    .card h2 { font: inherit; font-weight: bold; margin: 6px 6px 2px; }
    .card h2:first-child { margin-top: 0; }
    .card p { margin: 2px 6px; }
    .card kbd { float: right; margin-left: 12px; opacity: .6; font: inherit; }
    .card .swatch { display: inline-block; width: 10px; height: 10px; margin-right: 5px;
      border: 1px solid rgba(120,120,120,.6); }
    .card .chip { display: inline-block; margin: 2px 6px 0 0; }
    .card table { border-collapse: collapse; width: 100%; }
    .card td { padding: 1px 6px; vertical-align: top; }
    .card td.number { text-align: right; white-space: nowrap; width: 6.5em; }
    .card tr[tabindex] { cursor: pointer; }
    .card tr[tabindex]:hover, .card tr[tabindex]:focus { background: var(--mark); }
    .card .close { float: right; }
    #hint { pointer-events: none; }
    @media (prefers-color-scheme: dark) {
      .card { --ink: #ddd; --paper: #2b2b2b; --line: #666; --mark: #3a4a6a; color-scheme: dark; }
    }`;
  const holder = document.createElementNS(svg.namespaceURI, "foreignObject");
  holder.id = "overlay";
  for (const [key, value] of [["x", 0], ["y", 0], ["width", "100%"], ["height", "100%"]])
    holder.setAttribute(key, value);
  const style = document.createElementNS(svg.namespaceURI, "style");
  style.textContent = kStyle;
  svg.append(style, holder);

  // Makes an HTML element: make("button", {class: "row", onclick: f}, "text", child …)
  function make(name, attributes = {}, ...children) {
    const element = document.createElementNS(kHtml, name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  // The visible part of the picture, in its own pixels.
  function visible() {
    const matrix = svg.getScreenCTM().inverse();
    const from = new DOMPoint(0, 0).matrixTransform(matrix);
    const to = new DOMPoint(window.innerWidth, window.innerHeight).matrixTransform(matrix);
    const box = svg.viewBox.baseVal;
    return {left: Math.max(0, from.x), top: Math.max(0, from.y),
            right: Math.min(box.width, to.x), bottom: to.y};
  }

  const open = new Map();  // by id: {card, opener}

  // A picture may be lower than a card. Nothing outside an SVG is visible, so the picture is made
  // higher while the card is open.
  let pictureHeight = svg.viewBox.baseVal.height;
  const background = svg.querySelector("rect");
  function fitHeight() {
    const lowest = Math.max(0, ...Array.from(open.values(), ({card}) => card.offsetTop +
                                                                       card.offsetHeight + 4));
    const height = Math.max(pictureHeight, lowest);
    const box = svg.viewBox.baseVal;
    background.setAttribute("height", pictureHeight);  // so that its gradient stays as it is
    if (height === box.height) return;
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", "0 0 " + box.width + " " + height);
  }
  function setHeight(height) {
    pictureHeight = height;
    fitHeight();
  }

  function close(id) {
    const found = open.get(id);
    if (!found) return false;
    const hadFocus = found.card.contains(document.activeElement);
    open.delete(id);
    found.card.remove();
    fitHeight();
    if (hadFocus && found.opener && found.opener.isConnected && found.opener.focus)
      found.opener.focus({preventScroll: true});
    return true;
  }

  // Shows `content` as the card `id`, at {x, y} or in a corner of the visible part.
  function show(id, label, content, where, role = "dialog") {
    const opener = open.has(id) ? open.get(id).opener : document.activeElement;
    const scroll = open.has(id) ? open.get(id).card.scrollTop : 0;
    if (open.has(id)) open.get(id).card.remove();
    const card = make("div", {id, class: "card", role, "aria-label": label}, ...content);
    holder.append(card);
    open.set(id, {card, opener});
    const seen = visible();
    const margin = 4;
    card.style.maxHeight = Math.max(60, window.innerHeight - 60) + "px";
    const w = Math.min(where.width || 320, seen.right - seen.left - 2 * margin);
    if (where.width) card.style.width = w + "px";
    else card.style.maxWidth = w + "px";
    let x = where.x, y = where.y;
    if (where.corner) {
      x = where.corner.includes("right") ? seen.right - card.offsetWidth - margin - 6
                                         : seen.left + margin + 6;
      y = seen.top + (where.below || 30);
      if (where.corner.includes("bottom")) {  // below the picture, or above its last line
        const room = seen.bottom - pictureHeight > card.offsetHeight + 2 * margin;
        y = room ? pictureHeight
                 : Math.min(seen.bottom, pictureHeight - 30) - card.offsetHeight - margin;
      }
    }
    x = Math.max(seen.left + margin, Math.min(x, seen.right - card.offsetWidth - margin));
    y = Math.max(seen.top + margin, Math.min(y, seen.bottom - card.offsetHeight - margin));
    card.style.left = x + "px";
    card.style.top = y + "px";
    card.scrollTop = scroll;
    fitHeight();
    return card;
  }

  const isOpen = (id) => open.has(id);
  const contains = (element) => holder.contains(element);
  // All cards but the hint, which disappears with the pointer.
  const closeAll = () => Array.from(open.keys()).filter((id) => id !== "hint").map(close).some(Boolean);

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

  return {make, show, setHeight, close, closeAll, isOpen, contains};
}
