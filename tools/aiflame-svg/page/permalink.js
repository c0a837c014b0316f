// SPDX-License-Identifier: MIT
// The view as an address. ?x=&y= is the zoomed frame, by its position in the unzoomed picture, and
// s the search, both as in flamegraph.pl. The other parameters are ours: see "The address" in
// aiflame-svg(1). Of a frame's path, callers in a sandwich have negative numbers, and so have kinds of reasons.
function makePermalink(tree, difference, fileView) {
  "use strict";
  const kKeys = ["x", "y", "z", "s", "ic", "flip", "leaf", "sort", "focus", "hide", "fold", "swap",
                 "safe", "runs", "filter", "table", "sandwich", "layout", "span", "widths", "scale", "delta",
                 "listing", "at"];
  const kTooLong = 2000;  // of an address: a path of more is not kept
  const {perCount, pad, yOf, inverted} = fileView;
  const switches = {ic: "ignoreCase", leaf: "leaf", swap: "swap", safe: "safe", filter: "filter",
                    runs: "runs"};

  const leftOf = (i) => Math.round((pad + Number(tree.start[i]) * perCount) * 10) / 10;

  // The names from the root to a node, as numbers of the file.
  // One that stands for several frames has as many steps.
  const stepsOf = (node) => node.steps || [node.callers ? -3 - node.name : node.name];
  // Layers that line up skip the frames between a kernel and its launcher, and other layouts have them.
  // So the way to such a kernel is that of the data.
  function pathOf(node) {
    const path = [];
    for (let p = node; p; p = p.parent) {
      const inData = p.level === kLevels.kernel ? p.tip : -1;
      if (inData > 0 && p.name === tree.name[inData]) {
        for (let i = inData; i > 0; i = tree.parent[i]) path.push(tree.name[i]);
        break;
      }
      if (p.parent || p.steps) path.push(...stepsOf(p).slice().reverse());
    }
    return path.reverse();
  }

  function toQuery(state, view, zoomed, unchanged, span) {
    const query = new URLSearchParams(location.search);
    for (const key of kKeys) query.delete(key);
    if (zoomed.parent) {
      if (view.plain) {
        const [i] = zoomed.at;
        query.set("x", leftOf(i).toFixed(1));
        query.set("y", String(yOf(tree.depth[i])));
        // z tells frames at the same position apart; the number is stable for one file
        if (Number(tree.room[i]) * perCount < 1) query.set("z", "@" + i);
      } else {
        const path = pathOf(zoomed).map((step) => step.toString(36)).join(".");
        if (path.length < kTooLong) query.set("z", path);
      }
    }
    // counts, to a thousandth
    if (span) query.set("span", [span.start, span.room].map((count) => Number(count.toFixed(3))).join());
    for (const term of state.terms) query.append("s", term);
    for (const key in switches) if (state[switches[key]]) query.set(key, "1");
    if (state.flip !== inverted) query.set("flip", "1");
    if (state.width) query.set("sort", "width");
    if (state.aligned !== unchanged.aligned) query.set("layout", state.aligned ? "aligned" : "flame");
    if (state.focus) query.set("focus", state.focus);
    if (state.sandwich) query.set("sandwich", state.sandwich);
    for (const name of state.hidden) query.append("hide", name);
    // whether the table is open at first depends on the window
    if (state.table !== unchanged.table) query.set("table", state.table ? "1" : "0");
    if (state.listing) query.set("listing", state.listing);
    if (state.listing && state.at) query.set("at", state.at);
    if (state.folded.length > 0) query.set("fold", state.folded.join());
    for (const key in difference.initial)
      if (state[key] !== difference.initial[key]) query.set(key, state[key]);
    return query.toString();
  }

  function fromQuery(text, layerNames) {
    const query = new URLSearchParams(text);
    const state = {
      terms: query.getAll("s").filter((term) => term !== ""),
      flip: inverted !== (query.get("flip") === "1"),
      width: query.get("sort") === "width", focus: query.get("focus") || "",
      sandwich: query.get("sandwich") || "",
      hidden: query.getAll("hide"), listing: query.get("listing") || "",
      at: /^0x[0-9a-f]{1,16}$/.test(query.get("at")) ? query.get("at") : "",
      folded: (query.get("fold") || "").split(",").filter((name) => layerNames.includes(name)),
      place: {x: query.get("x"), y: query.get("y"), z: query.get("z"), span: query.get("span")},
    };
    if (/^(aligned|flame)$/.test(query.get("layout"))) state.aligned = query.get("layout") === "aligned";
    if (query.has("table")) state.table = query.get("table") === "1";
    for (const key in switches) state[switches[key]] = query.get(key) === "1";
    for (const key in difference.initial) if (query.has(key)) state[key] = query.get(key);
    return state;
  }

  // The file's frame at x and y, or -1: a link from another drawing may point to none of the frames
  // here.
  function findAt(x, y) {
    const {depth, end, start, room, size} = tree;
    const wanted = Number(x);
    let found = -1;
    for (let i = 0; i < size;) {
      const left = pad + Number(start[i]) * perCount;
      const width = Number(room[i]) * perCount;
      if (left > wanted + 0.06 || left + width < wanted - 0.06) {
        i = end[i];
        continue;
      }
      if (Math.abs(yOf(depth[i]) - Number(y)) < 0.5 && Math.abs(leftOf(i) - wanted) < 0.01) {
        if (width >= 0.05) return i;
        if (found < 0) found = i;
      }
      ++i;
    }
    return found;
  }

  // The node that `place` refers to, or the root.
  function findNode(view, place) {
    if (view.plain && (!place.z || place.z.startsWith("@"))) {
      let i = -1;
      if (/^@\d{1,9}$/.test(place.z || "")) i = Number(place.z.slice(1));
      else if (place.x !== null && place.y !== null) i = findAt(place.x, place.y);
      // a frame may have no width in this view
      const node = i > 0 && i < tree.size ? view.nodeOf(i) : view.root;
      return node.room ? node : view.root;
    }
    if (!place.z) return view.root;
    return follow(view, place.z.split(".").map((digits) => parseInt(digits, 36)));
  }

  // Follows names from the root to a node, and skips those that are not found.
  function follow(view, path) {
    let node = view.root, left = node.steps || [];
    for (const step of path) {
      if (left[0] === step) {
        left = left.slice(1);
        continue;
      }
      const next = view.expand(node, 1).find((child) => stepsOf(child)[0] === step);
      if (next) [node, left] = [next, stepsOf(next).slice(1)];
    }
    return node;
  }

  // The part of `zoomed` that `place` refers to, or null for all of it.
  function spanOf(place, zoomed) {
    if (!/^\d+(\.\d+)?,\d+(\.\d+)?$/.test(place.span || "")) return null;
    const all = Number(zoomed.room), [start, room] = place.span.split(",").map(Number);
    return room >= 1 && start + room <= all * (1 + 1e-9) && room < all ? {start, room} : null;
  }

  return {toQuery, fromQuery, findNode, spanOf, follow, pathOf};
}
