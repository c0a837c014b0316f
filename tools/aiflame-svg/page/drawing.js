// SPDX-License-Identifier: MIT
// Draws a part of a view tree. Frames that are wide enough become elements, like those in the file.
// Narrow frames of one colour become one path, since browsers take ten times longer for elements.
// Frames too narrow to see are not drawn.
function makeDrawing(svg, tree, texts, difference, layout) {
  "use strict";
  const kSeen = 0.2;        // pixels: what is narrower is not drawn
  const kElement = 3;       // pixels: what is narrower is part of a path
  const kElements = 2500;   // at most; more take longer than a tenth of a second
  const kFrames = 20000;    // at most, where some are narrower than kElement; the widest are drawn
  const kEdged = 6;         // pixels: what is narrower has no coloured edge
  const labelWidth = 3 * Number(svg.dataset.charwidth);  // less has no room for a letter and ".."
  const byId = (id) => svg.getElementById(id);
  const inTheFile = byId("frames");
  const {place} = layout, isAi = svg.dataset.look === "ai";
  const labels = makeLabels(svg, layout.fonts);
  const thinBlock = makeThinBlocks(svg, layout, labels.textWidth);
  const gutter = makeGutter(svg, layout), outlines = makeOutlines(svg, layout);

  // The elements of frames with attributes of their own (--nameattr), by name, or by the name of a
  // frame below, a semicolon and the name.
  const given = new Map(Array.from(inTheFile.querySelectorAll("[data-given]"),
                                   (g) => [g.getAttribute("data-given"), g]));
  const lower = new Set(Array.from(given.keys(), (key) => key.split(";", 2))
                            .filter((names) => names.length > 1).map(([below]) => below));

  let group = inTheFile;   // what is shown
  let slivers = null;      // the paths behind it, which are no frames to those who read the elements
  let rows = [];           // by depth: {nodes, lefts, widths} from left to right, of what is drawn
  let elements = new Map();  // of nodes
  let nodes = new Map();     // of elements
  let thin = [];             // blocks of frames too thin to be drawn
  let drawn = {};            // what was collected last, and the least width of a frame then
  let layers = null;         // of names, in an AI flame graph
  let colourOfKind = () => "";  // of reasons
  let fromLeaves = svg.dataset.reversed !== undefined;

  // The same as NameAttributes::find().
  function givenOf(node) {
    if (given.size === 0 || node.name === 0) return undefined;
    const name = tree.names[node.name];
    let below;
    for (let at = node.parent; at; at = at.parent)
      if (lower.has(tree.names[at.name])) below = tree.names[at.name];
    return given.get(below + ";" + name) || given.get(name);
  }

  const make = (name) => document.createElementNS(svg.namespaceURI, name);

  // ---- text -------------------------------------------------------------------------------------
  function bareName(node) {
    if (node.name === -2)
      return (node.frames ? node.frames.toLocaleString("en") + " " : "") +
             (node.areCallers ? "callers" : "frames") + " left out of the file";
    return node.forms ? node.forms[0] : node.name === 0 ? "all" : withoutAnnotation(tree.names[node.name]);
  }
  // Of frames that are folded into one: how many.
  const runOf = (node) => (node.run ? " \u00d7" + node.run : "");
  const nameOf = (node) => bareName(node) + runOf(node);

  // A name may have frames that were left out of the file.
  const quantityOf = (node) => (node.isLeast ? "at least " : "") + texts.quantity(node.total);

  // With a filter or a focus, the root is but a part.
  const isWhole = (node) => node.depth === 0 && Number(node.total) >= texts.whole;

  // The same text as in frame_title.cc.
  function titleOf(node) {
    const text = nameOf(node) + " (" + quantityOf(node) + ", " +
                 (isWhole(node) ? "100%" : texts.ofWhole(node.total)) + ")";
    return difference.isHere ? text + "\n" + difference.title(node) : text;
  }

  // ---- colours ----------------------------------------------------------------------------------
  function colourOf(node, palette) {
    if (node.name === -2 || node.name === kNoKernel) return "rgb(190,190,190)";
    if (isBoundary(node) && svg.dataset.palette === "aiflame") return "url(#boundary)";
    if (tree.fills && node.at.length === 1 && node.at[0] >= 0 && !palette) return tree.fills[node.at[0]];
    const text = tree.names[node.name];
    const boundary = text === "-" || text === "--";
    if (difference.isHere && !boundary) return difference.colourOf(node, Boolean(palette));
    if (node.reasons) return colourOfKind(node.reasons);
    if (palette) return palette.colour(node.name);
    return rgbOf(tree.colours[node.name]);
  }
  // The boundary of CPU and GPU in an AI flame graph, with a text in place of its name: as
  // label_text() in frame_writer.cc.
  const isBoundary = (node) => isAi && tree.names[node.name] === "-";
  function boundaryLabel(room) {
    const text = layout.flipped === fromLeaves ? "GPU above / CPU below" : "CPU above / GPU below";
    return labels.textWidth(text) <= room ? text : labels.fit("-", room);
  }

  // ---- layout -----------------------------------------------------------------------------------
  // The visible frames among `zoomed`, its ancestors and its descendants, from left to right and
  // from the root upwards.
  // `span`: the part of `zoomed` that fills the picture. What reaches beyond is cut.
  // `limit`: the pixels of the narrowest.
  function collectFrom(view, zoomed, span, limit) {
    const {pad, width} = layout, isPart = span.room < Number(zoomed.room);
    const perCount = width / Math.max(span.room, 1);
    const edge = pad + width;
    const leftOf = (start) => pad + (Number(start - zoomed.start) - span.start) * perCount;
    function see(node, left, wide) {
      if (!isPart) {
        seen.push({node, left, width: wide, parent: false});
        return;
      }
      const from = Math.max(left, pad), to = Math.min(left + wide, edge);
      if (to > from) seen.push({node, left: from, width: to - from, parent: false});
    }
    const isInside = (left, wide) => !isPart || (left < edge && left + wide > pad);
    const least = limit / perCount;
    const isShown = (node) => !view.isShown || view.isShown(node, zoomed);
    const seen = [];
    thin = [];
    for (let p = zoomed.parent; p; p = p.parent) seen.push({node: p, left: pad, width, parent: true});
    seen.reverse();
    // Who moves sideways looks at the same frames in the same scale.
    function runsOn(node, children) {
      if (!view.plain) return thinRuns(view, node, children, least, kElement / perCount);
      if (!node.thin || node.thin.least !== least)
        node.thin = {least, runs: thinRuns(view, node, children, least, kElement / perCount)};
      return node.thin.runs;
    }
    function addThin(node, children) {
      for (const run of runsOn(node, children))
        if (isInside(leftOf(run.start), Number(run.room) * perCount)) {
          const from = Math.max(leftOf(run.start), pad);
          const to = Math.min(leftOf(run.start) + Number(run.room) * perCount, edge);
          thin.push({run, node, left: from, width: isPart ? to - from : Number(run.room) * perCount, child: children[0]});
        }
    }
    const work = [zoomed];
    while (work.length > 0) {
      const node = work.pop();
      const w = Number(node.room) * perCount;
      // a difference of counts is exact, however large they are
      const left = leftOf(node.start);
      const children = view.expand(node, least);
      for (const gap of node.gaps || [])
        if (Number(gap.total) >= least)
          see(node, leftOf(gap.start), Number(gap.total) * perCount);
      if (!node.gaps) see(node, left, w);
      if (!view.rowsOn) addThin(node, children);
      else for (const row of view.rowsOn(children)) if (isShown(row[0])) addThin(node, row);
      for (let i = children.length - 1; i >= 0; --i)
        if (Number(children[i].room) >= least && children[i].room && isShown(children[i]) &&
            isInside(leftOf(children[i].start), Number(children[i].room) * perCount)) work.push(children[i]);
    }
    return seen;
  }
  // A small profile may have more frames of a fifth of a pixel than a large one, and takes no longer.
  // Who moves sideways keeps the limit, so that no frame comes and goes.
  function collect(view, zoomed, span) {
    if (drawn.view !== view || drawn.zoomed !== zoomed || drawn.room !== span.room || drawn.width !== layout.width)
      drawn = {view, zoomed, room: span.room, width: layout.width, limit: kSeen};
    const seen = collectFrom(view, zoomed, span, drawn.limit);
    if (seen.length <= kFrames || drawn.limit > kSeen) return seen;
    const widths = Float64Array.from(seen, (one) => one.width).sort();
    drawn.limit = Math.min(widths[widths.length - kFrames - 1] * 1.001, kElement);
    return collectFrom(view, zoomed, span, drawn.limit);
  }

  // Gives what is drawn its row, counted from the one at the root's end; returns how many there are.
  function placeRows(view, seen) {
    if (view.placeRows) return view.placeRows([...seen.map((one) => one.node), ...thin.map((one) => one.child)]);
    let most = 0;
    for (const {node} of seen) most = Math.max(most, node.row = node.depth);
    for (const {child} of thin) most = Math.max(most, child.row = child.depth);
    return most + 1;
  }

  // Down from kernels in a row of their own to the frames of the CPU that launched them.
  function leadersOf(seen) {
    const d = seen.filter(({node, parent}) => node.level === kLevels.kernel && !parent).map(({node, left, width}) => {
      const edges = [place(node.parent.row + 1), place(node.row - 1)].sort((a, b) => a - b);
      const wide = width > 3 ? width - 0.7 : width;  // so that the leaders of neighbours stay apart
      return "M" + left.toFixed(1) + " " + edges[0] + "h" + Math.max(wide, 0.1).toFixed(1) + "V" +
             (edges[1] + layout.row) + "h-" + Math.max(wide, 0.1).toFixed(1) + "z";
    }).join("");
    const path = make("path");
    path.setAttribute("class", "leaders");
    path.setAttribute("fill", svg.querySelector("#boundary") ? "url(#boundary)" : "#d3d7dd");
    path.setAttribute("d", d);
    return path;
  }

  // The code of the device: of its frames, kernels have the names that look alike.
  const kMostKernels = 2000;  // more take longer than a frame of the screen
  function kernelNames({layer, kSource}) {
    const found = tree.names.filter((text, i) => layer[i] === kSource && !isSourceFile(text) &&
                                                 !isSourceLine(text) && !isLoop(text));
    return found.length > kMostKernels ? [] : found.map(withoutAnnotation);
  }

  // ---- labels -----------------------------------------------------------------------------------
  // The font of a frame's label: instructions and offsets have one of equal widths, white text on
  // the strong colours of an AI flame graph is bold.
  function kindOf(node, fill) {
    if (isDark(fill)) return isAi ? "bold" : "text";
    if (!isAi || !layers || node.name < 0) return "text";
    const kind = layers.layer[node.name];
    return kind === layers.kInstruction || kind === layers.kOffset ? "mono" : "text";
  }
  function shareOf(node) {
    if (difference.isHere) return difference.suffix(node);
    return isWhole(node) ? "100%" : texts.share(node.total, texts.whole, 1);
  }
  function labelOf(node, width, kind) {
    const room = width - 5;
    if (width < labelWidth) return "";
    if (isBoundary(node)) return boundaryLabel(room);
    if (node.forms) labels.prefer([[node.forms[0], node.forms]]);
    return isAi || layout.fluid ? labels.brief(bareName(node), runOf(node), shareOf(node), room, kind)
                                : labels.fit(nameOf(node), room);
  }

  // ---- elements ---------------------------------------------------------------------------------
  // Of a frame that stands for several, what has a match.
  function partOf(part, left, width, y) {
    const rect = make("rect");
    for (const [key, value] of [["class", "part"], ["x", left.toFixed(1)], ["y", y],
                                ["width", Math.max(width * part.share, 1).toFixed(1)], ["height", 5], ["fill", part.fill]])
      rect.setAttribute(key, value);
    return rect;
  }
  function frameElement({node, left, width: w, parent}, fill, part) {
    const {row} = layout;
    const own = givenOf(node);
    const gone = difference.hatched(node);  // of its width in counts
    const side = difference.isHere && w >= kEdged ? difference.kindOf(node) : "";  // that alone has it
    const g = own ? own.cloneNode(false) : make("g");
    const title = make("title"), rect = make("rect");
    g.classList.remove("new", "gone");
    g.removeAttribute("data-room");
    g.setAttribute("data-d", node.row);
    g.setAttribute("data-x", String(node.start));
    g.setAttribute("data-n", String(node.total));
    g.classList.toggle("light", isDark(fill));
    g.classList.toggle("vanished", gone > 0);
    if (side) g.classList.add(side);
    if (gone > 0) g.setAttribute("data-room", String(node.room));
    if (parent) g.classList.add("parent");
    g.setAttribute("role", "treeitem");
    g.setAttribute("aria-level", node.depth + 1);
    g.setAttribute("tabindex", "-1");
    title.textContent = own && own.dataset.titled ? own.firstElementChild.textContent : titleOf(node);
    // the width is computed from the rounded edges, so that neighbours meet
    const x1 = Math.round(left * 10) / 10, x2 = Math.round((left + w) * 10) / 10;
    const y = place(node.row);
    rect.setAttribute("x", x1.toFixed(1));
    rect.setAttribute("y", y);
    rect.setAttribute("width", Math.max(x2 - x1, 0.1).toFixed(1));
    rect.setAttribute("height", row - 1);
    rect.setAttribute("fill", fill);
    if (x2 - x1 >= 4) {
      rect.setAttribute("rx", 2);
      rect.setAttribute("ry", 2);
    }
    g.append(title, rect);
    if (part) g.append(partOf(part, x1, x2 - x1, y));
    const hatch = (from, to, pattern) => {
      const hatched = make("rect");
      for (const [key, value] of [["x", from.toFixed(1)], ["y", y], ["width", (to - from).toFixed(1)],
                                  ["height", row - 1], ["fill", "url(#" + pattern + ")"]])
        hatched.setAttribute(key, value);
      g.append(hatched);
    };
    const x = Math.round((left + w - w * gone / Number(node.room)) * 10) / 10;
    if (w >= kEdged && x > x1 && difference.isHere && difference.isNoise(node)) hatch(x1, x, "noise");
    if (gone > 0 && x < x2) hatch(x, x2, "vanished");
    const kind = kindOf(node, fill);
    if (kind === "mono") g.classList.add(kind);
    const label = labelOf(node, w, kind);
    if (label) {
      const text = make("text");
      text.setAttribute("x", (left + 3).toFixed(2));
      text.setAttribute("y", y + (row - 1) / 2 + (layout.fluid ? layout.fontSize / 4 : 3));
      text.textContent = label;
      g.append(text);
    }
    elements.set(node, g);
    nodes.set(g, node);
    return g;
  }

  // The least width of an element, chosen so that there are not too many of them.
  function elementWidth(seen) {
    const wide = seen.filter((one) => one.width >= kElement);
    if (wide.length <= kElements) return kElement;
    return wide.map((one) => one.width).sort((a, b) => b - a)[kElements];
  }

  function show(next, behind) {
    if (slivers) slivers.remove();
    slivers = behind;
    if (slivers) group.before(slivers);
    if (next === group) return;
    group.replaceWith(next);
    next.setAttribute("id", "frames");
    group = next;
  }

  // Draws a view. `found(node)` is the number of the search colour, from 1, or 0.
  function draw(view, zoomed, span, {found, palette, searchColours, flip, look, layersOf, kindColour, shareFound}) {
    colourOfKind = kindColour;
    if (layersOf && !layers) labels.prefer(formsOfLike(kernelNames(layersOf())));
    layers = layersOf ? layersOf() : null;
    labels.update();
    fromLeaves = (svg.dataset.reversed !== undefined) !== view.options.leaf;
    const seen = collect(view, zoomed, span);
    layout.makeRoom(placeRows(view, seen), flip, zoomed === view.root && span.room >= Number(zoomed.room));
    rows = [];
    elements = new Map();
    nodes = new Map();
    // A frame that stands for several keeps its colour where not all of it matches.
    const partWith = (node, which) => {
      const share = which && node.names ? shareFound(node, which) : 1;
      return share < 1 ? {share, fill: searchColours[which - 1]} : null;
    };
    const fillOf = (node) => {
      const which = found(node), part = partWith(node, which);
      if (part) return {fill: colourOf(node, palette), found: 0, part};
      return {fill: which ? searchColours[which - 1] : look(colourOf(node, palette)),
              found: which ? 1 : 0};
    };
    const least = elementWidth(seen);
    // frames that were left out lie between their siblings, but come after them in the list
    if (seen.some((one) => one.node.gaps)) seen.sort((a, b) => a.left - b.left || b.width - a.width);
    const narrow = [], wide = [];
    for (const one of seen) {
      const {row} = one.node;
      (rows[row] || (rows[row] = [])).push(one);
      if (one.parent || (one.width > least || (one.width >= least && wide.length < kElements)))
        wide.push(one);
      else narrow.push(one);
    }
    const next = make("g");
    next.setAttribute("role", "tree");
    next.setAttribute("aria-label", byId("title").textContent);
    const behind = make("g");
    behind.setAttribute("id", "slivers");
    behind.setAttribute("aria-hidden", "true");
    // a block stands for the frame below it, which zooms it; of the zoomed one, for its widest
    if (view.aligned) behind.append(leadersOf(seen));
    svg.parentNode.classList.toggle("aligned", Boolean(view.aligned));
    for (const block of thin) {
      const g = thinBlock(block, Number(drawn.limit.toFixed(2)));
      const {widest} = block.run;
      nodes.set(g, block.node !== zoomed ? block.node : view.plain ? view.nodeOf(widest) : widest);
      behind.append(g);
    }
    behind.append(...sliverPaths(svg, narrow, layout.row, place, fillOf));
    for (const one of wide) {
      const {fill, found: isMatch, part} = fillOf(one.node);
      next.append(frameElement(one, fill, part));
      if (isMatch) markMatch(elements.get(one.node), fill);
    }
    const first = elements.get(zoomed);
    if (first) first.setAttribute("tabindex", "0");
    if (view.sandwich && elements.has(view.root)) elements.get(view.root).classList.add("between");
    show(next, behind);
    outlines.reset(rows);
    if (layers) gutter.draw(rows, layers, view.aligned);
  }

  // Shows the picture of the file again.
  function restore() {
    rows = [];
    elements = new Map();
    nodes = new Map();
    layout.makeRoom(0, svg.dataset.inverted !== undefined, true);
    outlines.reset(rows);
    show(inTheFile, null);
  }

  // ---- finding a frame by its position ----------------------------------------------------------
  // The frame drawn at a point of the window, with its position, or null.
  function at(clientX, clientY) {
    const matrix = svg.getScreenCTM();
    if (!matrix || rows.length === 0) return null;
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const {row, top, bottom, height} = layout;
    const number = Math.floor((layout.flipped ? point.y - top : height - bottom - point.y) / row);
    const line = rows[number];
    if (!line) return null;
    let low = 0, high = line.length;  // the last that begins left of the point
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line[middle].left <= point.x) low = middle + 1;
      else high = middle;
    }
    const one = line[low - 1];
    return one && point.x <= one.left + Math.max(one.width, 0.3) ? one : null;
  }
  const placeOf = (node) => (rows[node.row] || []).find((one) => one.node === node) || null;

  return {
    draw, restore, at, placeOf, nameOf, titleOf, quantityOf, colourOf, place,
    textWidth: labels.textWidth,
    get width() { return layout.width; },
    get rowHeight() { return layout.row; },
    // Outlines a frame, and all those of its name with dashes; of null, none.
    outline: (node) => outlines.show(node && placeOf(node), node && node.name > 0 ? [node.name] : []),
    // Outlines the frames that have one of these names, by their numbers.
    outlineNames: (names) => outlines.show(null, names),
    isFile: () => group === inTheFile,
    elementOf: (node) => elements.get(node) || null,
    nodeOf: (element) => nodes.get(element) || null,
    rowsNow: () => rows,
  };
}
