// SPDX-License-Identifier: MIT
// Outlines over the frames: one around the frame under the pointer, dashed ones around those of the
// same name, or of the names that a table points at.
function makeOutlines(svg, layout) {
  "use strict";
  const group = document.createElementNS(svg.namespaceURI, "g");
  group.id = "outlines";
  group.setAttribute("aria-hidden", "true");
  group.setAttribute("pointer-events", "none");
  let rows = [], byName = null;

  function placesOf(name) {
    if (!byName) {
      byName = new Map();
      for (const row of rows)
        for (const one of row || [])
          for (const which of one.width >= 1 ? one.node.names || [one.node.name] : []) {
            const places = byName.get(which);
            if (places) places.push(one);
            else byName.set(which, [one]);
          }
    }
    return byName.get(name) || [];
  }

  // `inside` keeps the line within the frame, whose neighbours would else be covered.
  function outline(places, kind, inside) {
    const d = places.map(({node, left, width}) =>
        "M" + (left + inside).toFixed(1) + " " + (layout.place(node.row) + inside) + "h" +
        Math.max(width - 2 * inside, 0.5).toFixed(1) + "v" + (layout.row - 1 - 2 * inside) + "h-" +
        Math.max(width - 2 * inside, 0.5).toFixed(1) + "z").join("");
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("class", kind);
    path.setAttribute("fill", "none");
    path.setAttribute("d", d);
    group.append(path);
  }

  // Outlines the frames called by one of `names`, dashed, and `one`, a frame with its place.
  function show(one, names) {
    group.replaceChildren();
    const same = names.flatMap(placesOf).filter((other) => other !== one);
    if (same.length > 0) outline(same, "same", 0.5);
    if (one) outline([one], "hovered", 0);
    if (group.firstChild) svg.append(group);
    else group.remove();
  }

  // The rows of a new drawing.
  function reset(drawn) {
    rows = drawn;
    byName = null;
    group.replaceChildren();
  }

  return {show, reset};
}
