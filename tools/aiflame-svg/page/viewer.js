// SPDX-License-Identifier: MIT
// The page: its state, which says what is shown, and its reactions to the reader. All foreign text
// (names, labels of the user, the address) is read and written as text, so nothing becomes markup
// or code. The bars appear when the document is read; the data is read when the browser is idle, or
// when it is first needed.
let svg = document.currentScript.ownerSVGElement;  // of several pictures, startPage() chooses one
const byId = (id) => svg.getElementById(id);
const kManyElements = 10000;  // in the file: too many to be put back within a tenth of a second
const kMostAligned = 200000;  // nodes of the data
const kManyNodes = 50000;  // of the data: they take more than a few frames of the screen to be read

// What all parts of the page share:
//
//   svg, shell, tree, texts, drawing, search, reasons, link, cards   the parts below them
//   state, view, zoomed, current   what is shown; `current` has the keyboard, or is the last match
//   parts   each has update(), called after each drawing
//   change(), toggle(), zoomTo() …   what the reader does
function makeViewer(shell, tabs) {
  "use strict";
  const texts = countTexts(svg);
  const elementCount = byId("frames").childElementCount;
  const data = readTree(svg);
  // Data that was cut to fewer than 1.2 times as many nodes as the file has elements may lack some
  // of the elements, so the elements are read then.
  const whole = data && (data.restCount.length === 0 || data.size >= 1.2 * elementCount);
  const tree = whole ? data : readElements(svg);
  const inverted = svg.dataset.inverted !== undefined;
  const hasDevice = tree.names.some((name) => name.endsWith("_[g]") || name.endsWith("_[G]"));
  const hasModel = tree.names.some((name) => /_\[[omr]]$/.test(name));
  const difference = makeDifference(svg, tree, texts);
  const layout = makeLayout(svg, shell, {hasGutter: hasDevice, fills: hasDevice || hasModel}, () => viewer.render());
  const drawing = makeDrawing(svg, tree, texts, difference, layout);
  const {file} = layout;
  const link = makePermalink(tree, difference, {
    perCount: (file.width - 2 * file.pad) / Math.max(Number(svg.dataset.room) || texts.whole, 1),
    pad: file.pad, inverted,
    yOf: (depth) => (inverted ? file.top + depth * file.row
                              : file.height - file.bottom - (depth + 1) * file.row + 1),
  });
  let numbers = null;  // of names
  const numberOf = (name) => {
    if (!numbers) numbers = new Map(tree.names.map((text, i) => [text, i]));
    const found = numbers.get(name);
    return found === undefined || found === 0 ? -1 : found;
  };
  // The names that a link may mean: with the annotation, or as frames show them.
  const namesCalled = (name) => (!name ? [] : numberOf(name) > 0 ? [name]
      : tree.names.filter((one) => one !== "" && withoutAnnotation(one) === name));

  const viewer = {svg, shell, tree, texts, difference, drawing, layout, link, hasDevice, hasModel, parts: []};
  // A flame chart has the order of time, which one row of kernels would lose; merged
  // from the leaves, the device is next to the root.
  viewer.canAlign = hasDevice && !tree.inputOrder && svg.dataset.reversed === undefined;
  viewer.reasons = stallReasons(svg);
  viewer.launches = kernelLaunches(svg);
  viewer.cards = makeCards(shell);
  viewer.shown = withoutAnnotation;
  viewer.exactly = (name) => "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";
  viewer.announce = (text) => { shell.live.textContent = text; };

  // ---- layers -----------------------------------------------------------------------------------
  let layers = null;
  viewer.layers = () => {
    if (!layers)
      layers = nameLayers(tree, viewer.reasons.has);
    return layers;
  };
  // The stall reason that a name is, or null.
  viewer.reasonOf = (which) => {
    const name = which > 0 ? tree.names[which] : "";
    const reason = name.endsWith("_[g]") ? viewer.reasons.find(viewer.shown(name)) : null;
    return reason && viewer.layers().layer[which] === viewer.layers().kReason ? reason : null;
  };

  // Where there is room, what the picture is about stands beside it.
  const startsWithTable = isDocked() && shell.isFluid && (hasDevice || hasModel || tree.differential);
  // The picture of --width, and that of other pages, is the file's. Of a large tree it is there at once, and
  // merging 200,000 frames takes a twentieth of a second.
  const startsAligned = viewer.canAlign && (svg.dataset.layout ? svg.dataset.layout === "aligned"
      : shell.isFluid && svg.dataset.look === "ai" && !tree.differential && tree.size <= kMostAligned);
  // ---- state ------------------------------------------------------------------------------------
  const unchanged = {terms: [], ignoreCase: false, flip: inverted, leaf: false, width: false,
                     focus: "", sandwich: "", hidden: [], folded: [], swap: false, safe: false, runs: false,
                     filter: false, aligned: startsAligned, table: startsWithTable,
                     listing: "", at: "",  // the kernel in the pane of instructions, and the offset that is picked
                     ...difference.initial};
  let state = {...unchanged};
  let view = null, zoomed = null, viewKey = "";
  let span = null;  // {start, room}: the part of the zoomed frame that is in view, where it is not all of it
  let drawnOnce = false;  // the file's own picture was replaced
  viewer.current = null;
  viewer.keyboard = false;  // the frames are drawn as elements that take the focus
  Object.defineProperties(viewer, {
    state: {get: () => state}, view: {get: () => view}, zoomed: {get: () => zoomed}, span: {get: () => span},
    viewKey: {get: () => viewKey},
  });

  const reasonsOfData = {reasonAt: () => viewer.why.reasonAt(), kindOfName: (name) => viewer.why.kindOfName(name)};
  function makeView() {
    // The stacks with a match are known when the search has ended.
    const filter = state.filter && state.terms.length > 0 && !search.isBusy() ? search.bits() : null;
    difference.set(state);
    const key = JSON.stringify([state.leaf, state.width, state.focus, state.sandwich, state.hidden, state.folded,
                                state.swap, state.runs, state.aligned, difference.tree().widths,
                                filter && [state.terms, state.ignoreCase]]);
    if (key === viewKey) return false;
    const isAligned = viewer.canAlign && state.aligned && !state.leaf && !state.swap && !state.sandwich;
    const needsLayers = state.folded.length > 0 || state.swap || isAligned;
    const focus = state.focus ? numberOf(state.focus) : -1;
    const between = state.sandwich ? numberOf(state.sandwich) : -1;
    const options = {
      leaf: state.leaf, width: state.width, swap: state.swap, focus, filter,
      runs: state.runs,
      hidden: new Set(state.hidden.map(numberOf).filter((number) => number > 0)),
      folded: needsLayers ? viewer.layers().kindsOf(state.folded) : new Set(),
    };
    const layersNow = needsLayers ? viewer.layers() : null;
    view = between > 0 ? makeSandwich(difference.tree(), layersNow, options, between)
        : isAligned ? makeAlignedTree(difference.tree(), layersNow, reasonsOfData, options)
                    : makeViewTree(difference.tree(), layersNow, options);
    // with --total, the whole is more than the counts
    const all = tree.big ? BigInt(svg.dataset.total) : Number(svg.dataset.total);
    if (!filter && focus < 0 && between < 0 && all > view.root.total) {
      view.root.counted = view.root.total;
      view.root.total = all;
      if (view.root.room < all) view.root.room = all;
    }
    viewKey = key;
    span = null;
    zoomed = view.root;
    viewer.current = null;
    return true;
  }

  const search = viewer.search = makeSearch(tree, (problem) => {
    if (problem) {
      state.terms = search.texts();
      viewer.say(problem);
    }
    remake();
    viewer.render();
    if (problem) viewer.searchBox.say(problem);
  });
  makeView();

  let safePalette = null;
  viewer.palette = () => {
    if (!state.safe) return null;
    if (!safePalette) safePalette = makeSafePalette(svg, tree, viewer.reasons);
    return safePalette;
  };
  // The colour that frames of a name have.
  viewer.colourOfName = (which) => {
    const palette = viewer.palette();
    return palette ? palette.colour(which) : rgbOf(tree.colours[which]);
  };
  viewer.searchColours = () => (state.safe ? safeSearchColours() : kSearchColours);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (state.safe && state.terms.length > 0) viewer.render();
  });

  // ---- drawing ----------------------------------------------------------------------------------
  const isAsInFile = () => !layout.fluid && view.plain && difference.isAsInFile() &&
      zoomed === view.root && !span && state.terms.length === 0 &&
      state.flip === inverted && !state.safe && !viewer.keyboard;

  viewer.render = () => {
    const giveFocus = viewer.items.hold();
    if (isAsInFile() && (!drawnOnce || elementCount <= kManyElements)) {
      drawing.restore();
      drawnOnce = false;
    } else {
      drawnOnce = true;
      drawing.draw(view, zoomed, span || {start: 0, room: Number(zoomed.room)}, {
        palette: viewer.palette(), searchColours: viewer.searchColours(), flip: viewer.isRootOnTop(),
        layersOf: hasDevice ? viewer.layers : null, kindColour: viewer.why.colourOf,
        look: state.terms.length > 0 ? faded : (fill) => fill,
        found: (node) => {
          const bits = search.matchesOf(node);
          return bits === 0 ? 0 : 32 - Math.clz32(bits & -bits);
        },
        shareFound: (node, which) => Number(search.countIn(view, node, 1 << (which - 1))) / Math.max(Number(node.total), 1),
      });
    }
    if (safePalette) safePalette.colourLegend(state.safe);
    for (const part of viewer.parts) part.update();
    layout.open(zoomed === view.root);
    giveFocus();
  };
  // In a sandwich, callers are above, unless the picture is turned over.
  viewer.isRootOnTop = () => (view.sandwich ? state.flip === inverted : state.flip);
  viewer.isChanged = () => !view.plain || difference.isChanged() || state.flip !== inverted ||
      state.safe;

  // ---- what the reader does ---------------------------------------------------------------------
  function keep(push) {
    const query = link.toQuery(state, view, zoomed, unchanged, span);
    const address = (query ? "?" + query : location.pathname) + location.hash;
    if (query === location.search.slice(1)) return;
    try {
      if (push) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch {
      // an embedded document may have no address of its own
    }
  }

  // Remembers, also in the address, what is shown beside the picture, which stays as it is.
  viewer.note = (what) => {
    state = {...state, ...what};
    keep(false);
  };

  let placeBefore = null;  // while a key is held: where the reader was
  viewer.zoomTo = (node) => {
    if (node.name === view.kRest)
      return viewer.say("These frames were left out of the file: draw it with a larger --embed to " +
                        "see them");
    if (!node.room) return undefined;
    zoomed = node;
    span = null;
    if (placeBefore) placeBefore = link.pathOf(node);
    viewer.current = null;
    viewer.leave();
    viewer.render();
    return keep(true);
  };
  // What is in view, in counts from the left edge of the whole.
  viewer.inView = () => {
    const left = Number(zoomed.start - view.root.start);
    return span ? {start: left + span.start, room: span.room} : {start: left, room: Number(zoomed.room)};
  };
  // Shows that part of the whole, zoomed to the highest frame that has all of it, or the lowest as wide.
  viewer.lookAt = (start, room) => {
    const all = Number(view.root.room), slack = 1e-9 * all, hadSpan = span !== null;
    room = Math.min(Math.max(room, 1), all);
    start = Math.min(Math.max(start, 0), all - room);
    const leftOf = (node) => Number(node.start - view.root.start);
    const holds = (node) => node.name !== view.kRest && leftOf(node) <= start + slack &&
        leftOf(node) + Number(node.room) >= start + room - slack;
    zoomed = view.root;
    // in a sandwich, a part is of both halves
    for (let next = zoomed; next; next = view.sandwich ? null : view.expand(next, room - slack).find(holds)) zoomed = next;
    while (zoomed.parent && zoomed.room === zoomed.parent.room) zoomed = zoomed.parent;
    span = room >= Number(zoomed.room) - slack ? null : {start: start - leftOf(zoomed), room};
    viewer.current = null;
    viewer.render();
    keep(!hadSpan);
  };
  viewer.zoomOut = () => viewer.zoomTo(view.root);

  // Returns what is wrong with the terms, if anything; then the search stays as it was. What is typed
  // into one field makes one step back in the browser's history.
  viewer.searchFor = (terms, typing = false) => {
    const problem = search.set(terms, state.ignoreCase);
    if (problem) {
      viewer.say(problem);
      return problem;
    }
    const isNew = !typing || state.terms.length === 0;
    state = {...state, terms, filter: state.filter && terms.length > 0};
    if (!search.isBusy()) remake();
    if (search.isBusy()) for (const part of viewer.parts) part.update();  // drawn once it is found
    else viewer.render();
    keep(isNew);
    return "";
  };
  viewer.toggleCase = () => {
    state = {...state, ignoreCase: !state.ignoreCase};
    viewer.searchFor(state.terms);
  };

  // Makes the view of the present state. `path`: the names of the frame to zoom to, by default of the
  // present one.
  function remake(path) {
    const wasLeaf = view.options.leaf, was = link.pathOf(zoomed);
    if (makeView() && (path || wasLeaf === state.leaf)) zoomed = link.follow(view, path || was);
    if (!zoomed.room) zoomed = view.root;
  }
  viewer.change = (what, path) => {
    // these show other stacks than those around one name
    const isOther = what.sandwich === undefined && (what.leaf || what.focus);
    state = {...state, ...what, ...(isOther ? {sandwich: ""} : {})};
    remake(isOther ? [] : path);
    viewer.leave();
    viewer.render();
    keep(true);
  };
  viewer.toggle = (key) => {
    if (!key.startsWith("layer-")) return viewer.change({[key]: !state[key]});
    const layer = key.slice(6);
    const folded = state.folded.includes(layer) ? state.folded.filter((one) => one !== layer)
                                                : [...state.folded, layer].sort();
    // at least one layer stays visible
    return !viewer.layers().isAll(folded) ? viewer.change({folded}) : undefined;
  };
  // Shows something else as long as a key is held. The address and the place stay.
  viewer.hold = (held) => {
    const path = placeBefore || link.pathOf(zoomed);
    placeBefore = held ? path : null;
    state = {...state, held};
    if (makeView()) zoomed = link.follow(view, path);
    if (!zoomed.room) zoomed = view.root;
    viewer.render();
  };
  viewer.focusOnName = (focus) => viewer.change({focus}, focus ? [] : undefined);
  // A name between its callers and what it calls, and back.
  let beforeSandwich = {};  // {what: of the state, path: where the reader was}
  viewer.showSandwich = (name) => {
    if (!state.sandwich)
      beforeSandwich = {what: {leaf: state.leaf, focus: state.focus}, path: link.pathOf(zoomed)};
    viewer.change({leaf: false, focus: "", sandwich: name}, []);
    const element = drawing.elementOf(view.root);
    if (element) shell.reveal(element);
  };
  viewer.endSandwich = () => {
    const {what = {}, path = []} = beforeSandwich;
    beforeSandwich = {};
    viewer.change({...what, sandwich: ""}, path);
  };
  // Of the row of the table or the frame that the reader points at, else of the one that is zoomed to.
  viewer.toggleSandwich = () => {
    const row = viewer.table.pointedAt(), node = viewer.hovered || viewer.current || zoomed;
    const name = row > 0 ? row : node.name;
    if (name > 0 && tree.names[name] !== state.sandwich) viewer.showSandwich(tree.names[name]);
    else if (state.sandwich) viewer.endSandwich();
    else viewer.say("Point at a frame or at a row of the table, then press X");
  };
  viewer.hideName = (name) => {
    if (!state.hidden.includes(name)) viewer.change({hidden: [...state.hidden, name]});
  };
  viewer.reset = () =>
      viewer.change({...unchanged, terms: state.terms, ignoreCase: state.ignoreCase,
                     table: state.table}, []);

  // Zooms only as far as a match becomes wide enough to see. `stays`: the focus stays where it is.
  viewer.step = (backwards, stays = false) => {
    if (state.terms.length === 0 || search.isBusy()) return;
    const next = search.step(view, viewer.current || zoomed, backwards);
    if (!next) return viewer.say("No match here");
    let place = drawing.placeOf(next);
    if (!place || place.width < 3) {
      const {parent} = next;
      span = null;
      zoomed = parent && Number(next.room) / Number(parent.room) * drawing.width >= 3 ? parent : next;
      viewer.render();
      keep(true);
      place = drawing.placeOf(next);
    }
    viewer.current = next;
    if (stays) viewer.hover(next);
    else viewer.focusOn(next, false);
    const element = drawing.elementOf(next);
    if (element) shell.reveal(element);
    return viewer.searchBox.update();
  };

  viewer.escape = () => {
    if (viewer.cards.closeAll()) return true;
    if (state.terms.length > 0) viewer.searchFor([]);
    else if (zoomed !== view.root || span) viewer.zoomOut();
    else if (state.sandwich) viewer.endSandwich();
    else return false;
    return true;
  };

  // The reader came from another profile of this page: to the same frame, as far as it is here.
  function followNames() {
    const {names} = history.state || {};
    if (!Array.isArray(names)) return;
    zoomed = link.follow(view, names.map((name) => (typeof name === "string" ? numberOf(name) : Number(name)))
        .filter((step) => Number.isInteger(step) && step !== -1));
    if (!zoomed.room) zoomed = view.root;
    keep(false);
  }

  // ---- the address ------------------------------------------------------------------------------
  viewer.recall = () => {
    const {place, ...wanted} = link.fromQuery(location.search, kLayers.map((one) => one.key));
    if (!hasDevice && !hasModel) wanted.folded = [];
    if (!viewer.reasons.occur) wanted.swap = false;
    const unknown = [wanted.focus, wanted.sandwich, ...wanted.hidden].filter((name) => name && namesCalled(name).length === 0);
    [wanted.focus = ""] = namesCalled(wanted.focus);
    [wanted.sandwich = ""] = namesCalled(wanted.sandwich);
    if (wanted.listing && !(viewer.listing && viewer.listing.has(wanted.listing))) {
      unknown.push(wanted.listing);
      wanted.listing = "";
    }
    if (wanted.sandwich) Object.assign(wanted, {focus: "", leaf: false});
    wanted.hidden = Array.from(new Set(wanted.hidden.flatMap(namesCalled)));
    state = {...unchanged, ...wanted, table: wanted.table === undefined ? unchanged.table : wanted.table};
    const problem = search.set(state.terms, state.ignoreCase);
    if (problem) state.terms = [];
    makeView();
    zoomed = link.findNode(view, place);
    span = link.spanOf(place, zoomed);
    followNames();
    // If nothing differs from the file, the picture stays: a large one appears sooner.
    viewer.render();
    if (problem) viewer.say(problem);
    else if (unknown.length > 0) viewer.say("No frame here is called " + unknown.join(", "));
  };

  addPlaces(viewer);
  addParts(viewer);
  viewer.tabs = tabs ? makeTabs(viewer, tabs) : null;
  return viewer;
}

// The parts that show something beside the frames.
function addParts(viewer) {
  "use strict";
  viewer.items = makeTreeItems(viewer);
  viewer.camera = makeCamera(viewer);
  viewer.why = makeWhy(viewer);
  viewer.facts = frameFacts(viewer);
  viewer.status = makeStatusBar(viewer);
  viewer.hoverCard = makeHoverCard(viewer);
  viewer.trail = makeTrail(viewer);
  viewer.toolbar = makeToolbar(viewer);
  viewer.differenceBar = makeDifferenceBar(viewer);
  viewer.termNames = termNames(viewer);
  viewer.changesBar = makeChangesBar(viewer);
  viewer.searchBox = makeSearchBox(viewer);
  viewer.save = makeExport(viewer);
  viewer.menu = makeViewMenu(viewer);
  viewer.help = makeHelpCard(viewer);
  viewer.frameMenu = makeFrameMenu(viewer);
  viewer.table = makeTablePanel(viewer);
  viewer.listing = svg.querySelector("#listings") ? makeListingPane(viewer) : null;
  makeVerdictStrip(viewer);
  addKeyboard(viewer);
  addPrint(viewer);
  viewer.parts.push(viewer.camera, viewer.items, viewer.status, viewer.hoverCard, viewer.trail, viewer.toolbar,
                    viewer.differenceBar, viewer.changesBar, viewer.searchBox, viewer.menu, viewer.help);
  if (viewer.listing) viewer.parts.push(viewer.listing);
  viewer.parts.push(viewer.table);  // which takes the room that is left
}

let viewerMade = null;  // the one of this page

// The data is read, and the parts are made, when they are first needed.
function startPage() {
  "use strict";
  const tabs = svg.dataset.tab === undefined ? null : takeTabs(svg);
  if (tabs) svg = tabs.all[tabs.number];
  const shell = makeShell(svg);
  showFile(svg, shell);
  const load = () => {
    if (!viewerMade) viewerMade = makeViewer(shell, tabs);
    return viewerMade;
  };
  listenToPointer(svg, shell, load);
  listenToGestures(svg, shell, load);
  listenToKeys(svg, shell, load);
  window.addEventListener("popstate", () => {
    if (tabs && tabOf(location.search, tabs.all.length) !== tabs.number) location.reload();
    else load().recall();
  });
  const start = () => {
    if (location.search || (tabs && history.state)) load().recall();
    else load().render();
  };
  // A small profile is read before it is first shown, so that nothing moves.
  const data = svg.querySelector("#tree");
  const isSmall = !data || Number(data.dataset.nodes) < kManyNodes;
  const whenIdle = window.requestIdleCallback || ((callback) => setTimeout(callback, 200));
  if (isSmall && byId("frames").childElementCount < kManyElements) start();
  else if (document.readyState === "complete") whenIdle(start);
  else window.addEventListener("load", () => whenIdle(start));
}
// Only when the parser has finished may the picture be moved.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startPage);
else startPage();
