// SPDX-License-Identifier: MIT
// The stall reasons in the file, which names all that occur, with their categories; of those that
// are known it has the meaning, and advice. Names are without annotation.
function stallReasons(svg) {
  "use strict";
  const known = new Map(), categories = new Map();
  const data = svg.querySelector("#reasons");
  for (const one of data ? data.children : []) {
    const {name, category} = one.dataset;
    categories.set(name, category);
    const [meaning, advice = ""] = one.textContent.split("\n");
    if (meaning) known.set(name, {name, category, meaning, advice});
  }
  return {
    occur: categories.size > 0,
    find: (name) => known.get(name) || null,
    has: (name) => categories.has(name),
    categoryOf: (name) => categories.get(name) || "",
  };
}

// What the swatch of a legend stands for.
function swatchTitle(rect) {
  "use strict";
  const lead = rect.parentNode.dataset.lead;
  return (lead ? lead + " " : "") + rect.nextElementSibling.textContent;
}

// The colours of the file: its own legend, or a description of its palette.
function fileLegend(svg) {
  "use strict";
  const legend = Array.from(svg.querySelectorAll("#legend rect"), (rect) => [
    swatchTitle(rect), backgroundOf(rect.getAttribute("fill"))]);
  if (legend.length > 0) return legend;
  return [["Colours: shades by name, to tell neighbours apart (palette " +
           (svg.dataset.palette || "?") + ")", ""]];
}
