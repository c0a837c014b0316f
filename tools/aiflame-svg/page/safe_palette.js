// SPDX-License-Identifier: MIT
// Colours that people who confuse red and green can distinguish. Those of the layers are Okabe's and
// Ito's, made light enough for black text; names vary their lightness. Those of the stall reasons
// are dark enough for white text, and as far apart as such colours can be for each kind of sight:
// 30 in CIELAB at least, simulated after Machado and others (2009).
function makeSafePalette(svg, tree, reasons) {
  "use strict";
  const reasonKind = (category, colour) =>
      ({title: "reasons: " + category, category, colour, test: /_\[g]$/});
  const kinds = [
    reasonKind("memory", [200, 60, 100]), reasonKind("dependency", [60, 0, 120]),
    reasonKind("sync", [0, 60, 220]), reasonKind("fetch", [160, 80, 160]),
    reasonKind("pipe busy", [100, 120, 0]), reasonKind("issuing", [0, 60, 0]),
    reasonKind("other", [80, 0, 60]),
    {title: "offsets", test: /^(0x[0-9a-f]+|waits for .*)_\[g]$/, colour: [195, 232, 220]},
    {title: "instructions", test: /_\[g]$/, colour: [60, 190, 150]},
    {title: "device source", test: /_\[G]$/, colour: [86, 180, 233]},
    {title: "OS kernel", test: /_\[k]$/, colour: [230, 159, 0]},
    {title: "operators", test: /_\[o]$/, colour: [165, 100, 250]},
    {title: "modules", test: /_\[m]$/, colour: [110, 118, 215]},
    {title: "ranges", test: /_\[r]$/, colour: [135, 245, 160]},
    {title: "boundary", test: /^--?$/, colour: [190, 190, 190]},
    {title: "idle, and why", test: {test: isIdle}, colour: [70, 60, 50]},
    {title: "Python", test: /^py::/, colour: [204, 121, 167]},
    {title: "C++", test: /::/, colour: [240, 228, 66]},
    {title: "C and other", test: /^/, colour: [235, 135, 80]},
  ];
  function kindOf(name) {
    const category = name.endsWith("_[g]") ? reasons.categoryOf(name.slice(0, -4)) : "";
    return kinds.find((kind) => (kind.category || "") === category && kind.test.test(name));
  }
  const colours = new Map();
  const rgb = (parts) => "rgb(" + parts.map(Math.round).join(",") + ")";

  function colour(which) {
    let found = colours.get(which);
    if (!found) {
      const text = tree.names[which];
      let hash = 0;
      for (let i = 0; i < Math.min(text.length, 200); ++i) hash = (hash * 31 + text.charCodeAt(i)) | 0;
      const change = (hash >>> 0) % 32 / 100;
      const {category, colour: base} = kindOf(text);
      found = rgb(base.map((part) => category ? part * (1 - change / 4)  // towards black
                                              : part + (255 - part) * change));  // towards white
      colours.set(which, found);
    }
    return found;
  }
  const isHatched = svg.dataset.look === "ai" && svg.dataset.palette === "aiflame";
  function legend() {
    const used = new Set(tree.names.slice(1).map(kindOf));
    return kinds.filter((kind) => used.has(kind)).map((kind) => [
      kind.title, kind.title === "boundary" && isHatched ? kBoundaryHatching : rgb(kind.colour)]);
  }
  // Recolours the legend of the file, or restores its own colours.
  const items = Array.from(svg.querySelectorAll("#legend rect"), (rect) => [
    rect, rect.getAttribute("fill"), swatchTitle(rect)]);
  function colourLegend(safe) {
    const ours = new Map(legend());
    for (const [rect, fill, title] of items)
      if (!fill.startsWith("url")) rect.setAttribute("fill", (safe && ours.get(title)) || fill);
  }
  const colourOfCategory = (category) => rgb(kinds.find((kind) => kind.category === category).colour);
  return {colour, colourOfCategory, legend, colourLegend};
}

// Search colours: dark, or on a dark background white and brighter colours, so that everyone can
// distinguish them from all of the above.
function safeSearchColours() {
  "use strict";
  return window.matchMedia("(prefers-color-scheme: dark)").matches
      ? ["rgb(255,255,255)", "rgb(0,90,255)", "rgb(190,0,150)", "rgb(170,80,0)", "rgb(0,120,90)",
         "rgb(120,120,120)"]
      : ["rgb(0,0,0)", "rgb(0,70,170)", "rgb(110,0,90)", "rgb(120,50,0)", "rgb(0,80,60)",
         "rgb(80,80,80)"];
}
