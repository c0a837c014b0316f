// SPDX-License-Identifier: MIT
// The names of the layers at the left of an AI flame graph, each with a bracket over its rows.
function makeGutter(svg, layout) {
  "use strict";
  const kAir = 6;      // between the text, the bracket and the frames
  const kClear = 0.8;  // of a row: a layer with so much of it has it
  const kThin = 0.05;  // of the picture: a row with less of it has no bracket
  const kNone = -2;
  const group = document.createElementNS(svg.namespaceURI, "g");
  group.id = "gutter";
  group.setAttribute("aria-hidden", "true");

  // The layer that a row is of, or -1 where none has most of it: towers of different heights. A row of
  // little width is of the layer kNone, which has no bracket.
  function layerOf(row, {layer, isCpu, kCpu}) {
    const widths = [];
    let all = 0;
    for (const {node, width} of row) {
      if (node.name < 0) continue;
      const kind = isCpu(layer[node.name]) ? kCpu : layer[node.name];
      widths[kind] = (widths[kind] || 0) + width;
      all += width;
    }
    return all < kThin * layout.width ? kNone : widths.findIndex((width) => width >= kClear * all);
  }

  // Runs of rows of one layer: {from, to, kinds}. Layers that take turns, or share rows, are one run.
  function runsOf(rows, layers) {
    const runs = [];
    rows.forEach((row, i) => {
      const kind = layerOf(row, layers), last = runs[runs.length - 1];
      if (last && last.kind === kind) last.to = i;
      else runs.push({from: i, to: i, kind});
    });
    // from the first run that is not clear, or comes again, to the last such one
    const again = runs.map(({kind}, i) => kind === -1 || (kind >= 0 && runs.some((one, j) => j < i && one.kind === kind)));
    const last = again.lastIndexOf(true);
    let first = again.indexOf(true);
    if (first < 0) return runs;
    // what lies between two runs of a layer is mixed with it
    for (const {kind} of runs.slice(first, last + 1)) {
      const before = runs.findIndex((one) => one.kind === kind);
      if (kind >= 0 && before + 1 < first) first = before + 1;
    }
    return [...runs.slice(0, first), {from: runs[first].from, to: runs[last].to, kind: -1}, ...runs.slice(last + 1)];
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

  // Of layers that line up, each row has one level; CPU and device are apart.
  const kNames = ["CPU", "Kernel", "Why", "Instruction", "Offset"];  // by level
  function drawLevels(rows, {layer, kIdle}) {
    const isIdle = rows.some((row) => row[0].node.level === 0 && row.some(({node}) => layer[node.name] === kIdle));
    const levels = [];  // {from, to}
    rows.forEach((row, i) => {
      const {level} = row[0].node;
      if (levels[level]) levels[level].to = i;
      else levels[level] = {from: i, to: i};
    });
    levels.forEach(({from, to}, level) => bracket(from, to, level === 0 && isIdle ? "CPU, idle" : kNames[level]));
  }

  // `rows` are those of the drawing, from the root on.
  function draw(rows, layers, isAligned) {
    group.replaceChildren();
    if (!layout.gutter) {
      group.remove();
      return;
    }
    const names = {[layers.kCpu]: "CPU", [layers.kSource]: "GPU source",
                   [layers.kReason]: "Reason", [layers.kInstruction]: "Instruction",
                   [layers.kOffset]: "Offset", [layers.kIdle]: "Idle"};
    if (isAligned) drawLevels(rows, layers);
    else for (const {from, to, kind} of runsOf(rows, layers)) {
      if (names[kind]) bracket(from, to, names[kind]);
      else if (kind === -1 && to > from) bracket(from, to, "CPU, GPU");
    }
    svg.append(group);
  }

  return {draw};
}
