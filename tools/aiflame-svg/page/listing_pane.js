// SPDX-License-Identifier: MIT
// The pane at the foot of the window with the instructions of a kernel beside its source. It is in
// pictures that have listings (aiflame-svg --annotate DIR). What it can do is libcommon/listing/listing.js's, as in
// the pages of aiflame-annotate.
function makeListingPane(viewer) {
  "use strict";
  const {shell, svg, tree, reasons} = viewer, {make, page} = shell;
  const kLeast = 160, kStep = 36;  // pixels: of the pane's height
  const kinds = ["memory", "dependency", "sync", "fetch", "pipe busy", "issuing", "other"];  // as StallReason::Category
  addListingStyle(shell);

  let data = null;  // read when it is first needed
  const listings = () => data || (data = readListings(svg));
  let shown = null, parts = null;  // the listing in the pane; {section, rows} of it
  const made = new Map();          // by listing
  let zoomedBefore = viewer.zoomed;

  // ---- which listing ------------------------------------------------------------------------------
  const kernelOf = (name) => (name.endsWith("_[G]") ? viewer.shown(name) : "");
  const hasListing = (kernel) => kernel !== "" && listings().all.some((one) => one.kernel === kernel);
  // The kernel, and the offset or the line in it, that a frame is about; null where no listing has it.
  function placeOf(node) {
    if (!node || node.name === viewer.view.kRest) return null;
    const names = viewer.namesTo(node).filter((name) => name > 0).map((name) => tree.names[name]);
    const kernel = names.map(kernelOf).find(hasListing);
    if (kernel === undefined) return null;
    const name = node.name > 0 ? viewer.shown(tree.names[node.name]) : "";
    return {kernel, offset: /^0x[0-9a-f]{1,16}$/.test(name) ? BigInt(name) : null,
            line: isSourceLine(tree.names[Math.max(node.name, 0)]) ? name : ""};
  }
  // Offsets of the picture count from another function than those of a listing, perhaps.
  const rowAt = (listing, offset) => parts.rows.row("at-0x" + BigInt.asUintN(64, offset - listing.more).toString(16));
  const inPicture = (listing, row) => "0x" + BigInt.asUintN(64, BigInt(row.id.slice(3)) + listing.more).toString(16);

  // ---- the pane -----------------------------------------------------------------------------------
  const pane = make("section", {id: "listing", class: "js", "aria-label": "Instructions", hidden: ""});
  const choice = make("select", {"aria-label": "Kernel", onchange: () => choose(listings().all[Number(choice.value)])});
  const facts = make("span", {class: "facts"}), spot = make("span", {class: "spot", role: "status"});
  const lead = make("div", {class: "lead"});
  const own = make("a", {class: "own", target: "_blank", rel: "noopener", title: "The page of aiflame-annotate"}, "Own page \u2197");
  own.addEventListener("click", () => { own.setAttribute("href", withWayBack(own.dataset.page)); });
  const step = (by, text, title) => make("button", {title, "aria-label": title, onclick: () => parts.rows.step(by, inPane)}, text);
  const close = make("button", {class: "close", title: "Close (D)", "aria-label": "Close the instructions",
                                onclick: () => hide()}, "\u00d7");
  const body = make("div", {class: "body"});
  pane.append(grip(), make("div", {class: "head"}, choice, facts, spot, step(-1, "\u2039", "Previous hot spot (P)"),
                           step(1, "\u203a", "Next hot spot (N)"), own, close), lead, body);
  page.insertBefore(pane, shell.statusbar);

  const inPane = (row) => parts.rows.centre(row);
  function titleOf(listing) {
    return listing.kernel + (listing.called ? ": " + listing.called : "");
  }
  function fillChoice() {
    const {all} = listings();
    const short = distinctLabels(all.map(titleOf), (forms) => fittingForm(forms, 48, () => 1));
    choice.replaceChildren(...all.map((one, i) => make("option", {value: i, title: titleOf(one)},
        short[i] + " \u00b7 " + withCommas(one.samples) + " " + (svg.dataset.unit === one.unit ? viewer.texts.name : one.unit))));
  }

  // What the picture has of the kernel, where that is not what the listing has; "" where it is, or where
  // nobody can tell.
  function differs(listing) {
    if (tree.differential || tree.restCount.length > 0 || svg.dataset.unit !== listing.unit ||
        svg.dataset.decimals !== "0") return "";
    const which = tree.names.indexOf(listing.kernel + "_[G]");
    let here = 0n;
    for (let i = 0; i < tree.size; ++i) if (tree.name[i] === which) here += BigInt(tree.total[i]);
    const all = listings().of(listing.kernel).reduce((sum, one) => sum + one.samples, 0n);
    return here === all ? "" : "this picture has " + withCommas(here) + " of the kernel, the listing " + withCommas(all);
  }

  function sectionOf(listing) {
    if (made.has(listing)) return made.get(listing);
    const section = listingSection(make, listing, (name) => Math.max(kinds.indexOf(reasons.categoryOf(name) || "other"), 0));
    const rows = makeListings(section, (row, place, count) => {
      spot.textContent = place < 0 ? "" : "hot spot " + (place + 1) + " of " + count;
      viewer.announce([...row.cells].filter((cell) => !cell.matches(".c, .w")).map((cell) => cell.textContent).join(" "));
      const at = inPicture(listing, row);
      viewer.drawing.outlineNames([tree.names.indexOf(at + "_[g]")]);
      viewer.note({at});
    });
    // the address of the picture is not that of a row
    section.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      const row = rows.row(link.getAttribute("href").slice(1));
      if (row) rows.pick(row, inPane);
    });
    made.set(listing, {section, rows});
    return made.get(listing);
  }

  function show(listing) {
    const isNew = listing !== shown;
    shown = listing;
    parts = sectionOf(listing);
    if (choice.childElementCount === 0) fillChoice();
    choice.value = listings().all.indexOf(listing);
    if (!isNew) return;
    const {loop} = listing;
    facts.textContent = [loop ? "hottest loop 0x" + loop.first + " to 0x" + loop.last + ", " + exactPercent(loop.samples, listing.samples) : "",
                         listing.isWhole ? "" : "instructions without samples are not known",
                         differs(listing)].filter(Boolean).join(" \u00b7 ");
    spot.textContent = "";
    const [first] = listing.findings;
    lead.replaceChildren(...(first ? [make("button", {onclick: () => go(first.offset), title: "Show it"},
                                          first.text.replace(listing.kernel + "'s stalls", "the kernel's stalls"))] : []));
    own.dataset.page = listings().folder + listing.page + "#k1";
    own.setAttribute("href", own.dataset.page);
    body.replaceChildren(parts.section);
    parts.rows.openAtHottest();
    parts.rows.draw();
  }
  function go(offset) {
    const row = parts.rows.row("at-0x" + offset);
    if (row) parts.rows.pick(row, inPane);
  }

  // Of several functions of a kernel, the one that has the offset.
  function listingFor(kernel, offset) {
    const all = listings().of(kernel);
    const has = (listing) => listing.code.some((it) => it.offset === BigInt.asUintN(64, offset - listing.more).toString(16));
    return (offset !== null && all.find(has)) || all[0];
  }
  function pickPlace({kernel, offset, line}) {
    show(listingFor(kernel, offset));
    const row = offset !== null ? rowAt(shown, offset) : null;
    if (row) return parts.rows.pick(row, inPane);
    if (!line) return undefined;
    const cell = [...parts.section.querySelectorAll(".code td.l")].find((one) => one.textContent === line);
    return cell ? parts.rows.pickLine(cell.parentNode, inPane) : undefined;
  }

  function choose(listing) {
    viewer.change({listing: listing.kernel, at: ""});
    show(listing);
  }
  function open(node) {
    const place = placeOf(node) || {kernel: listings().all[0].kernel, offset: null, line: ""};
    viewer.change({listing: place.kernel, at: "", ...(isDocked() ? {} : {table: false})});
    pickPlace(place);
    return place;
  }
  function hide() {
    const had = pane.contains(document.activeElement);
    viewer.change({listing: "", at: ""});
    viewer.drawing.outline(null);
    const opener = page.querySelector("#codebutton");
    if (had && opener) opener.focus({preventScroll: true});
  }
  function toggle() {
    if (viewer.state.listing) return hide();
    open(viewer.hovered || viewer.current || viewer.zoomed);
    const code = body.querySelector(".code");
    return code && code.focus({preventScroll: true});
  }

  // As high as the picture leaves room for, in bounds.
  function fit() {
    if (pane.style.getPropertyValue("--listing")) return;
    const room = window.innerHeight - shell.bar.offsetHeight - shell.trail.offsetHeight - shell.statusbar.offsetHeight -
        (shell.isFluid ? viewer.layout.height : 0) - 8;
    const high = window.innerHeight;
    pane.style.height = Math.round(Math.max(kLeast, 0.4 * high, Math.min(room, 0.54 * high))) + "px";
  }

  function update() {
    const {state} = viewer;
    // In a narrow window the table lies where the pane would.
    const wasHidden = pane.hidden;
    pane.hidden = !state.listing || (state.table && !isDocked());
    page.classList.toggle("listed", !pane.hidden);
    if (pane.hidden) return;
    pane.style.bottom = shell.statusbar.offsetHeight + "px";
    for (const [i, kind] of kinds.entries()) {
      const colour = viewer.why.colourOf(kind);
      if (colour) pane.style.setProperty("--k" + i, colour);
    }
    if (wasHidden) fit();
    let {listing} = state;
    // the pane follows the picture
    if (viewer.zoomed !== zoomedBefore) {
      const place = placeOf(viewer.zoomed);
      if (place) ({kernel: listing} = place);
      if (listing !== state.listing) viewer.note({listing, at: ""});
    }
    zoomedBefore = viewer.zoomed;
    if (!shown || shown.kernel !== listing) show(listingFor(listing, null));
    if (wasHidden && state.at) pickPlace({kernel: listing, offset: BigInt(state.at), line: ""});
    if (wasHidden) window.dispatchEvent(new Event("resize"));  // the table has less room
  }
  window.addEventListener("resize", () => { if (!pane.hidden && parts) { fit(); parts.rows.draw(); } });

  pane.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === choice) return;
    const by = {n: 1, p: -1}[event.key];
    if (by) parts.rows.step(by, inPane);
    else if (event.key === "Escape") hide();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  // The upper edge of the pane, which a pointer or the arrow keys move.
  function grip() {
    const edge = make("div", {class: "grip", role: "separator", tabindex: "0", "aria-orientation": "horizontal",
                              "aria-label": "Height of the instructions", title: "Height: drag, or arrow keys",
                              "aria-valuemin": kLeast, "aria-valuenow": kLeast, "aria-valuemax": window.innerHeight});
    edge.addEventListener("focus", () => edge.setAttribute("aria-valuenow", pane.offsetHeight));
    const heighten = (height) => {
      pane.style.setProperty("--listing", "1");  // the reader's
      pane.style.height = Math.round(Math.max(kLeast, Math.min(height, 0.8 * window.innerHeight))) + "px";
      edge.setAttribute("aria-valuenow", pane.offsetHeight);
      window.dispatchEvent(new Event("resize"));
    };
    edge.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      edge.setPointerCapture(event.pointerId);
    });
    edge.addEventListener("pointermove", (event) => {
      if (edge.hasPointerCapture(event.pointerId)) heighten(pane.getBoundingClientRect().bottom - event.clientY);
    });
    edge.addEventListener("keydown", (event) => {
      const by = {ArrowUp: kStep, ArrowDown: -kStep}[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      heighten(pane.offsetHeight + by);
    });
    return edge;
  }

  return {update, placeOf, open, toggle, has: hasListing};
}

function addListingStyle(shell) {
  "use strict";
  shell.addStyle(`
    #listing { position: sticky; z-index: 2; flex: none; display: flex; flex-direction: column; min-height: 0;
      padding: 6px 16px 8px; background: var(--ground); border-top: 1px solid var(--line);
      box-shadow: 0 -4px 16px rgba(0,0,0,.12); }
    #listing .grip { position: absolute; left: 0; right: 0; top: -5px; height: 10px; cursor: row-resize; touch-action: none; }
    #listing .grip:hover { background: var(--mark); }
    #listing .head { display: flex; align-items: center; gap: 8px; min-width: 0; font-variant-numeric: tabular-nums; }
    #listing select { font: inherit; font-weight: 600; color: inherit; background: var(--paper); border: 1px solid var(--line);
      border-radius: 6px; min-height: 24px; flex: 0 1 auto; min-width: 80px; max-width: 46%; text-overflow: ellipsis; }
    #listing .facts { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--ink-soft); }
    #listing .spot { flex: none; color: var(--ink-soft); }
    #page #listing .head button { min-height: 24px; min-width: 24px; padding: 0 6px; }
    #page #listing .close { border: none; background: none; }
    #listing .own { flex: none; color: var(--accent); white-space: nowrap; }
    #page #listing .lead button { border: none; background: none; padding: 2px 0; min-height: 0; color: var(--accent); text-align: left;
      max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
    #listing .body { flex: 1 1 0; min-height: 0; display: flex; }
    #listing .listing.panes { flex: 1 1 0; min-width: 0; }
    #page.listed #tablelegend { display: none; }
    #page.listed #tablebody { min-height: 0; }
    @media (max-width: 899px) { #listing .facts, #listing .spot { display: none; } #listing select { flex: 1 1 auto; max-width: none; }
      #listing .source { display: none; } }
    @media (max-width: 599px) { #listing { padding: 6px 8px; } #page #listing .lead button { white-space: normal; } }
    @media (pointer: coarse) { #page #listing .head button, #listing select { min-height: 44px; min-width: 44px; } }
    @media print { #listing { display: none; } }`);
}
