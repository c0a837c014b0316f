// SPDX-License-Identifier: MIT
// Which of a row of crumbs are folded away, as [from, to), so that the others fit into `room`: the
// first and the last stay, and of the others those nearest to the last. Only as many crumbs are
// measured as may fit.
function foldCrumbs(widthOf, number, room, dotsWidth) {
  "use strict";
  let all = 0;
  for (let i = 0; i < number && all <= room; ++i) all += widthOf(i);
  if (all <= room || number < 3) return [1, 1];
  let to = number - 1, used = widthOf(0) + dotsWidth + widthOf(to);
  while (to > 2 && used + widthOf(to - 1) <= room) used += widthOf(--to);
  return [1, to];
}

// The line under the toolbar: the frames from the root to the one that fills the picture, as
// buttons, and below it which part of the whole that is.
function makeTrail(viewer) {
  "use strict";
  const kPadding = 12, kBetween = 12;  // pixels: of a button, and of what is between two
  const kListed = 500;  // folded frames, in their menu
  const {shell, facts, cards, texts, difference} = viewer;
  const {make, trail, bar} = shell;
  shell.addStyle(`
    #trail { position: sticky; z-index: 2; background: var(--ground); padding-bottom: 4px; }
    #crumbrow { display: flex; align-items: center; gap: 8px; height: 22px; white-space: nowrap;
      font-variant-numeric: tabular-nums; }
    #crumbs { flex: 1 1 auto; min-width: 0; display: flex; align-items: center; overflow: hidden;
      margin: 0; padding: 0; list-style: none; }
    #crumbs li { display: flex; align-items: center; flex: none; }
    #crumbs li:last-child { flex: 0 1 auto; min-width: 0; }
    #crumbs li + li::before { content: "\\203a"; color: var(--ink-soft); width: 12px;
      text-align: center; flex: none; }
    #page #crumbrow button { color: var(--ink-soft); background: none; border: none;
      border-radius: 4px; padding: 0 6px; min-height: 20px; overflow: hidden;
      text-overflow: ellipsis; }
    #page #crumbrow button:hover { background: var(--mark); color: var(--ink); }
    #page #crumbrow :focus-visible { outline-offset: -2px; }
    #page #crumbs [aria-current] { color: var(--ink); font-weight: 600; min-width: 0; }
    #trailshare { font-weight: 600; }
    #scrubber { position: relative; height: 4px; border-radius: 2px; background: var(--line);
      overflow: hidden; }
    #scrubber > div { position: absolute; top: 0; bottom: 0; min-width: 2px;
      background: var(--ink); }
    @media (pointer: coarse) {
      #crumbrow { height: 44px; }
      #page #crumbrow button { min-height: 44px; min-width: 44px; }
    }
    @media (forced-colors: active) { #scrubber > div { background: Highlight; } }`);
  const crumbs = make("ol", {id: "crumbs"});
  const share = make("span", {id: "trailshare"});
  const copy = make("button", {id: "traillink", title: "Copy a link to this view", onclick: copyLink},
                    "Copy link");
  const part = make("div");
  const scrubber = make("div", {id: "scrubber", role: "img"}, part);
  trail.append(make("div", {id: "crumbrow"}, crumbs, share, copy), scrubber);
  // always there, so that the picture does not move when the reader zooms
  trail.hidden = false;
  new ResizeObserver(() => {
    trail.style.top = bar.offsetHeight + "px";
    update();
  }).observe(bar);

  let pen = null;
  function textWidth(text) {
    if (!pen) pen = make("canvas").getContext("2d");
    if (!pen) return 8 * text.length;
    pen.font = "600 12px " + getComputedStyle(trail).fontFamily;
    return pen.measureText(text).width;
  }

  // ---- crumbs -----------------------------------------------------------------------------------
  function crumbOf(node) {
    const isLast = node === viewer.zoomed;
    return make("button", {title: facts.nameOf(node), "aria-current": isLast ? "true" : undefined,
                           onclick: () => follow(node)}, facts.shortName(node));
  }
  // The buttons are made anew with each view, so the keyboard goes to the last of the new ones.
  function follow(node) {
    viewer.zoomTo(node);
    crumbs.lastElementChild.firstElementChild.focus({preventScroll: true});
  }

  function update() {
    cards.close("foldedcrumbs");
    const {zoomed, view} = viewer;
    const path = facts.stackOf(zoomed);
    const percent = facts.percent(viewer.inView().room, view.root.room);
    share.textContent = zoomed === view.root ? "" : difference.isHere
        ? difference.shares(zoomed) : facts.percent(zoomed.total, texts.whole) + " of all";
    const {start, room} = viewer.inView(), all = Math.max(Number(view.root.room), 1);
    part.style.left = 100 * start / all + "%";
    part.style.width = 100 * room / all + "%";
    scrubber.title = percent + " of the whole is shown";
    scrubber.setAttribute("aria-label", scrubber.title);
    const widthOf = (i) => textWidth(facts.shortName(path[i])) + kPadding + kBetween;
    const [from, to] = foldCrumbs(widthOf, path.length, crumbs.clientWidth, 16 + kPadding + kBetween);
    const items = path.filter((_, i) => i < from || i >= to).map(crumbOf);
    if (to > from) items.splice(1, 0, dotsFor(path.slice(from, to)));
    crumbs.replaceChildren(...items.map((one) => make("li", {}, one)));
  }

  // ---- the folded ones --------------------------------------------------------------------------
  function dotsFor(folded) {
    const what = folded.length + " more frame" + (folded.length > 1 ? "s" : "");
    return make("button", {id: "morecrumbs", title: what, "aria-label": what,
                           "aria-haspopup": "menu", onclick: (event) => {
      const rows = folded.slice(-kListed).map((node) =>
          make("button", {class: "row", role: "menuitem", onclick: () => follow(node)},
               facts.nameOf(node)));
      cards.show("foldedcrumbs", what, rows, {under: event.currentTarget, width: 360}, "menu");
      rows[rows.length - 1].focus();
    }}, "\u2026");
  }

  // ---- the link ---------------------------------------------------------------------------------
  async function copyLink() {
    if (!await viewer.save.copyLink()) return;
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy link"; }, 1500);
  }

  return {update};
}
