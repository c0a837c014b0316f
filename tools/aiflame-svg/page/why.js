// SPDX-License-Identifier: MIT
// Why the samples of a frame stall: those of everything on top of it, by stall reason and by the kind
// of reason (reasons.js).
function makeWhy(viewer) {
  "use strict";
  const {tree, reasons} = viewer;
  const kinds = Object.keys(kReasonKinds);
  const zero = tree.big ? 0n : 0;
  let reasonAt = null;          // by node of the data: the name of its own counts' reason; 0: none
  const known = new WeakMap();  // by node of a view

  // The nearest reason on the way from the root to a node, the node included.
  function findReasons() {
    const {layer, kReason} = viewer.layers(), {name, parent, size} = tree;
    reasonAt = new Int32Array(size);
    for (let i = 1; i < size; ++i)
      reasonAt[i] = layer[name[i]] === kReason ? name[i] : reasonAt[parent[i]];
  }

  function countsByReason(node) {
    const {view} = viewer, {self, rest, restCount} = view.tree, counts = new Map();
    for (const [first, last, count] of view.ranges(node)) {
      for (let i = first; i < last; ++i) {
        const which = reasonAt[i];
        if (which === 0) continue;
        const own = count !== undefined ? count : rest[i] < 0 ? self[i] : self[i] + restCount[rest[i]];
        if (own) counts.set(which, (counts.get(which) || zero) + own);
      }
    }
    return counts;
  }

  const kindOfName = (which) => reasons.kindOf(viewer.shown(tree.names[which]));

  // Sums of kinds, in the order in which all bars show them.
  function byKind(list) {
    const sums = new Map();
    for (const {name, count} of list) {
      const kind = kindOfName(name);
      sums.set(kind, (sums.get(kind) || zero) + count);
    }
    return kinds.filter((kind) => sums.has(kind)).map((kind) => ({kind, count: sums.get(kind)}));
  }

  // {reasons: [{name, count}], the largest first, kinds: [{kind, count}]}, or null where no sample of
  // the frame has a reason.
  function of(node) {
    if (!reasons.occur || node.name === viewer.view.kRest) return null;
    if (known.has(node)) return known.get(node);
    if (!reasonAt) findReasons();
    const list = Array.from(countsByReason(node), ([name, count]) => ({name, count}))
        .sort((a, b) => Number(b.count - a.count) || a.name - b.name);
    const found = list.length > 0 ? {reasons: list, kinds: byKind(list)} : null;
    known.set(node, found);
    return found;
  }

  // The reason that costs most: work, and what others hide, only where nothing else is known.
  function worst(list) {
    const all = list.filter(({name}) => viewer.reasonOf(name));
    return all.find(({name}) => !/^(issuing|hidden)$/.test(kindOfName(name))) || all[0] || null;
  }

  function colourOf(kind) {
    const palette = viewer.palette();
    return palette ? palette.colourOfCategory(kind === kHidden ? "other" : kind)
                   : reasons.colourOfKind(kind);
  }

  // A bar of the kinds, each as wide as its part of `of`. What has no reason stays empty.
  function bar(list, of) {
    const {make} = viewer.shell;
    return make("span", {class: "why", "aria-hidden": "true"}, ...list.map(({kind, count}) =>
        make("i", {"data-kind": kind, style: "width:" + (100 * Number(count) / Math.max(Number(of), 1)).toFixed(2) +
                                             "%;background:" + colourOf(kind)})));
  }
  viewer.shell.addStyle(`
    #page .why { display: flex; flex: none; overflow: hidden; background: var(--line); border-radius: 2px; }
    #page .why > i { flex: none; height: 100%; }
    #page .why > i + i { box-shadow: inset 1px 0 var(--ground); }
    @media (forced-colors: active) { #page .why > i { forced-color-adjust: none; } }`);

  // By node of the data: the name of the reason of its own counts, or 0.
  function reasonsOfNodes() {
    if (!reasonAt) findReasons();
    return reasonAt;
  }

  return {of, byKind, worst, colourOf, bar, reasonAt: reasonsOfNodes, kindOfName};
}
