// SPDX-License-Identifier: MIT
// How much of the view the search terms match, as text.
function makeMatchCounts(viewer) {
  "use strict";
  const {texts, tree, search, difference} = viewer;
  let shares = new Map(), sharesOf = "", sharesIn = null;  // of the terms, as asked for

  // Of a tree that was cut, only a part is searched.
  const isCut = tree.restCount.length > 0;
  const share = (count, of) => {
    const text = texts.shortShare(count, of);
    return (isCut && text !== "100%" ? "\u2265 " : "") + text;
  };
  function count(want) {
    const {view, zoomed} = viewer;
    // Everything that is left by a filter matches, so the share is that of the whole profile.
    const isFiltered = Boolean(view.options.filter);
    const matched = search.countIn(view, zoomed, want);
    const isOfAll = isFiltered || zoomed === view.root;
    const end = isFiltered ? " of all" : "";
    const after = share(matched, isOfAll ? texts.whole : zoomed.total);
    if (difference.isHere) {
      const first = share(search.countIn(view, zoomed, want, true),
                          isOfAll ? difference.wholeBefore : zoomed.before);
      return {share: difference.inTime(first, after).join(" \u2192 ") + end, quantity: ""};
    }
    return {share: after + end, quantity: texts.isStated ? texts.quantity(matched) : ""};
  }
  // {share: "12.3%", quantity: how much that is, where the unit is known} of the terms `want`, as
  // bits. Before and after, where both are shown.
  function of(want) {
    const {state, zoomed} = viewer;
    const what = JSON.stringify([viewer.viewKey, state.terms, state.ignoreCase]);
    if (sharesOf !== what || sharesIn !== zoomed) shares = new Map();
    sharesOf = what;
    sharesIn = zoomed;
    if (!shares.has(want)) shares.set(want, count(want));
    return shares.get(want);
  }

  // "3 of 14": the match that the reader is at; "14 frames" before that.
  function place(k) {
    const {count: frames, isMore, number} = search.countFrames(viewer.view, k, viewer.current);
    if (frames === 0) return "no match";
    const many = frames.toLocaleString("en") + (isMore || isCut ? "+" : "");
    if (number > 0) return number.toLocaleString("en") + " of " + many;
    return many + (frames === 1 && !isMore && !isCut ? " frame" : " frames");
  }
  return {of, place};
}
