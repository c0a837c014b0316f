// SPDX-License-Identifier: MIT
// Frames too narrow for an element: one path for each colour. Neighbours that share a pixel get
// the colour of the widest, or that of a search match. `place` gives the upper edge of a row.
function sliverPaths(svg, narrow, row, place, fillOf) {
  "use strict";
  const paths = new Map();
  const add = (run) => {
    const piece = "M" + run.left.toFixed(2) + " " + run.y + "h" +
                  Math.max(run.right - run.left, 0.3).toFixed(2) + "v" + (row - 1) + "H" +
                  run.left.toFixed(2) + "z";
    const pieces = paths.get(run.fill);
    if (pieces) pieces.push(piece);
    else paths.set(run.fill, [piece]);
  };
  const open = new Map();  // by row: the run that the next neighbour may join
  for (const one of narrow) {
    const {row: line} = one.node;
    const {fill, found} = fillOf(one.node);
    const run = open.get(line);
    if (run && run.right - run.left < 1 && one.left - run.right < 0.2 && one.width < 1) {
      run.right = one.left + one.width;
      if (found > run.found || (found === run.found && one.width > run.widest)) {
        run.fill = fill;
        run.found = found;
        run.widest = one.width;
      }
      continue;
    }
    if (run) add(run);
    open.set(line, {left: one.left, right: one.left + one.width, y: place(line), fill, found,
                     widest: one.width});
  }
  for (const run of open.values()) add(run);
  return Array.from(paths, ([fill, pieces]) => {
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("fill", fill);
    path.setAttribute("d", pieces.join(""));
    return path;
  });
}
