// SPDX-License-Identifier: MIT
// Search terms, and which names they match. Each name is tested once, however many frames have it,
// and in slices of time, so that the page stays responsive.
function makeSearch(tree, onChange) {
  "use strict";
  const kSlice = 30;  // milliseconds
  const {names, name, parent, end, total, size, big} = tree;
  const zero = big ? 0n : 0;
  let terms = [];                           // {text, expression, share}
  let bits = new Uint8Array(names.length);  // by name: bit k where term k has a match
  let generation = 0, busy = false;
  let above = null;  // for trees merged from leaves: {view tree, generation, flags by node}

  // A term matches the name as shown, or with its annotation: `_\[G]$` finds device source.
  function bitsOf(text, wanted) {
    const bare = text.replace(/_\[[kwijgG]\]$/, "");
    let found = 0;
    wanted.forEach(({expression}, k) => {
      if (expression.matches(bare) || (bare !== text && expression.matches(text))) found |= 1 << k;
    });
    return found;
  }

  // Replaces the terms. Returns the error of the first invalid one, else an empty text.
  function set(texts, ignoreCase) {
    const wanted = [];
    for (const text of texts.slice(0, kSearchColours.length)) {
      try {
        wanted.push({text, expression: compileExpression(text, ignoreCase)});
      } catch (error) {
        return error instanceof SyntaxError ? "Not a regular expression: " + text
                                            : "Cannot search for " + text + ": " + error.message;
      }
    }
    terms = wanted;
    bits = new Uint8Array(names.length);
    ++generation;
    busy = wanted.length > 0;
    if (busy) slice(generation, 0, bits);
    return "";
  }

  function slice(mine, first, into) {
    if (mine !== generation) return;
    const until = performance.now() + kSlice;
    let i = first;
    try {
      while (i < names.length) {
        into[i] = bitsOf(i === 0 ? "all" : names[i], terms);
        ++i;
        if ((i & 63) === 0 && performance.now() > until) break;
      }
    } catch (error) {
      const [{text}] = terms;
      set([], false);
      onChange("Cannot search for " + text + ": " + error.message);
      return;
    }
    if (i < names.length) {
      setTimeout(slice, 0, mine, i, into);
      return;
    }
    busy = false;
    if (first > 0) onChange("");  // else the caller knows
  }

  // ---- in a view --------------------------------------------------------------------------------
  // The terms that the frame `node` matches, as bits.
  const matchesOf = (node) => (node.name < 0 ? 0 : bits[node.name]);

  // The counts of nodes [first, last) in or on top of a matching frame. A match on top of another
  // is not counted twice.
  function scan(first, last, want, skipped, totals) {
    let sum = zero;
    for (let i = first; i < last;) {
      const which = name[i];
      if ((bits[which] & want) !== 0 && skipped[which] === 0) {
        sum += totals[i];
        i = end[i];
      } else {
        ++i;
      }
    }
    return sum;
  }

  // By node: whether it or one of its ancestors matches.
  function flagsAbove(view, want) {
    if (above && above.view === view && above.generation === generation && above.want === want)
      return above.flags;
    const flags = new Uint8Array(size);
    for (let i = 1; i < size; ++i) {
      const which = name[i];
      flags[i] = ((bits[which] & want) !== 0 && !view.skipped[which]) ||
                 (flags[parent[i]] !== 0 && !view.isStop(i)) ? 1 : 0;
    }
    above = {view, generation, want, flags};
    return flags;
  }

  // The counts of `node` that lie in frames which match any of the terms `want`; in a differential
  // on request those before.
  function countIn(view, node, want, before = false) {
    const totals = before ? tree.totalBefore : total;
    if ((matchesOf(node) & want) !== 0) return before ? node.before : node.total;
    let sum = zero;
    if (node === view.root) {
      for (const [first, last] of view.ranges(node)) sum += scan(first, last, want, view.skipped, totals);
      return sum;
    }
    if (view.options.leaf) {
      const flags = flagsAbove(view, want);
      for (let k = 0; k < node.at.length; ++k) {
        const owed = node.owed[k];
        if ((node.at[k] > 0 && flags[node.at[k]]) || (owed >= 0 && (bits[name[owed]] & want) !== 0)) {
          sum += before ? view.weightBefore(node.leaves[k]) : view.weight(node.leaves[k]);
        }
      }
      return sum;
    }
    for (let k = 0; k < node.at.length; ++k) {
      const at = node.at[k], owed = node.owed[k];
      if (at < 0) continue;
      if (owed >= 0 && (bits[name[owed]] & want) !== 0) sum += totals[at];
      else sum += scan(owed === view.kSpliced ? at : at + 1, end[at], want, view.skipped, totals);
    }
    return sum;
  }

  // ---- from match to match ----------------------------------------------------------------------
  const all = () => (1 << terms.length) - 1;
  // By node: whether a descendant matches. Computed once for a search, so that a step costs only
  // the way to the match, not a search of the remaining tree at each branch.
  let below = null;
  function flagsBelow(view) {
    if (below && below.view === view && below.generation === generation) return below.flags;
    const flags = new Uint8Array(size);
    for (let i = size - 1; i > 0; --i)
      if (flags[i] || isHit(view, i)) flags[parent[i]] = 1;
    below = {view, generation, flags};
    return flags;
  }
  const isHit = (view, i) => bits[name[i]] !== 0 && !view.skipped[name[i]];
  function has(view, node) {
    if (node.name === view.kRest && node.at.length === 0) return false;
    if (isMatch(node)) return true;
    if (node === view.root) return view.expand(node, 1).some((child) => has(view, child));
    if (view.options.leaf) {
      const flags = flagsAbove(view, all());
      return node.at.some((at, k) => (at > 0 && flags[at]) ||
                                     (node.owed[k] >= 0 && bits[name[node.owed[k]]] !== 0));
    }
    const flags = flagsBelow(view);
    return node.at.some((at, k) => at >= 0 && (flags[at] !== 0 ||
        (node.owed[k] >= 0 && bits[name[node.owed[k]]] !== 0) ||
        (node.owed[k] === view.kSpliced && isHit(view, at))));
  }
  const isMatch = (node) => matchesOf(node) !== 0;
  const childrenOf = (view, node) => view.expand(node, 1).filter((child) => has(view, child));
  const isSame = (a, b) => a === b || (a.name === b.name && a.at[0] === b.at[0]);

  function firstIn(view, node) {
    while (node && !isMatch(node)) [node] = childrenOf(view, node);
    return node || null;
  }
  function lastIn(view, node) {
    for (;;) {
      const children = childrenOf(view, node);
      if (children.length === 0) return isMatch(node) ? node : null;
      node = children[children.length - 1];
    }
  }
  // The next match after `node`, or the one before it, in the order from left to right and upwards.
  // Continues at the other end.
  function step(view, node, backwards) {
    if (terms.length === 0 || !has(view, view.root)) return null;
    if (!backwards) {
      const [child] = childrenOf(view, node);
      if (child) return firstIn(view, child);
    }
    for (; node.parent; node = node.parent) {
      const siblings = view.expand(node.parent, 1);
      const at = siblings.findIndex((other) => isSame(other, node));
      const others = backwards ? siblings.slice(0, at).reverse() : siblings.slice(at + 1);
      const next = others.find((other) => has(view, other));
      if (next) return backwards ? lastIn(view, next) : firstIn(view, next);
      if (backwards && isMatch(node.parent)) return node.parent;
    }
    return backwards ? lastIn(view, view.root) : firstIn(view, view.root);
  }

  return {
    set, matchesOf, countIn, step,
    texts: () => terms.map((term) => term.text),
    isBusy: () => busy,
    all,
  };
}

// The colours of the first term, the second …; the first is flamegraph.pl's.
const kSearchColours = ["rgb(230,0,230)", "rgb(0,140,255)", "rgb(0,170,90)", "rgb(255,120,0)",
                        "rgb(140,80,255)", "rgb(120,120,0)"];
