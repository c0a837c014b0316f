// SPDX-License-Identifier: MIT
// The tree as the elements show it, in the form of readTree(): for files without data (--embed 0)
// or with little. Frames too narrow for an element are unknown, and so are the own counts of
// frames: everything beside a frame's children counts as its own.
function readElements(svg) {
  "use strict";
  const elements = svg.getElementById("frames").children;
  const size = elements.length;
  const big = BigInt(svg.dataset.room || svg.dataset.total) > BigInt(Number.MAX_SAFE_INTEGER);
  const toCount = big ? BigInt : Number;
  const counts = () => (big ? new BigUint64Array(size) : new Float64Array(size));
  const tree = {
    size, big, differential: false, inputOrder: false, fromElements: true,
    names: [], colours: [], fills: [],
    name: new Int32Array(size), parent: new Int32Array(size), depth: new Int32Array(size),
    end: new Int32Array(size), self: counts(), total: counts(), start: counts(),
    selfBefore: null, totalBefore: null, rest: new Int32Array(size).fill(-1),
    restCount: [], restBefore: [], restRoom: [], restFrames: [], selfRoom: counts(), room: counts(),
    exact: null,
    notes: [],  // what else an element's title says: in a differential, both counts
  };
  const least = (a, b) => (a < b ? a : b);
  const numbers = new Map();
  let previous = -1;
  for (let i = 0; i < size; ++i) {
    const g = elements[i];
    const depth = Number(g.dataset.d);
    let parent = previous;
    while (parent >= 0 && tree.depth[parent] >= depth) {
      tree.end[parent] = i;
      parent = tree.parent[parent];
    }
    const name = i === 0 ? "" : shownName(g.firstElementChild.textContent, svg.dataset.countname) +
                                (g.dataset.a || "");
    if (!numbers.has(name)) {
      numbers.set(name, tree.names.length);
      tree.names.push(name);
      // in a differential the colour does not follow from the name; that of a pattern is not needed
      const [red, green, blue] = g.children[1].getAttribute("fill").match(/\d+/g) || [0, 0, 0];
      tree.colours.push(red * 65536 + green * 256 + Number(blue));
    }
    tree.name[i] = numbers.get(name);
    tree.parent[i] = parent;
    tree.depth[i] = depth;
    tree.start[i] = toCount(g.dataset.x);
    tree.total[i] = tree.self[i] = toCount(g.dataset.n);
    tree.room[i] = tree.selfRoom[i] = toCount(g.dataset.room || g.dataset.n);
    if (parent >= 0) {
      tree.self[parent] -= least(tree.total[i], tree.self[parent]);
      tree.selfRoom[parent] -= least(tree.room[i], tree.selfRoom[parent]);
    }
    tree.notes.push(g.dataset.titled ? [] : g.firstElementChild.textContent.split("\n").slice(1));
    tree.fills.push(g.children[1].getAttribute("fill"));
    previous = i;
  }
  for (let p = previous; p >= 0; p = tree.parent[p]) tree.end[p] = size;
  return tree;
}

// The name in "NAME (1,234 samples, 12.34%)". Both the name and the word for what is counted may
// contain brackets.
function shownName(title, countName) {
  "use strict";
  const line = title.split("\n")[0];
  let end = line.lastIndexOf(" (");
  for (let i = countName.split(" (").length; i > 1; --i) end = line.lastIndexOf(" (", end - 1);
  return line.slice(0, end);
}
