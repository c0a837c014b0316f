// SPDX-License-Identifier: MIT
// The page: its state, which says what is shown, and its reactions to the reader. All foreign text
// (names, labels of the user, the address) is read and written as text, so nothing becomes markup
// or code. Nothing runs before the first picture is shown: the data is read when the browser is
// idle, or when it is first needed.
const svg = document.currentScript.ownerSVGElement;
const byId = (id) => svg.getElementById(id);
const details = byId("details"), matched = byId("matched"), unzoom = byId("unzoom");
const searchButton = byId("search"), caseButton = byId("ignorecase"), viewButton = byId("view");
const kMatched = 100;  // pixels at the right of the foot, for "Matched: 100%"
const kManyElements = 10000;  // in the file: too many to be put back within a tenth of a second
const inverted = svg.dataset.inverted !== undefined;

// ---- the page, made when it is first needed -----------------------------------------------------
let page = null;
function load() {
  if (!page) page = makePage();
  return page;
}

function makePage() {
  "use strict";
  const texts = countTexts(svg);
  const elementCount = byId("frames").childElementCount;
  const data = readTree(svg);
  // Data that was cut to fewer than 1.2 times as many nodes as the file has elements may lack some
  // of the elements, so the elements are read then.
  const whole = data && (data.restCount.length === 0 || data.size >= 1.2 * elementCount);
  const tree = whole ? data : readElements(svg);
  const fileHeight = svg.viewBox.baseVal.height, bottom = Number(svg.dataset.bottom);
  const overlay = makeOverlay(svg);
  const difference = makeDifference(svg, tree, texts);
  const drawing = makeDrawing(svg, tree, texts, difference, overlay.setHeight);
  const reasons = stallReasons(svg);
  const top = Number(svg.dataset.top), row = drawing.rowHeight;
  const link = makePermalink(tree, drawing, {
    perCount: drawing.width / Math.max(Number(svg.dataset.room) || texts.whole, 1), inverted,
    yOf: (depth) => (inverted ? top + depth * row : fileHeight - bottom - (depth + 1) * row + 1),
  });
  let numbers = null;  // of names
  const numberOf = (name) => {
    if (!numbers) numbers = new Map(tree.names.map((text, i) => [text, i]));
    const found = numbers.get(name);
    return found === undefined || found === 0 ? -1 : found;
  };
  const shown = (name) => name.replace(/_\[[kwijgG]\]$/, "");

  // ---- layers -----------------------------------------------------------------------------------
  const kLayers = [{key: "cpu", text: "CPU"}, {key: "source", text: "Source on the device"},
                   {key: "instructions", text: "Instructions and offsets"},
                   {key: "reasons", text: "Reasons"}];
  let layers = null;
  function layersNow() {
    if (!layers)
      layers = nameLayers(tree, (name) => (reasons.find(name) ? reasons.find(name).vendor : ""));
    return layers;
  }
  const kindsOf = {
    cpu: () => [layersNow().kCpu, layersNow().kBoundary], source: () => [layersNow().kSource],
    instructions: () => [layersNow().kInstruction, layersNow().kOffset],
    reasons: () => [layersNow().kReason],
  };
  const hasDevice = tree.names.some((name) => name.endsWith("_[g]") || name.endsWith("_[G]"));

  // ---- state ------------------------------------------------------------------------------------
  const unchanged = {terms: [], ignoreCase: false, flip: inverted, leaf: false, width: false,
                     focus: "", hidden: [], folded: [], swap: false, safe: false,
                     ...difference.initial};
  let state = {...unchanged};
  let view = null, zoomed = null, viewKey = "";
  let current = null;     // the frame that has the keyboard, or the last match
  let drawnOnce = false;  // the file's own picture was replaced
  let keyboard = false;

  function makeView() {
    difference.set(state);
    const key = JSON.stringify([state.leaf, state.width, state.focus, state.hidden, state.folded,
                                state.swap, difference.tree().widths]);
    if (key === viewKey) return false;
    const needsLayers = state.folded.length > 0 || state.swap;
    const focus = state.focus ? numberOf(state.focus) : -1;
    view = makeViewTree(difference.tree(), needsLayers ? layersNow() : null, {
      leaf: state.leaf, width: state.width, swap: state.swap, focus,
      hidden: new Set(state.hidden.map(numberOf).filter((number) => number > 0)),
      folded: new Set(state.folded.flatMap((one) => kindsOf[one]())),
    });
    // with --total, the whole is more than the counts
    const whole = tree.big ? BigInt(svg.dataset.total) : Number(svg.dataset.total);
    if (view.plain && whole > view.root.total) {
      view.root.counted = view.root.total;
      view.root.total = whole;
    }
    if (view.plain && view.root.room < whole) view.root.room = whole;
    viewKey = key;
    zoomed = view.root;
    current = null;
    return true;
  }

  const search = makeSearch(tree, (problem) => {
    if (problem) {
      state.terms = [];
      say(problem);
    }
    render();
  });
  makeView();

  let safePalette = null;
  function palette() {
    if (!state.safe) return null;
    if (!safePalette) safePalette = makeSafePalette(svg, tree);
    return safePalette;
  }
  const searchColours = () => (state.safe ? safeSearchColours() : kSearchColours);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (state.safe && state.terms.length > 0) render();
  });

  // ---- drawing ----------------------------------------------------------------------------------
  const isAsInFile = () => view.plain && difference.isAsInFile() && zoomed === view.root && state.terms.length === 0 &&
      state.flip === inverted && !state.safe && !keyboard;

  function render() {
    if (isAsInFile() && (!drawnOnce || elementCount <= kManyElements)) {
      drawing.restore();
      drawnOnce = false;
    } else {
      drawnOnce = true;
      drawing.draw(view, zoomed, zoomed.room, {
        palette: palette(), searchColours: searchColours(), flip: state.flip,
        found: (node) => {
          const bits = search.matchesOf(node);
          return bits === 0 ? 0 : 32 - Math.clz32(bits & -bits);
        },
      });
    }
    if (safePalette) safePalette.colourLegend(state.safe);
    unzoom.classList.toggle("hide", zoomed === view.root);
    viewButton.classList.toggle("show", isChanged());
    showMatched();
    menu.update();
    sums.update();
  }
  const isChanged = () => !view.plain || difference.isChanged() || state.flip !== inverted || state.safe;

  function showMatched() {
    const {terms} = state;
    searchButton.classList.toggle("show", terms.length > 0);
    searchButton.textContent = terms.length > 0 ? "Reset Search" : "Search";
    caseButton.classList.toggle("show", state.ignoreCase);
    caseButton.setAttribute("aria-pressed", String(state.ignoreCase));
    matched.classList.toggle("hide", terms.length === 0);
    matched.textContent = terms.length === 0 ? " " :
        search.isBusy() ? "Searching" : "Matched: " + matchText(search.all());
    const room = Math.max(kMatched, texts.isStated || tree.showsVanished
        ? drawing.textWidth(matched.textContent) : 0);
    matched.setAttribute("x", drawing.pad + drawing.width - room);
    searchBox.update();
  }
  let shares = new Map(), sharesOf = "", sharesIn = null;  // of the terms, as asked for
  // "12.3%", and where the unit is known, how much that is; before and after, where both are shown
  function matchText(want) {
    const what = [viewKey, state.terms, state.ignoreCase].join("\n");
    if (sharesOf !== what || sharesIn !== zoomed) shares = new Map();
    sharesOf = what;
    sharesIn = zoomed;
    if (!shares.has(want)) shares.set(want, countMatches(want));
    return shares.get(want);
  }
  function countMatches(want) {
    const share = (count, of) => {
      const percent = 100 * Number(count) / Math.max(Number(of), 1);
      return (percent === 100 ? "100" : percent.toFixed(1)) + "%";
    };
    const count = search.countIn(view, zoomed, want);
    const after = share(count, zoomed.total);
    if (tree.showsVanished)
      return share(search.countIn(view, zoomed, want, true), zoomed.before) + " \u2192 " + after;
    return after + (texts.isStated ? ", " + texts.quantity(count) : "");
  }

  // ---- what the reader does ---------------------------------------------------------------------
  function keep(push) {
    const query = link.toQuery(state, view, zoomed);
    const address = query ? "?" + query : location.pathname;
    if (query === location.search.slice(1)) return;
    try {
      if (push) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch (error) {
      // an embedded document may have no address of its own
    }
  }

  function zoomTo(node) {
    if (node.name === view.kRest) return say("These frames were left out of the file: draw it with " +
                                             "a larger --embed to see them");
    if (!node.room) return undefined;
    zoomed = node;
    current = null;
    leave();
    render();
    return keep(true);
  }

  function searchFor(terms) {
    const problem = search.set(terms, state.ignoreCase);
    if (problem) {
      say(problem);
      searchBox.say(problem);
      search.set(state.terms, state.ignoreCase);
      return;
    }
    state.terms = terms;
    if (search.isBusy()) showMatched();  // what is found is drawn once it is
    else render();
    keep(true);
  }
  const exactly = (name) => "^" + name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$";

  function change(what, path) {
    state = {...state, ...what};
    const before = path || link.pathOf(zoomed);
    const wasLeaf = view.options.leaf;
    if (makeView() && wasLeaf === state.leaf) zoomed = link.follow(view, before);
    if (!zoomed.room) zoomed = view.root;
    leave();
    render();
    keep(true);
  }

  function toggle(key) {
    if (key.startsWith("layer-")) {
      const layer = key.slice(6);
      const folded = state.folded.includes(layer) ? state.folded.filter((one) => one !== layer)
                                                  : [...state.folded, layer].sort();
      // at least one layer stays visible
      if (folded.length < kLayers.length) change({folded});
    } else {
      change({[key]: !state[key]});
    }
  }

  function reset() {
    change({...unchanged, terms: state.terms, ignoreCase: state.ignoreCase}, []);
  }

  function step(backwards) {
    if (state.terms.length === 0 || search.isBusy()) return;
    const from = current || zoomed;
    const next = search.step(view, from, backwards);
    if (!next) return say("No match here");
    let place = drawing.placeOf(next);
    if (!place || place.width < 3) {
      const {parent} = next;
      zoomed = parent && Number(next.room) / Number(parent.room) * drawing.width >= 3 ? parent : next;
      render();
      keep(true);
      place = drawing.placeOf(next);
    }
    current = next;
    focusOn(next, false);
    return undefined;
  }

  // ---- text about a frame -----------------------------------------------------------------------
  function reasonOf(which) {
    const name = which > 0 ? tree.names[which] : "";
    const reason = name.endsWith("_[g]") ? reasons.find(shown(name)) : null;
    return reason && layersNow().layer[which] === layersNow().kReason ? reason : null;
  }
  const foot = makeDetails(svg, tree, drawing, texts, overlay, reasonOf);
  const say = foot.say, leave = foot.leave;
  const describe = (node) => foot.describe(node, view, zoomed, state.terms.length > 0);

  // ---- which frame ------------------------------------------------------------------------------
  // The view node for an element of the file.
  function nodeOfElement(g) {
    const depth = Number(g.dataset.d), x = tree.big ? BigInt(g.dataset.x) : Number(g.dataset.x);
    let i = 0;
    while (i >= 0 && tree.depth[i] < depth) {
      let found = -1;
      for (let c = i + 1; c < tree.end[i]; c = tree.end[c]) {
        if (tree.start[c] > x) break;
        if (tree.start[c] + tree.room[c] > x || tree.start[c] === x) found = c;
      }
      i = found;
    }
    return i >= 0 && view.plain ? view.nodeOf(i) : null;
  }
  function nodeAt(event) {
    const element = event.target.closest ? event.target.closest("#frames > *, #slivers > *") : null;
    if (!element) return null;
    if (drawing.isFile()) return nodeOfElement(element);
    if (drawing.nodeOf(element)) return drawing.nodeOf(element);
    const one = drawing.at(event.clientX, event.clientY);
    return one && one.node;
  }

  function openFrameMenu(node, x, y) {
    if (node.name === view.kRest) return;
    const path = link.pathOf(node).map((name) => (name < 0 ? "?" : tree.names[name]));
    const raw = node.parent ? tree.names[node.name] : "";
    frameMenu.open({
      title: drawing.titleOf(node).split("\n")[0], name: raw, shown: shown(raw),
      stack: state.leaf ? path.reverse() : path, zoom: () => zoomTo(node),
    }, x, y);
  }

  // ---- keyboard ---------------------------------------------------------------------------------
  function focusOn(node, withElement = true) {
    current = node;
    let element = drawing.elementOf(node);
    if (!element && withElement) {
      keyboard = true;
      render();
      element = drawing.elementOf(node);
    }
    if (element) {
      element.setAttribute("tabindex", "0");
      element.focus();
    }
    describe(node);
  }

  // Moves to the frame above, below or beside, among those that are drawn as elements.
  function move(key) {
    if (!current || !drawing.elementOf(current)) {
      keyboard = true;
      render();
      focusOn(zoomed);
      return;
    }
    const isSeen = (node) => node && drawing.elementOf(node);
    const up = (key === "ArrowUp") !== state.flip;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const row = (drawing.rowsNow()[current.depth] || []).filter((one) => isSeen(one.node));
      const at = row.findIndex((one) => one.node === current) + (key === "ArrowLeft" ? -1 : 1);
      if (row[at]) focusOn(row[at].node);
    } else if (!up) {
      if (current.parent) focusOn(current.parent);
    } else {
      const on = (drawing.rowsNow()[current.depth + 1] || [])
          .filter((one) => one.node.parent === current && isSeen(one.node));
      if (on.length > 0) focusOn(on.reduce((a, b) => (b.width > a.width ? b : a)).node);
    }
  }

  // ---- cards ------------------------------------------------------------------------------------
  const searchBox = makeSearchBox(overlay, {
    terms: () => state.terms, search: searchFor, step,
    shares: () => state.terms.map((text, k) => ({text, colour: searchColours()[k],
                                                 share: search.isBusy() ? "…" : matchText(1 << k)})),
  });
  const focusOnName = (focus) => change({focus}, focus ? [] : undefined);
  const menu = makeViewMenu(overlay, {
    state: () => state, layers: () => (hasDevice ? kLayers : null), toggle, reset, isChanged,
    focus: focusOnName, sums: () => sums.open(),
    unhide: (name) => change({hidden: state.hidden.filter((one) => one !== name)}),
    legend: () => ({
      width: "Width: " + texts.name + " of a frame and of all that it called" +
             (state.leaf ? " on the way to the leaf below it" : "") +
             (tree.showsVanished ? ", and hatched what vanished from it" : "") + ". Side by side: " +
             (state.width ? "the widest first" : tree.inputOrder && view.plain ? "as in the input"
                                                                             : "by name, not time") + ".",
      colours: difference.isHere
          ? difference.legend(state.safe).map(({text, colour}) => [text, colour])
          : state.safe ? palette().legend() : fileLegend(tree),
    }),
  });
  const frameMenu = makeFrameMenu(overlay, {
    focus: focusOnName, searchName: (name) => searchFor([exactly(name)]),
    hide: (name) => { if (!state.hidden.includes(name)) change({hidden: [...state.hidden, name]}); },
  });
  const sums = makeSumsPanel(overlay, {
    nameOf: (name) => shown(tree.names[name]), count: texts.count, share: texts.share,
    hint: (name) => {
      const reason = reasonOf(name);
      return reason ? reason.meaning + " " + reason.advice : "";
    },
    searchName: (name) => searchFor([exactly(tree.names[name])]),
    sums: () => ({sums: sumLayers(tree, layersNow(), view.ranges(zoomed)), total: zoomed.total,
                  title: "Of " + texts.quantity(zoomed.total) + " in " +
                         drawing.nameOf(zoomed)}),
  });

  // ---- the address ------------------------------------------------------------------------------
  function recall() {
    const {place, ...wanted} = link.fromQuery(location.search, kLayers.map((one) => one.key));
    if (!hasDevice) Object.assign(wanted, {folded: [], swap: false});
    if (wanted.focus && numberOf(wanted.focus) < 0) wanted.focus = "";
    state = {...wanted};
    makeView();
    zoomed = link.findNode(view, place);
    const problem = search.set(state.terms, state.ignoreCase);
    if (problem) state.terms = [];
    // If nothing differs from the file, the picture stays: a large one appears sooner.
    render();
    if (problem) say(problem);
  }

  function escape() {
    if (overlay.closeAll()) return true;
    if (state.terms.length > 0) searchFor([]);
    else if (zoomed !== view.root) zoomTo(view.root);
    else return false;
    return true;
  }

  return {
    recall, escape, toggle, reset, step, move, describe, leave, nodeAt, zoomTo, openFrameMenu, overlay,
    hasDevice, searchBox, menu, sums,
    zoomOut: () => zoomTo(view.root),
    searchOrClear: () => (state.terms.length > 0 ? (overlay.close("searchbox"), searchFor([]))
                                                 : searchBox.open()),
    toggleCase() {
      state = {...state, ignoreCase: !state.ignoreCase};
      searchFor(state.terms);
    },
    current: () => current,
    elementOf: (node) => drawing.elementOf(node),
  };
}

listen();
