// SPDX-License-Identifier: MIT
// Frames too thin to be drawn. Where many lie side by side, a hatched block says how many.

// The runs of `children` of `node` that are thinner than `least` counts, each at least `enough` counts
// wide together: {start, room, frames, widest}. The widest is a node of the data or of the view.
function thinRuns(view, node, children, least, enough) {
  "use strict";
  const {end, start, room, big} = view.tree;
  let drawn = Number(node.selfRoom);
  for (const child of children) if (Number(child.room) >= least) drawn += Number(child.room);
  if (!(Number(node.room) - drawn >= enough)) return [];  // most nodes: their children are drawn
  const runs = [];
  let run = null, edge = null;
  function add(which, from, wide) {
    if (!(Number(wide) < least)) {
      run = null;
    } else if (wide) {
      if (!run || edge !== from) {
        run = {start: from, room: big ? 0n : 0, frames: 0, widest: which, most: wide};
        runs.push(run);
      }
      run.room += wide;
      ++run.frames;
      if (wide > run.most) [run.widest, run.most] = [which, wide];
    }
    edge = from + wide;
  }
  if (view.plain) {
    const [i] = node.at;
    for (let c = i + 1; c < end[i]; c = end[c]) add(c, start[c], room[c]);
  } else {
    for (const child of node.children) add(child, child.start, child.room);
  }
  return runs.filter((one) => Number(one.room) >= enough && one.frames > 1);
}

// Draws such blocks: {run, left, width, child}: in the row of a child.
function makeThinBlocks(svg, layout, textWidth) {
  "use strict";
  const make = (name, attributes) => {
    const element = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const pattern = make("pattern", {id: "thin", width: 6, height: 6, patternUnits: "userSpaceOnUse",
                                   patternTransform: "rotate(45)"});
  pattern.append(make("rect", {width: 6, height: 6, fill: "#d3d7dd"}),
                 make("rect", {width: 1.5, height: 6, fill: "#b4bac3"}));
  svg.querySelector("defs").append(pattern);

  return ({run, left, width, child}, limit) => {
    const g = make("g", {class: "thin"}), y = layout.place(child.row);
    const frames = run.frames.toLocaleString("en") + " frames";
    const title = make("title", {});
    title.textContent = frames + ", each narrower than " + limit + " px";
    g.append(title, make("rect", {x: left.toFixed(1), y, width: width.toFixed(1),
                                  height: layout.row - 1, fill: "url(#thin)"}));
    const label = [frames + " < " + limit + " px", frames].find((one) => textWidth(one) <= width - 5);
    if (label) {
      const text = make("text", {x: (left + 3).toFixed(2), y: y + (layout.row - 1) / 2 + 3});
      text.textContent = label;
      g.append(text);
    }
    return g;
  };
}
