// SPDX-License-Identifier: MIT
// Where a card of `size` lies beside `point`, in a window of `room`: above the point or below it, as
// `above` says, or on the other side where there is more room. It is never under the point.
// {left, top, height}: the height is that of the card, or as much of it as there is room for.
function cardPlace(point, size, room, above, offset) {
  "use strict";
  const kMargin = 4;
  const heights = {true: point.y - offset - kMargin, false: room.height - point.y - offset - kMargin};
  const onTop = heights[above] >= size.height || heights[above] >= heights[!above] ? above : !above;
  const height = Math.min(size.height, heights[onTop]);
  let left = point.x + offset;
  if (left + size.width > room.width - kMargin) left = point.x - offset - size.width;
  if (left < kMargin) left = Math.max(kMargin, Math.min(point.x, room.width - kMargin - size.width));
  return {left, top: onTop ? point.y - offset - height : point.y + offset, height};
}

// The card at the pointer, or at the frame that has the keyboard: what a frame is, its shares, its
// stack, and what its stall reason means.
function makeHoverCard(viewer) {
  "use strict";
  const kWait = 120, kWaitForKeys = 400;  // milliseconds
  const kOffset = 12, kWidth = 392;       // pixels: from the pointer, of the card
  const kCrumbs = 3;                      // of a stack, at each of its ends
  const kFrames = 6;                      // of those in one row, too
  const {shell, drawing, texts, facts} = viewer;
  const {make} = shell;
  shell.addStyle(`
    #hovercard { position: absolute; box-sizing: border-box; width: ${kWidth}px;
      max-width: calc(100% - 8px); padding: 10px 14px; overflow: hidden; pointer-events: none;
      color: var(--ink); background: var(--ground); border: 1px solid var(--line);
      border-radius: 8px; box-shadow: 0 4px 16px rgba(0,0,0,.2);
      font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
    #hovercard p { margin: 0 0 4px; }
    #hovercard .kind, #hovercard .stack { color: var(--ink-soft); }
    #hovercard .name { font-size: 13px; margin-right: 8px; }
    #hovercard .name.code { font: var(--mono); font-weight: 600; }
    #hovercard .count { margin-right: 8px; }
    #hovercard .bar { height: 6px; border-radius: 3px; background: var(--line); margin: 6px 0;
      overflow: hidden; }
    #hovercard .bar > div { height: 100%; min-width: 2px; border-radius: 3px;
      box-shadow: inset 0 0 0 1px rgba(0,0,0,.3); }
    #hovercard .why { height: 8px; margin: 6px 0 4px; }
    #hovercard .reason { border-top: 1px solid var(--line); padding: 6px 0 0 18px; margin: 6px 0 0;
      position: relative; }
    #hovercard .swatch { position: absolute; left: 0; top: 10px; width: 10px; height: 10px;
      border-radius: 3px; }
    @media (forced-colors: active) { #hovercard .bar > div { background: Highlight !important; } }`);
  let card = null, shownFor = null;
  let wanted = null, timer = 0, isFocusWaiting = false;  // the frame whose card will be shown
  let dismissed = null;        // the frame whose card was hidden, until the pointer leaves it
  let pointer = {x: 0, y: 0}, isTouch = false;
  let usesKeys = false;        // what the reader did last was with the keyboard
  let described = null;        // the element with the keyboard, whose description the card is

  // ---- what it says -----------------------------------------------------------------------------
  function headOf(node) {
    const kind = viewer.kindOf(node), onDevice = /^(Offset|Instruction|Reason)$/.test(kind);
    const kernel = onDevice ? facts.kernelOf(node) : null;
    return make("p", {},
                make("b", {class: facts.isCode(node) ? "name code" : "name"}, facts.nameOf(node)),
                make("span", {class: "kind"}, kind + (kernel ? " in " + facts.shortName(kernel, 40) : "")));
  }

  function numbersOf(node) {
    if (viewer.difference.isHere) return facts.numbers(node).map((line) => make("p", {}, line));
    const of = [];
    if (node.name !== 0) of.push(facts.percent(node.total, texts.whole) + " of all");
    if (facts.isZoomedOn(node)) of.push(facts.percent(node.total, viewer.zoomed.total) + " of view");
    if (facts.hasOwn(node)) of.push("self " + facts.percent(facts.ownCount(node), texts.whole));
    return [make("p", {}, make("b", {class: "count"}, drawing.quantityOf(node)),
                 of.join(" \u00b7 ")), ...facts.notesOf(node).map((line) => make("p", {}, line))];
  }

  const launchesOf = (node) =>
      facts.launchesOf(node).map((line) => make("p", {class: "launch"}, line));

  function barOf(node, colour) {
    const part = make("div");
    part.style.width = Math.min(100, 100 * Number(node.total) / Math.max(texts.whole, 1)) + "%";
    part.style.background = colour;
    return make("div", {class: "bar"}, part);
  }

  // The first and the last of the frames that a node stands for.
  function framesOf(node) {
    const frames = facts.framesOf(node), few = frames.length <= 2 * kFrames + 1;
    if (frames.length === 0) return null;
    const shown = few ? frames : [...frames.slice(0, kFrames), "\u2026 " + (frames.length - 2 * kFrames) + " \u2026",
                                  ...frames.slice(-kFrames)];
    return make("p", {class: "frames"}, shown.join(" \u203a "));
  }

  function stackOf(node) {
    const path = facts.stackOf(node).slice(0, -1).reverse();
    if (path.length === 0) return null;
    const few = path.length <= 2 * kCrumbs + 1;
    const near = (few ? path : path.slice(0, kCrumbs)).map((one) => facts.shortName(one)).reverse();
    const far = few ? [] : path.slice(-kCrumbs).map((one) => facts.shortName(one)).reverse();
    const folded = few ? [] : ["\u2026 " + (path.length - 2 * kCrumbs) + " \u2026"];
    return make("p", {class: "stack"}, [...far, ...folded, ...near].join(" \u203a "));
  }

  // Of a frame below its reasons: what share of its samples has which kind of reason.
  function whyOf(node) {
    const list = facts.kindsOf(node);
    if (list.length === 0) return null;
    return make("div", {class: "whyline"}, viewer.why.bar(viewer.why.of(node).kinds, node.total),
                make("p", {}, list.join(" \u00b7 ")));
  }

  function adviceOn({reason, name, share}) {
    const swatch = make("span", {class: "swatch"});
    swatch.style.background = viewer.colourOfName(name);
    return make("div", {class: "reason"}, swatch,
                make("p", {}, make("b", {}, reason.name + (share ? " " + share : "")),
                     " \u2014 " + reason.meaning),
                reason.advice ? make("p", {}, "Try: " + reason.advice) : null);
  }

  function contentOf(node) {
    const reason = facts.reasonOf(node);
    const colour = reason && !reason.share && !viewer.difference.isHere
        ? backgroundOf(viewer.colourOfName(reason.name)) : facts.colourOf(node);
    return [headOf(node), ...numbersOf(node), barOf(node, colour), ...launchesOf(node), framesOf(node), stackOf(node),
            whyOf(node), reason ? adviceOn(reason) : null].filter(Boolean);
  }

  // ---- the browser's own tooltip ----------------------------------------------------------------
  // An empty title within what is under the pointer takes the place of that of the frame, which
  // stays for those who read the elements.
  let covers = [];
  function coverTitle(element) {
    uncoverTitle();
    for (const part of element.tagName === "path" ? [element] : element.querySelectorAll("rect")) {
      const cover = document.createElementNS(viewer.svg.namespaceURI, "title");
      part.append(cover);
      covers.push(cover);
    }
  }
  function uncoverTitle() {
    for (const cover of covers) cover.remove();
    covers = [];
  }

  // ---- showing and hiding -----------------------------------------------------------------------
  const isMenuOpen = () => shell.cards.querySelector("[role=menu], [role=dialog]") !== null;

  function show(node, point, element) {
    if (isMenuOpen()) return;
    if (!card) shell.cards.append(card = make("div", {id: "hovercard", role: "tooltip"}));
    if (shownFor !== node) card.replaceChildren(...contentOf(node));
    shownFor = node;
    isFocusWaiting = false;
    coverTitle(element);
    if (element === document.activeElement) {
      element.setAttribute("aria-describedby", card.id);
      described = element;
    }
    move(point);
  }
  function move(point) {
    card.style.maxHeight = "";
    const {left, top, height} = cardPlace(point, {width: card.offsetWidth, height: card.offsetHeight},
        {width: shell.cards.clientWidth, height: shell.cards.clientHeight}, !viewer.state.flip, kOffset);
    card.style.left = left + "px";
    card.style.top = top + "px";
    card.style.maxHeight = height + "px";
  }
  function hide() {
    clearTimeout(timer);
    wanted = null;
    isFocusWaiting = false;
    if (!card) return;
    card.remove();
    if (described) described.removeAttribute("aria-describedby");
    card = shownFor = described = null;
    uncoverTitle();
  }

  function showLater(node, wait, place, element) {
    clearTimeout(timer);
    wanted = node;
    timer = setTimeout(() => show(node, place(), element), wait);
  }
  function atPointer(node, event) {
    if (isTouch || node === dismissed) return;
    dismissed = null;
    pointer = {x: event.clientX, y: event.clientY};
    const element = event.target.closest("#frames > *, #slivers > *");
    if (card) show(node, pointer, element);
    else if (wanted !== node) showLater(node, kWait, () => pointer, element);
  }
  // For those who move by keyboard: beside the frame.
  function atFocus(node) {
    hide();
    const element = drawing.elementOf(node);
    if (!element || !usesKeys) return;  // a click moves the focus too
    showLater(node, kWaitForKeys, () => {
      const box = element.getBoundingClientRect();
      const x = Math.max(0, Math.min(box.left, window.innerWidth - kWidth - kOffset));
      return {x, y: viewer.state.flip ? box.bottom : box.top};
    }, element);
    isFocusWaiting = true;
  }

  viewer.hovered = null;
  viewer.hover = (node, event) => {
    viewer.hovered = node;
    drawing.outline(node);
    viewer.status.describe(node);
    if (event) atPointer(node, event);
    else atFocus(node);
  };
  viewer.leave = () => {
    viewer.hovered = dismissed = null;
    drawing.outline(null);
    viewer.status.leave();
    hide();
  };

  window.addEventListener("pointermove", (event) => {
    isTouch = event.pointerType === "touch";
    pointer = {x: event.clientX, y: event.clientY};
    if (card && viewer.hovered === shownFor) move(pointer);
  }, true);
  window.addEventListener("pointerdown", (event) => {
    isTouch = event.pointerType === "touch";
    usesKeys = false;
    hide();
  }, true);
  // Hidden by a key, it stays so until the pointer finds another frame.
  window.addEventListener("keydown", (event) => {
    if (/^(Shift|Control|Alt|Meta|AltGraph)$/.test(event.key)) return;
    usesKeys = true;
    if (card || wanted) dismissed = viewer.hovered;
    hide();
  }, true);
  // The focus may scroll its frame into the window before the card of it appears.
  window.addEventListener("scroll", () => { if (!isFocusWaiting) hide(); },
                          {capture: true, passive: true});
  window.addEventListener("blur", hide);

  return {update: hide};
}
