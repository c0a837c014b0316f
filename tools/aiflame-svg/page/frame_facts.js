// SPDX-License-Identifier: MIT
// What there is to say about a frame, as short texts: for the status bar and the hover card.
function frameFacts(viewer) {
  "use strict";
  const {tree, texts, drawing, difference} = viewer;

  // "12.3%": for the eye; texts.share() has two decimals, for comparing
  function percent(part, of) {
    const share = 100 * Number(part) / Math.max(Number(of), 1);
    if (share === 0 || share === 100) return share + "%";
    return share < 0.05 ? "<0.1%" : share > 99.95 ? ">99.9%" : share.toFixed(1) + "%";
  }

  // A frame's own count is known after its children have been made.
  function ownCount(node) {
    const {view} = viewer;
    view.expand(node, node.least === Infinity ? Number(node.total) : node.least);
    return node.self;
  }

  // From the leaves, a node's own count is that of the stacks which end, or begin, there.
  const hasOwn = (node) => node.name !== 0 && !tree.fromElements && !isLeftOut(node) &&
      !viewer.view.isBackwards(node);
  const isLeftOut = (node) => node.name === viewer.view.kRest;
  const isZoomedOn = (node) => viewer.zoomed !== viewer.view.root && !viewer.span && node.depth >= viewer.zoomed.depth;

  // What changed, first what the colours say: "0 \u2192 36.1 ms: new", "0.00% \u2192 9.50% of all: +9.50
  // points", "itself \u2026"
  function changes(node) {
    const [counts, share, ...own] = difference.facts(node);
    return difference.look().scale === "absolute" ? [counts, share, ...own] : [share, counts, ...own];
  }

  // Shares first: "50.1% of all", "60.8% of view", "261,437 samples", "self 261,437"
  function numbers(node) {
    if (difference.isHere) return changes(node);
    const all = [];
    if (node.name !== 0) all.push(percent(node.total, texts.whole) + " of all");
    if (isZoomedOn(node)) all.push(percent(node.total, viewer.zoomed.total) + " of view");
    all.push(drawing.quantityOf(node));
    if (hasOwn(node)) all.push("self " + texts.count(ownCount(node)));
    return [...all, ...notesOf(node)];
  }

  // What the file says of a frame, where it has no data.
  const notesOf = (node) => (tree.notes && viewer.view.plain ? tree.notes[node.at[0]] || [] : []);

  // What is known of a kernel's launches: "12 launches of 1024 work-items, in groups of 64".
  const launchesOf = (node) => (node.name > 0 ? viewer.launches.of(tree.names[node.name]) : []);

  // The frames from the root to this one. The boundary to the device says nothing of its own.
  function stackOf(node) {
    const stack = [];
    for (let p = node; p; p = p.parent)
      if (p === node || viewer.kindOf(p) !== "Boundary") stack.push(p);
    return stack.reverse();
  }

  // The kernel that a frame of a device belongs to, of the frames below it.
  function kernelOf(node) {
    let below = node.parent;
    while (below && viewer.kindOf(below) !== "Kernel") below = below.parent;
    return below;
  }

  // The reason that a frame belongs to: its own, that of the nearest frame below it, or, of a frame
  // below its reasons, the one that costs most of all on top of it. {name, reason, share: "92.0%" or ""}
  function reasonOf(node) {
    for (let p = node; p; p = p.parent) {
      const reason = viewer.reasonOf(p.name);
      if (reason) return {name: p.name, reason, share: ""};
    }
    const why = viewer.why.of(node), most = why && viewer.why.worst(why.reasons);
    return most && {name: most.name, reason: viewer.reasonOf(most.name),
                    share: percent(most.count, node.total)};
  }

  // By kind of reason: "memory 82.4%", "issuing 10.7%"; nothing where no reason is known, or where the
  // frame belongs to one.
  function kindsOf(node) {
    const why = difference.isHere ? null : viewer.why.of(node);
    if (!why || !reasonOf(node).share) return [];
    return why.kinds.slice().sort((a, b) => Number(b.count - a.count))
        .map(({kind, count}) => kind + " " + percent(count, node.total));
  }

  // Instructions and offsets are set in a monospaced font.
  const isCode = (node) => /^(Offset|Instruction)$/.test(viewer.kindOf(node));

  function nameOf(node) {
    const name = drawing.nameOf(node);
    if (viewer.kindOf(node) !== "Boundary") return name;
    return name === "-" ? "between CPU and device" : "between two stacks";
  }
  // The form of the name that has at most so many characters.
  const shortName = (node, most = 28) => (node === viewer.view.root && node.name === 0 ? "all"
      : fittingForm(node.forms || shortForms(nameOf(node)), most, () => 1));

  // The frames that a node stands for, if several, from the root on.
  const framesOf = (node) => (node.level === kLevels.cpu && node.names ? node.names.map((one) =>
      viewer.shown(tree.names[one])) : []);

  const colourOf = (node) => backgroundOf(drawing.colourOf(node, viewer.palette()));

  return {percent, numbers, notesOf, launchesOf, ownCount, hasOwn, isZoomedOn, stackOf, kernelOf, reasonOf, kindsOf, isCode, framesOf, nameOf,
          shortName, colourOf};
}
