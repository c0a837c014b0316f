// SPDX-License-Identifier: MIT
// The meaning of the stall reasons in the file, and advice. The file has the texts of the reasons
// that occur.
function stallReasons(svg) {
  "use strict";
  const known = new Map();
  const data = svg.querySelector("#reasons");
  for (const one of data ? data.children : []) {
    const [meaning, advice = ""] = one.textContent.split("\n");
    known.set(one.dataset.name, {name: one.dataset.name, vendor: one.dataset.vendor, meaning, advice});
  }
  return {find: (name) => known.get(name) || null};
}

const kHatching = "repeating-linear-gradient(135deg, #66f 0 1.5px, #fff 1.5px 4px)";

// The colours of the file: its own legend, or a description of its palette.
function fileLegend(svg, tree) {
  "use strict";
  const legend = Array.from(svg.querySelectorAll("#legend rect"), (rect) => [
    rect.nextElementSibling.textContent, rect.getAttribute("fill")]);
  // a pattern of the picture is no colour of a card
  if (legend.length > 0)
    return legend.map(([text, fill]) => [text, fill.startsWith("url") ? kHatching : fill]);
  if (tree.differential)
    return [["more after", "rgb(255,0,0)"], ["fewer after", "rgb(0,0,255)"],
            ["unchanged", "rgb(255,255,255)"]];
  return [["Colours: shades by name, to tell neighbours apart (palette " +
           (svg.dataset.palette || "?") + ")", ""]];
}
