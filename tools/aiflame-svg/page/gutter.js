// SPDX-License-Identifier: MIT
// The names of the layers at the left of an AI flame graph, each with a bracket over its rows.
function makeGutter(svg, layout) {
  "use strict";
  const kAir = 6;  // between the text, the bracket and the frames
  const group = document.createElementNS(svg.namespaceURI, "g");
  group.id = "gutter";
  group.setAttribute("aria-hidden", "true");

  // The layer that covers most of a row.
  function layerOf(row, {layer, isCpu, kCpu}) {
    const widths = [];
    for (const {node, width} of row) {
      if (node.name < 0) continue;
      const kind = isCpu(layer[node.name]) ? kCpu : layer[node.name];
      widths[kind] = (widths[kind] || 0) + width;
    }
    return widths.reduce((best, width, kind) => (width > (widths[best] || 0) ? kind : best), -1);
  }

  function bracket(from, to, name) {
    const edges = [layout.place(from), layout.place(to)].sort((a, b) => a - b);
    const top = edges[0] + 1.5, bottom = edges[1] + layout.row - 2.5;
    const right = layout.pad - kAir;
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("d", "M" + right + " " + top + "h-4V" + bottom + "h4");
    const text = document.createElementNS(svg.namespaceURI, "text");
    text.setAttribute("x", right - 4 - kAir);
    text.setAttribute("y", (top + bottom) / 2 + 4);
    text.setAttribute("text-anchor", "end");
    text.textContent = name;
    group.append(path, text);
  }

  // `rows` are those of the drawing, from the root on.
  function draw(rows, layers) {
    group.replaceChildren();
    if (!layout.gutter) {
      group.remove();
      return;
    }
    const names = {[layers.kCpu]: "CPU", [layers.kSource]: "GPU source",
                   [layers.kReason]: "Reason", [layers.kInstruction]: "Instruction",
                   [layers.kOffset]: "Offset", [layers.kIdle]: "Idle"};
    const kinds = rows.map((row) => layerOf(row, layers));
    for (let from = 0, to = 0; from < kinds.length; from = to) {
      for (to = from + 1; to < kinds.length && kinds[to] === kinds[from];) ++to;
      if (names[kinds[from]]) bracket(from, to - 1, names[kinds[from]]);
    }
    svg.append(group);
  }

  return {draw};
}
