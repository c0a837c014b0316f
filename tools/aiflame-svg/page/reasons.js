// SPDX-License-Identifier: MIT
// The stall reasons in the file, which names all that occur, with their categories; of those that
// are known it has the meaning, and advice. Names are without annotation. A reason is `hidden` where
// another thread was served: its samples are no loss, and have a kind of their own.
const kHidden = "hidden";
const kReasonKinds = {memory: "waits for memory", dependency: "waits for a result", sync: "waits for others",
                      fetch: "waits for instructions", "pipe busy": "pipe busy", issuing: "issues work",
                      other: "other", [kHidden]: "ready, others ran"};
function stallReasons(svg) {
  "use strict";
  const known = new Map(), categories = new Map(), kinds = new Map(), colours = new Map();
  const data = svg.querySelector("#reasons");
  for (const one of data ? data.children : []) {
    const {name, category, colour, hidden} = one.dataset;
    const kind = hidden ? kHidden : category;
    categories.set(name, category);
    kinds.set(name, kind);
    colours.set(kind, colour);
    const [meaning, advice = ""] = one.textContent.split("\n");
    if (meaning) known.set(name, {name, category, kind, meaning, advice});
  }
  return {
    occur: categories.size > 0,
    find: (name) => known.get(name) || null,
    has: (name) => categories.has(name),
    categoryOf: (name) => categories.get(name) || "",
    kindOf: (name) => kinds.get(name) || "",
    colourOfKind: (kind) => colours.get(kind) || "",
    // of a kind: the names
    ofKind: (kind) => Array.from(kinds.keys()).filter((name) => kinds.get(name) === kind),
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
