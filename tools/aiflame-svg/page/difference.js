// SPDX-License-Identifier: MIT
// What changed between the two counts of a differential: how much, in which colour, and in words.
// Everything here is in the order of time: with --negate, the second count is the earlier one. A
// change has one of nine fixed bins (colour/change_bin.h has the same), so that a colour means the
// same in every picture.
//
//   look: {widths: "before", "after" or "both"; scale: "absolute", the change itself, or "normalised",
//   that of the share of all, which is in points and never in percent; delta: "self", of the frame itself, or
//   "total", with all on top of it; held: colours are off}
function makeDifference(svg, tree, texts) {
  "use strict";
  const isHere = tree.differential;
  const negate = svg.dataset.negate !== undefined;
  const canChangeWidths = isHere && !tree.inputOrder;
  const initial = {
    widths: canChangeWidths && svg.dataset.widths === "both" ? "both" : negate ? "before" : "after",
    scale: svg.dataset.scale === "normalised" ? "normalised" : "absolute", delta: svg.dataset.delta === "total" ? "total" : "self",
  };
  const kEdges = [0.25, 1, 3, 8];  // between bins, in percent of all before, or in points
  const rgb = (red, green, blue) => "rgb(" + [red, green, blue].join() + ")";
  const kColours = [rgb(31, 79, 163), rgb(106, 151, 219), rgb(143, 176, 227), rgb(203, 217, 242),
                    rgb(255, 255, 255), rgb(247, 207, 203), rgb(238, 154, 146), rgb(228, 105, 95),
                    rgb(179, 38, 30)];
  // purple and orange, as light as those, which all kinds of colour-blindness leave distinct
  const kSafeColours = [rgb(84, 39, 136), rgb(157, 144, 200), rgb(185, 176, 217), rgb(220, 218, 238),
                        rgb(255, 255, 255), rgb(251, 223, 185), rgb(246, 185, 107),
                        rgb(228, 138, 30), rgb(148, 68, 0)];
  const kTexts = ["< -8", "-8", "-3", "-1", "\u00b10.25", "+1", "+3", "+8", "> +8"];
  const treeOf = canChangeWidths ? makeWidths(tree) : () => tree;
  let look = {...initial, held: false};

  // ---- noise: what the file says of a frame's change, by the names from the root -----------------
  const noise = {names: new Map(), text: ""};
  for (const {dataset, textContent} of svg.querySelector("#framechanges")?.children || []) {
    let at = noise;
    for (const name of dataset.frames ? dataset.frames.split(";") : []) {
      if (!at.names.has(name)) at.names.set(name, {names: new Map(), text: ""});
      at = at.names.get(name);
    }
    at.text = textContent;
  }
  const hasNoise = Boolean(svg.querySelector("#framechanges"));
  const known = new WeakMap();  // of nodes
  function noiseAt(node) {
    const way = [];
    for (let at = node; at.parent && !known.has(at); at = at.parent) way.push(at);
    while (way.length > 0) {
      const at = way.pop(), below = at.parent.parent ? known.get(at.parent) : noise;
      known.set(at, below?.names.get(tree.names[at.name]));
    }
    return node.parent ? known.get(node) : noise;
  }
  // "within noise: -278 to +86 samples". aiflame-diff judged the change of each frame with all on top of
  // it, in the stacks of the file: other changes and other trees have no text.
  function noiseOf(node) {
    if (!hasNoise || look.isMerged || look.held || look.delta !== "total" ||
        look.scale !== initial.scale) return "";
    return noiseAt(node)?.text || "";
  }
  const isNoise = (node) => noiseOf(node).startsWith("within") && changeOf(node).bin !== 0;

  // The names in a frame of the file's stacks whose own frames are all within noise, as far as they were judged.
  function noisyNames(zoomed) {
    const within = new Set(), beyond = new Set();
    const root = !hasNoise || look.isMerged || look.held || look.scale !== initial.scale ? undefined : noiseAt(zoomed);
    const work = root ? [[tree.names[zoomed.name], root]] : [];
    while (work.length > 0) {
      const [name, at] = work.pop();
      if (at.text) (at.text.startsWith("within") ? within : beyond).add(name);
      work.push(...at.names);
    }
    return new Set([...within].filter((name) => !beyond.has(name)));
  }

  const inTime = (first, second) => (negate ? [second, first] : [first, second]);
  // With --total, the root is wider than its counts.
  const secondOf = (node) => (node.counted === undefined ? node.total : node.counted);
  const totals = (node) => inTime(node.before, secondOf(node));
  const selves = (node) => inTime(node.selfBefore, node.self);
  const share = (part, of) => 100 * Number(part) / Math.max(of, 1);

  // What shares are of: --total stands for both sides.
  const given = isHere && texts.whole > Number(tree.total[0]) ? texts.whole : 0;
  const [allBefore, allAfter] = isHere
      ? inTime(Math.max(Number(tree.totalBefore[0]), given), texts.whole) : [0, 0];
  // of the first counts of the lines, whichever they are in time
  const wholeBefore = isHere ? Math.max(Number(tree.totalBefore[0]), given) : 0;
  // From the leaves, it is the frame on the root that has the counts of its own.
  const isFromLeaves = () => look.leaf !== (svg.dataset.reversed !== undefined);
  const [countedBefore, countedAfter] = isHere ? inTime(tree.totalBefore[0], tree.total[0]) : [0, 0];

  function binOf(points) {
    let bin = 0;
    for (const edge of kEdges) if (Math.abs(points) > edge) ++bin;
    return points < 0 ? -bin : bin;
  }

  // The change of a node, or of sums {total, before, self, selfBefore} of nodes. Both shares are of
  // all before, or each of its side.
  function changeOf(node, delta = isFromLeaves() ? "total" : look.delta) {
    const [before, after] = delta === "total" ? totals(node) : selves(node);
    const isAbsolute = look.scale === "absolute";
    const shareBefore = share(before, isAbsolute ? allBefore || allAfter : allBefore);
    const shareAfter = share(after, isAbsolute ? allBefore || allAfter : allAfter);
    const points = isAbsolute ? share(Number(after) - Number(before), allBefore || allAfter)
                              : shareAfter - shareBefore;
    return {before, after, shareBefore, shareAfter, points, bin: binOf(points), kind: kindOf(node),
            text: isAbsolute ? relative([before, after]) : texts.signed(points, 1) + " pt"};
  }
  // Whether only one side has the frame.
  function kindOf(node) {
    const [before, after] = totals(node);
    return !before && after ? "new" : before && !after ? "gone" : "";
  }

  const colourOfBin = (bin, safe) => (safe ? kSafeColours : kColours)[bin + kEdges.length];
  function colourOf(node, safe) {
    if (look.held) return colourOfBin(0, safe);
    const {bin} = changeOf(node), most = kEdges.length - 1;
    if (isNoise(node)) return pale(colourOfBin(bin, safe));
    // all of a frame without counts is hatched, in white, so its label is black
    return colourOfBin(node.total ? bin : Math.max(-most, Math.min(bin, most)), safe);
  }
  // As pale() in frame_writer.cc.
  const pale = (colour) => rgb(...colour.match(/\d+/g).map((part) => Math.round(+part + (255 - part) * 0.6)));
  // For a label: "+9.5%" of the frame, or "+3.2 pt" of all
  const suffix = (node) => (!isHere || look.held || node.name < 0 ? "" : changeOf(node).text);

  // ---- widths -----------------------------------------------------------------------------------
  function whichWidths() {
    if (!canChangeWidths) return "second";
    if (look.widths === "both") return "both";
    return (look.widths === "before") !== negate ? "first" : "second";
  }
  const treeNow = () => treeOf(whichWidths());

  // How many of the counts that a node is wide are hatched: those that the second count lacks.
  function hatched(node) {
    if (look.held) return 0;
    if (!isHere || whichWidths() === "both") return Math.max(Number(node.room - node.total), 0);
    return node.total ? 0 : Number(node.room);
  }

  // Whether the file's own picture shows the same: one that is drawn as flamegraph.pl does has other
  // colours.
  const isAsInFile = () => !isHere || (tree.showsVanished && treeNow() === tree && !look.held &&
      look.scale === initial.scale && look.delta === initial.delta);

  // Without counts on a side, nothing would be as wide as it was there.
  const canHave = (which) => canChangeWidths &&
      Boolean({before: countedBefore, after: countedAfter, both: true}[which]);

  // Takes what it knows of a state; the rest is as at the beginning.
  function set(state) {
    look = {...initial, held: Boolean(state.held), leaf: Boolean(state.leaf),
            isMerged: Boolean(state.leaf || state.focus || state.sandwich || state.swap || state.runs || state.filter ||
                              state.hidden?.length || state.folded?.length)};
    if (canHave(state.widths)) look.widths = state.widths;
    if (look.held && canHave("before")) look.widths = "before";
    if (["absolute", "normalised"].includes(state.scale)) look.scale = state.scale;
    if (["self", "total"].includes(state.delta)) look.delta = state.delta;
  }

  // ---- in words ---------------------------------------------------------------------------------
  function relative([before, after]) {
    if (Number(before) === Number(after)) return texts.signed(0, 1) + "%";
    if (!before) return "new";
    if (!after) return "gone";
    return texts.signed(100 * (Number(after) - Number(before)) / Number(before), 1) + "%";
  }

  // "30.00% \u2192 46.15% of all"
  function shares(node) {
    const [before, after] = totals(node);
    return texts.share(before, allBefore) + " \u2192 " + texts.share(after, allAfter) + " of all";
  }
  // ["30 \u2192 60 samples: +100.0%", "30.00% \u2192 46.15% of all: +16.15 points"], and the frame itself.
  function facts(node) {
    const [before, after] = totals(node), [ownBefore, own] = selves(node);
    const hasOwn = (ownBefore !== before || own !== after) && (ownBefore || own);
    const all = [
      texts.count(before) + " \u2192 " + texts.quantity(after) + ": " + relative([before, after]),
      shares(node) + ": " +
          texts.signed(share(after, allAfter) - share(before, allBefore), 2) + " points"];
    if (hasOwn) all.push("itself " + texts.count(ownBefore) + " \u2192 " + texts.quantity(own));
    if (noiseOf(node)) all.push(noiseOf(node));
    return all;
  }
  // As both_sides() in frame_title.cc.
  function title(node) {
    const [counts, shares, ...itself] = facts(node);
    return [counts + "; " + shares, ...itself].join("\n");
  }
  // "0.310 s \u2192 0.380 s (+22.6%)"
  const totalsText = () => texts.count(countedBefore) + " \u2192 " + texts.quantity(countedAfter) + " (" +
      relative([countedBefore, countedAfter]) + ")";

  // What the colours say.
  const legend = (safe) => kTexts.map((text, i) => ({
    text, colour: colourOfBin(i - kEdges.length, safe), isDark: i === 0 || i === kTexts.length - 1}));
  // What the shares of changeOf() are of.
  const ofText = () => (look.scale === "absolute" ? "% of all before" : "% of all");
  const scaleText = () => (look.scale === "absolute" ? "after - before, % of all before"
                                                     : "share of all, after - before, points");

  // What only one side has: [{kind: "gone" or "new", text, isHatched}].
  function only() {
    const [before, after] = [svg.dataset.onlyBefore, svg.dataset.onlyAfter]
        .map((count) => (tree.big ? BigInt(count) : Number(count)));
    const text = (count, of) => texts.quantity(count) + " (" + texts.share(count, Number(of)) + ")";
    const all = [];
    if (before)
      all.push({kind: "gone", text: "only before: " + text(before, allBefore), isHatched: !negate});
    if (after) all.push({kind: "new", text: "new: " + text(after, allAfter), isHatched: negate});
    return all;
  }

  const isChanged = () => Object.keys(initial).some((key) => look[key] !== initial[key]);

  return {isHere, initial, isChanged, canHave, set, look: () => look, tree: treeNow, isAsInFile,
          changeOf, binOf, kindOf, colourOfBin, colourOf, pale, suffix, hatched, isNoise,
          noisyNames, hasNoise, inTime, shares, facts, title,
          totalsText, legend, scaleText, ofText, only, wholeBefore};
}
