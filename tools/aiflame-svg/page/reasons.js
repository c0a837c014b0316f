// SPDX-License-Identifier: MIT
// The stall reasons in the file, which names all that occur, with their categories; of those that
// are known it has the meaning, and advice. Names are without annotation.
function stallReasons(svg) {
  "use strict";
  const known = new Map(), categories = new Map();
  const data = svg.querySelector("#reasons");
  for (const one of data ? data.children : []) {
    const {name, vendor, category} = one.dataset;
    categories.set(name, category);
    const [meaning, advice = ""] = one.textContent.split("\n");
    if (meaning) known.set(name, {name, vendor, category, meaning, advice});
  }
  return {
    find: (name) => known.get(name) || null,
    has: (name) => categories.has(name),
    categoryOf: (name) => categories.get(name) || "",
  };
}

const kHatching = "repeating-linear-gradient(135deg, #66f 0 1.5px, #fff 1.5px 4px)";
const kBoundaryHatching = "repeating-linear-gradient(135deg, #bcc2cc 0 2px, #d3d7dd 2px 6px)";
// A pattern of the picture is no colour of a card.
const cardFill = (fill) =>
    (fill === "url(#boundary)" ? kBoundaryHatching : fill.startsWith("url") ? kHatching : fill);

// What the swatch of a legend stands for.
function swatchTitle(rect) {
  "use strict";
  const lead = rect.parentNode.dataset.lead;
  return (lead ? lead + " " : "") + rect.nextElementSibling.textContent;
}

// The colours of the file: its own legend, or a description of its palette.
function fileLegend(svg, tree) {
  "use strict";
  const legend = Array.from(svg.querySelectorAll("#legend rect"), (rect) => [
    swatchTitle(rect), cardFill(rect.getAttribute("fill"))]);
  if (legend.length > 0) return legend;
  if (tree.differential)
    return [["more after", "rgb(255,0,0)"], ["fewer after", "rgb(0,0,255)"],
            ["unchanged", "rgb(255,255,255)"]];
  return [["Colours: shades by name, to tell neighbours apart (palette " +
           (svg.dataset.palette || "?") + ")", ""]];
}
