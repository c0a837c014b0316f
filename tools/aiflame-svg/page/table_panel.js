// SPDX-License-Identifier: MIT
// The panel beside the picture: what the view is made of, as tables. It stands at the right of a wide
// window, and below the picture of a narrow one; it takes its room and covers no frame. For those who
// do not see the picture it is the text in its place.
function makeTablePanel(viewer) {
  "use strict";
  const {shell, tree, texts, drawing} = viewer, {make, panel} = shell;
  const kSlice = 12;  // milliseconds of work at a time
  const isChange = Boolean(viewer.difference && viewer.difference.isHere);
  const rows = makeTableRows(viewer);
  const tabs = [
    {id: "changes", text: "Changes", isThere: isChange, sum: sumFunctions, tables: rows.changes},
    {id: "stalls", text: viewer.reasons.occur ? "Stalls" : viewer.hasDevice ? "Device" : "Model",
     isThere: viewer.hasDevice || viewer.hasModel,
     sum: (of, view, node) => sumLayers(of, viewer.layers(), view.ranges(node),
                                             node === view.root && view.missing ? view.missing.total : 0), tables: rows.stalls},
    {id: "functions", text: "Functions", isThere: true, sum: sumFunctions, tables: rows.functions},
  ].filter((tab) => tab.isThere);
  let [tab] = tabs;

  addTableStyle(shell);
  const count = make("span", {id: "tablecount"});
  const close = make("button", {class: "close", title: "Close (S)", "aria-label": "Close the table",
                                onclick: () => hide()}, "\u00d7");
  const busy = make("p", {id: "tablebusy", role: "status"}), body = make("div", {id: "tablebody"});
  const bar = make("div", {id: "tabletabs", role: "tablist", "aria-label": "Tables"});
  const buttons = new Map();
  const legend = make("div", {id: "tablelegend"});
  panel.append(make("div", {class: "head"}, make("h2", {}, "In this view"), count, close));
  if (tabs.length > 1) {
    for (const one of tabs)
      buttons.set(one, make("button", {role: "tab", id: "tab-" + one.id, "aria-controls": "tablebody",
                                       onclick: () => choose(one)}, one.text));
    bar.append(...buttons.values());
    body.setAttribute("role", "tabpanel");
    panel.append(bar);
  }
  panel.append(busy, body, legend, panelGrip(shell));

  function choose(one) {
    tab = one;
    update();
    panel.scrollTop = body.scrollTop = 0;
  }
  bar.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    choose(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]);
    buttons.get(tab).focus();
  });

  // ---- sums -------------------------------------------------------------------------------------
  let sums = new Map(), sumsOf = null, sumsIn = null;  // by function; of a view and its node
  let work = null;                                     // {sum, steps}: what is being added up
  function startSum() {
    const {view, zoomed} = viewer;
    if (sumsOf !== view || sumsIn !== zoomed) sums = new Map();
    sumsOf = view;
    sumsIn = zoomed;
    work = sums.has(tab.sum) ? null : {sum: tab.sum, steps: tab.sum(view.tree || tree, view, zoomed)};
    if (work) goOn(work);
    return work === null;
  }
  // Adds up for a moment, then lets the page react. Work that is out of date ends.
  function goOn(mine) {
    if (mine !== work) return;
    const until = performance.now() + kSlice;
    do {
      const {done, value} = mine.steps.next();
      if (!done) continue;
      sums.set(mine.sum, value);
      work = null;
      return;
    } while (performance.now() < until);
    setTimeout(() => {
      goOn(mine);
      if (mine.sum === tab.sum && sums.has(mine.sum) && sumsOf === viewer.view) show();
    }, 0);
  }

  // ---- what is shown ----------------------------------------------------------------------------
  let shown = "";  // what the tables were made of
  let shownSums = null;
  function show() {
    const {state, zoomed} = viewer;
    const now = JSON.stringify([tab.id, state.safe, state.terms, rows.version(), roomForBars(),
                                isChange && viewer.difference.look()]);
    const mine = sums.get(tab.sum);
    busy.textContent = "";
    panel.removeAttribute("aria-busy");
    if (now === shown && shownSums === mine) return;
    shown = now;
    shownSums = mine;
    const had = rows.focused(body);
    body.replaceChildren(...tab.tables(mine, zoomed, roomForBars()));
    rows.focusAgain(body, had);
  }

  // The tables are as wide as the panel; in a sheet of two or more columns, as those.
  function roomForBars() {
    const style = getComputedStyle(panel);
    const room = panel.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    panel.classList.toggle("wide", isDocked() && room >= 320);
    return Math.max(160, Math.floor(!isDocked() && room >= 2 * 256 ? 256 : room));
  }

  function showLegend() {
    const {state} = viewer;
    const colours = (state.safe ? viewer.palette().legend() : fileLegend(viewer.svg))
        .filter(([, colour]) => colour);
    legend.hidden = isChange || !(viewer.hasDevice || viewer.hasModel) || colours.length === 0;
    if (legend.hidden) return;
    // where the kinds of reasons have rows, these say their colours
    const hasKinds = tab.id === "stalls" && viewer.reasons.occur;
    const others = colours.filter(([text]) => !hasKinds || !text.startsWith("reasons: "));
    legend.replaceChildren(make("h3", {}, "Colours"), make("ul", {}, ...others.map(([text, colour]) =>
        make("li", {}, make("span", {class: "swatch", style: "background:" + colour}), text))));
  }

  // Below the bar and above the status bar, which stay in the window.
  function place() {
    panel.style.setProperty("--above", shell.bar.offsetHeight + shell.trail.offsetHeight + "px");
    panel.style.setProperty("--below", shell.footHeight() + "px");
  }

  function countOf(node) {
    if (!isChange) return texts.quantity(node.total);
    const {before, after} = viewer.difference.changeOf(node, "total");
    return texts.count(before) + " \u2192 " + texts.quantity(after);
  }

  function update() {
    const {state, zoomed} = viewer;
    panel.hidden = !state.table;
    if (panel.hidden) {
      work = null;
      rows.outline();
      return;
    }
    place();
    count.textContent = countOf(zoomed);
    count.title = countOf(zoomed) + " in " + drawing.nameOf(zoomed);
    for (const [one, button] of buttons) {
      button.setAttribute("aria-selected", String(one === tab));
      button.tabIndex = one === tab ? 0 : -1;
    }
    if (buttons.size > 0) body.setAttribute("aria-labelledby", "tab-" + tab.id);
    showLegend();
    if (startSum()) {
      show();
    } else {
      busy.textContent = "computing\u2026";
      panel.setAttribute("aria-busy", "true");
    }
  }

  function hide() {
    const had = panel.contains(document.activeElement);
    viewer.change({table: false});
    const opener = shell.page.querySelector("#tablebutton");
    if (had && opener) opener.focus({preventScroll: true});
  }
  rows.changed(() => update());
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || isDocked()) return;
    event.preventDefault();
    event.stopPropagation();
    hide();
  });
  window.addEventListener("resize", () => { if (!panel.hidden) update(); });

  return {update, pointedAt: rows.pointedAt};
}

// The left edge of the panel, which a pointer or the arrow keys move, up to a third of the window.
function panelGrip(shell) {
  "use strict";
  const {panel, make} = shell;
  const kLeast = 288, kStep = 32;  // pixels
  const most = () => Math.max(kLeast, Math.floor(window.innerWidth / 3));
  const grip = make("div", {id: "panelgrip", role: "separator", tabindex: "0", "aria-orientation": "vertical",
                            "aria-label": "Width of the table", "aria-controls": "panel",
                            title: "Width of the table: drag, or arrow keys", "aria-valuemin": kLeast});
  function describe() {
    grip.setAttribute("aria-valuemax", most());
    grip.setAttribute("aria-valuenow", Math.round(panel.getBoundingClientRect().width) || kLeast);
  }
  function widen(width) {
    panel.style.setProperty("--panel", Math.max(kLeast, Math.min(width, most())) + "px");
    describe();
    window.dispatchEvent(new Event("resize"));  // bars and labels follow
  }
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", (event) => {
    if (grip.hasPointerCapture(event.pointerId)) widen(panel.getBoundingClientRect().right - event.clientX);
  });
  grip.addEventListener("keydown", (event) => {
    const step = {ArrowLeft: kStep, ArrowRight: -kStep}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    widen(panel.getBoundingClientRect().width + step);
  });
  grip.addEventListener("focus", describe);
  describe();
  return grip;
}

// Whether the window has room for the table beside the picture.
const isDocked = () => window.matchMedia("(min-width: 1180px)").matches;

function addTableStyle(shell) {
  "use strict";
  shell.addStyle(`
    #panel { width: var(--panel, clamp(288px, 22vw, 460px)); max-width: max(288px, 34vw); margin: 0 16px 8px 0;
      padding: 12px 15px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper);
      position: sticky; top: calc(var(--above) + 4px); display: flex; flex-direction: column;
      max-height: calc(100vh - var(--above) - var(--below) - 12px); z-index: 2;
      font-variant-numeric: tabular-nums; }
    #tablebody { flex: 1 1 auto; min-height: 120px; overflow: auto; }
    #tablelegend { flex: none; max-height: 40%; overflow: auto; border-top: 1px solid var(--line); }
    #panelgrip { position: absolute; left: -6px; top: 0; bottom: 0; width: 10px; cursor: col-resize;
      touch-action: none; border-radius: 4px; }
    #panelgrip:hover { background: var(--mark); }
    #panel .head { display: flex; align-items: baseline; gap: 8px; margin-bottom: 4px; }
    #panel h2 { flex: 1 0 auto; margin: 0; font-size: 13px; font-weight: 600; white-space: nowrap; }
    #tablecount { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #panel h3, #panel caption { margin: 0; padding: 10px 0 4px; font-size: 11px; font-weight: 600;
      text-align: left; text-transform: uppercase; letter-spacing: .02em; color: var(--ink-soft); }
    #tablecount, #panel .note, #tablebusy { color: var(--ink-soft); }
    #tablebusy { margin: 0; }
    #tablebusy:empty { display: none; }
    #page #panel button { border: none; background: none; padding: 0; min-height: 0; font: inherit;
      color: inherit; text-align: left; }
    #page #panel .close { align-self: center; min-width: 24px; min-height: 24px; text-align: center; }
    #tabletabs { display: flex; gap: 4px; border-bottom: 1px solid var(--line); }
    #page #tabletabs button { padding: 4px 8px; border-bottom: 2px solid transparent; }
    #page #tabletabs button[aria-selected=true] { border-color: var(--accent); font-weight: 600; }
    #panel table { width: 100%; border-collapse: collapse; table-layout: fixed; }
    #panel th, #panel td { padding: 0; font-weight: 400; text-align: left; vertical-align: middle; }
    #panel thead th { font-size: 11px; color: var(--ink-soft); text-align: left; }
    #page #panel thead button { width: 100%; min-height: 24px; }
    #page #panel thead .number button { text-align: right; }
    #panel th[aria-sort=descending] button::after { content: " \\25be"; }
    #panel th[aria-sort=ascending] button::after { content: " \\25b4"; }
    #panel td, #panel .number { width: 56px; text-align: right; white-space: nowrap; }
    #panel tbody tr[data-name]:hover, #panel tbody tr.found { background: var(--mark); }
    #page #panel tbody button { position: relative; display: block; width: 100%; height: 26px;
      overflow: hidden; text-overflow: ellipsis; }
    #page #panel .bars tbody button { display: flex; align-items: center; }
    #panel .bar { flex: none; height: 22px; min-width: 2px; border-radius: 2px; line-height: 22px;
      overflow: hidden; white-space: nowrap; }
    #panel .kernel { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; padding-right: 8px; }
    #panel .why { width: 72px; height: 14px; }
    #panel.wide .why { width: 112px; }
    #panel .inside { padding-left: 6px; }
    #panel .beside { padding-left: 6px; }
    #panel .mono { font: var(--mono); line-height: 22px; }
    #panel .strong { font-weight: 600; }
    #panel .under { position: absolute; left: 0; bottom: 1px; height: 3px; border-radius: 1px;
      background: var(--accent); opacity: .6; }
    #panel .changes th, #panel .changes td { vertical-align: top; }
    #page #panel .changes tbody button { height: 38px; padding-bottom: 18px; line-height: 20px;
      overflow: visible; }
    #page #panel .changes .note button { padding: 0; height: 26px; }
    #panel .changes .delta { position: absolute; top: 22px; height: 12px; line-height: 12px;
      font-size: 11px; font-weight: 600; white-space: nowrap; }
    #panel .changes .delta i { position: absolute; top: 1px; height: 10px; border-radius: 2px; }
    #panel .changes .delta .noise {
      background-image: repeating-linear-gradient(45deg, transparent 0 4px, rgba(120, 120, 120, .5) 4px 5px); }
    #panel .changes .delta span { position: absolute; }
    #panel .changes td, #panel .changes .number { width: 88px; }
    #panel .changes td { font-size: 11px; line-height: 20px; color: var(--ink-soft); }
    #tablelegend ul { list-style: none; margin: 0; padding: 0; columns: 2; column-gap: 12px; }
    #tablelegend li { break-inside: avoid; padding: 1px 0; font-size: 11px; }
    @media (max-width: 1179px) {
      #page #middle { flex-direction: column; align-items: stretch; }
      #page #stage { flex: 1 0 auto; }
      #panel { width: auto; margin: 0; border-width: 1px 0 0; border-radius: 8px 8px 0 0;
        max-width: none; display: block; overflow: auto;
        top: auto; bottom: var(--below); max-height: 45vh; box-shadow: 0 -4px 16px rgba(0,0,0,.15); }
      #panelgrip { display: none; }
      #tablebody { display: grid; gap: 0 24px; grid-template-columns: repeat(auto-fill, 256px);
        align-items: start; overflow: visible; }
      #tablelegend { max-height: none; overflow: visible; }
      #panel .head { position: sticky; top: -12px; padding: 8px 0; margin-top: -8px; z-index: 1;
        background: var(--paper); }
    }
    @media (max-width: 575px) { #tablebody { grid-template-columns: 100%; } }
    @media (pointer: coarse) {
      #page #panel .close, #page #panel thead button, #page #tabletabs button { min-height: 44px;
        min-width: 44px; }
      #page #panel tbody button { height: 44px; }
      #page #panel .changes tbody button { height: 44px; padding-bottom: 24px; }
    }
    @media (forced-colors: active) { #panel .bar, #panel .under, #panel .delta i, #panel .swatch {
      forced-color-adjust: none; } }`);
}
