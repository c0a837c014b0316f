// SPDX-License-Identifier: MIT
// Search terms, and which names they match. Each name is tested once, however many frames have it,
// and in slices of time, so that the page stays responsive. `onChange(problem)` is called when a
// search ends later than its set(); `problem` is empty unless the search was given up.
function makeSearch(tree, onChange) {
  "use strict";
  const kSlice = 30;        // milliseconds
  const kEntries = 200000;  // of a merged tree, which are counted within a tenth of a second
  const {names, name, parent, end, size, big} = tree;
  const zero = big ? 0n : 0;
  let terms = [];                           // {text, expression}
  let bits = new Uint8Array(names.length);  // by name: bit k where term k has a match
  let generation = 0, busy = false, isCaseIgnored = false;
  let above = null;  // for trees merged from leaves: {view tree, generation, flags by node}

  const all = () => (1 << terms.length) - 1;  // the terms, as bits

  // A term matches the name as shown, or with its annotation: `_\[G]$` finds device source.
  // `possible`: the terms that may match it, as bits.
  function bitsOf(text, wanted, possible) {
    const bare = withoutAnnotation(text);
    let found = 0;
    wanted.forEach(({expression}, k) => {
      if ((possible >> k & 1) === 0) return;
      if (expression.matches(bare) || (bare !== text && expression.matches(text))) found |= 1 << k;
    });
    return found;
  }

  // The terms that only need the names that the last search found: each is plain text that begins
  // with the term that it replaces, as it is while a reader types.
  function narrowed(wanted, ignoreCase) {
    if (busy || ignoreCase !== isCaseIgnored || wanted.length !== terms.length) return 0;
    const isText = (text) => /^[\w ]+$/.test(text);
    return wanted.reduce((found, {text}, k) => (isText(terms[k].text) && isText(text) &&
                                                text.startsWith(terms[k].text) ? found | 1 << k : found), 0);
  }

  // Replaces the terms, and ends a search that still runs. Returns the error of the first invalid
  // term, and then the terms stay as they are; else an empty text.
  function set(texts, ignoreCase) {
    const wanted = [];
    for (const text of texts.slice(0, kSearchColours.length)) {
      try {
        wanted.push({text, expression: (ignoreCase ? null : exactExpression(text)) ||
                                       compileExpression(text, ignoreCase)});
      } catch (error) {
        return error instanceof SyntaxError ? "Not a regular expression: " + text
                                            : "Cannot search for " + text + ": " + error.message;
      }
    }
    const last = {terms, bits, narrow: narrowed(wanted, ignoreCase), isCaseIgnored, wasBusy: busy};
    terms = wanted;
    isCaseIgnored = ignoreCase;
    bits = new Uint8Array(names.length);
    ++generation;
    busy = wanted.length > 0;
    return busy ? slice(generation, 0, bits, last) : "";
  }

  // Tests names from `first` on. Returns the problem, if the search is given up.
  function slice(mine, first, into, last) {
    if (mine !== generation) return "";
    const until = performance.now() + kSlice;
    let i = first;
    try {
      while (i < names.length) {
        const possible = ~last.narrow | last.bits[i];
        if ((possible & all()) !== 0) into[i] = bitsOf(i === 0 ? "all" : names[i], terms, possible);
        ++i;
        if ((i & 63) === 0 && performance.now() > until) break;
      }
    } catch (error) {
      return giveUp(last, error.message);
    }
    if (i < names.length) {
      setTimeout(() => {
        const problem = slice(mine, i, into, last);
        if (problem || (mine === generation && !busy)) onChange(problem);
      });
    } else {
      busy = false;
    }
    return "";
  }

  // Returns to the search before, if that had ended, and says why.
  function giveUp(last, message) {
    const problem = "Cannot search for " + terms.map((term) => term.text).join(", ") + ": " + message;
    terms = last.wasBusy ? [] : last.terms;
    bits = last.wasBusy ? new Uint8Array(names.length) : last.bits;
    ({isCaseIgnored} = last);
    ++generation;
    busy = false;
    return problem;
  }

  // ---- in a view --------------------------------------------------------------------------------
  // The terms that the frame `node` matches, as bits.
  const matchesOf = (node) => (node.names ? node.names.reduce((all, one) => all | bits[one], 0)
                                          : node.name < 0 ? 0 : bits[node.name]);

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
    const totals = before ? view.tree.totalBefore : view.tree.total;
    if (!node.names && (matchesOf(node) & want) !== 0) return before ? node.before : node.total;
    let sum = zero;
    if (node === view.root || view.aligned) {
      for (const [first, last] of view.ranges(node)) sum += scan(first, last, want, view.skipped, totals);
      return sum;
    }
    if (view.isBackwards(node)) {
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
  // What has no width is no place to go to.
  // By node: how many before it match.
  let before = null;
  function hitsBefore(view) {
    if (before && before.view === view && before.generation === generation) return before.counts;
    const counts = new Int32Array(size + 1);
    for (let i = 0; i < size; ++i) counts[i + 1] = counts[i] + (i > 0 && isHit(view, i) ? 1 : 0);
    before = {view, generation, counts};
    return counts;
  }
  const isHit = (view, i) => bits[name[i]] !== 0 && !view.skipped[name[i]] && Boolean(view.tree.room[i]);
  function has(view, node) {
    if (!node.room || (node.name === view.kRest && node.at.length === 0)) return false;
    if (isMatch(node)) return true;
    if (node === view.root) return view.expand(node, 1).some((child) => has(view, child));
    if (view.aligned) {
      const counts = hitsBefore(view);
      return view.ranges(node).some(([first, last]) => counts[last] > counts[first]);
    }
    if (view.isBackwards(node)) {
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

  // ---- how many ---------------------------------------------------------------------------------
  let known = null;  // {view, generation, counts, of each term; list, isMore}
  function countTerms(counts, found) {
    for (let k = 0; k < terms.length; ++k) counts[k] += found >> k & 1;
  }

  // In a merged tree, the matches in the order of step(). The tree is made on the way, so this ends
  // early in one that is too large.
  function listMatches(view) {
    const list = [], work = [view.root];
    let left = kEntries;
    while (work.length > 0 && left > 0) {
      const node = work.pop();
      if (!has(view, node)) continue;
      if (isMatch(node)) list.push(node);
      left -= node.at.length + 1;
      work.push(...view.expand(node, 1).filter((child) => child.room).reverse());
    }
    return {list, isMore: work.some((node) => has(view, node))};
  }

  function countAll(view) {
    if (known && known.view === view && known.generation === generation) return known;
    const counts = terms.map(() => 0);
    known = {view, generation, counts, list: [], isMore: false};
    const {room} = view.tree;
    if (view.plain) {
      for (let i = 0; i < size; ++i) if (bits[name[i]] !== 0 && room[i]) countTerms(counts, bits[name[i]]);
    } else {
      Object.assign(known, listMatches(view));
      for (const node of known.list) countTerms(counts, matchesOf(node));
    }
    return known;
  }

  // How many frames of the view match term `k`: {count, isMore (than that), number (of `node` among
  // them, from 1; 0 if it is none of them)}.
  function countFrames(view, k, node) {
    const {counts, list, isMore} = countAll(view);
    const answer = {count: counts[k], isMore, number: 0};
    const want = 1 << k;
    if (!node || (matchesOf(node) & want) === 0) return answer;
    if (view.plain) {
      const {at: [at]} = node, {room} = view.tree;
      for (let i = 0; i <= at; ++i) if ((bits[name[i]] & want) !== 0 && room[i]) ++answer.number;
    } else {
      const last = list.findIndex((one) => isSame(one, node) && one.parent === node.parent);
      for (let i = 0; i <= last; ++i) if ((matchesOf(list[i]) & want) !== 0) ++answer.number;
    }
    return answer;
  }

  return {
    set, matchesOf, countIn, countFrames, step,
    bits: () => bits,
    texts: () => terms.map((term) => term.text),
    isBusy: () => busy,
    all,
  };
}

// The colours of the first term, the second …; the first is flamegraph.pl's.
const kSearchColours = ["rgb(230,0,230)", "rgb(0,140,255)", "rgb(0,170,90)", "rgb(255,120,0)",
                        "rgb(140,80,255)", "rgb(120,120,0)"];

// A colour with about a third of its saturation, and as light as it was, so that its label stays
// legible: for frames without a match.
const faded = (() => {
  "use strict";
  const kSaturation = 0.35;
  const known = new Map();
  const light = (part) => ((part / 255 + 0.055) / 1.055) ** 2.4;  // of a part in sRGB
  function fade(fill) {
    const parts = channelsOf(fill);
    if (parts.length < 3) return fill;
    const [red, green, blue] = parts.map(light);
    const grey = 255 * (1.055 * (0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 2.4) - 0.055);
    return "rgb(" + parts.map((part) => Math.max(0, Math.round(grey + kSaturation * (part - grey)))) + ")";
  }
  return (fill) => {
    if (!known.has(fill)) known.set(fill, fade(fill));
    return known.get(fill);
  };
})();

// A match has an edge of its own colour, darker, so that neighbours that match stay apart.
function markMatch(element, fill) {
  "use strict";
  element.classList.add("match");
  element.style.setProperty("--edge", fill.replace(/\d+/g, (part) => String(Math.round(0.55 * part))));
}
