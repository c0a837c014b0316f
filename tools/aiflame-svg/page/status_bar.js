// SPDX-License-Identifier: MIT
// The line at the foot of the window: what the frame under the pointer or with the keyboard is,
// or, without one, what is shown. A long name gives way in its middle, so that the numbers stay;
// of these, all but the first are left out where they do not fit.
function makeStatusBar(viewer) {
  "use strict";
  const kTail = 12;  // characters at the end of a name that stay
  const {shell, tree} = viewer;
  const {make, statusbar} = shell;
  shell.addStyle(`
    #statusbar { overflow: hidden; white-space: nowrap; font-variant-numeric: tabular-nums; }
    #statustext { flex: 1 1 auto; min-width: 0; display: flex; align-items: center; }
    #statustext > * { flex: none; white-space: pre; }
    #statustext .message { flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }
    #statustext .swatch { width: 12px; height: 12px; margin-right: 8px; border-radius: 3px;
      border: 1px solid var(--line); }
    #statustext .kind { color: var(--ink-soft); }
    #statustext .name { flex: 0 1000 auto; display: flex; font-weight: 600; }
    #statustext .name.code { font: var(--mono); }
    #statustext .head { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
    #statustext .tail { flex: none; white-space: pre; }
    #statustext .numbers { flex: 0 1 auto; display: flex; flex-wrap: wrap; height: 1.4em;
      line-height: 1.4; overflow: hidden; }
    #statustext .why { width: 72px; height: 10px; margin-left: 12px; }
    #statustext .most { margin-left: 6px; }
    #keyhelp { flex: 0 1000 auto; min-width: 0; overflow: hidden; color: var(--ink-soft); }
    @media (max-width: 899px) { #keyhelp { display: none; } }
    @media (max-width: 599px) {
      #statustext .kind, #statustext .why, #statustext .most { display: none; }
    }`);
  const line = make("div", {id: "statustext"});
  const help = window.matchMedia("(pointer: coarse)").matches ? "tap zoom \u00b7 hold more" :
      "click zoom \u00b7 right-click more \u00b7 " + (tree.differential ? "hold B for before \u00b7 " : "") +
      "/ search \u00b7 ? keys";
  statusbar.append(line, make("div", {id: "keyhelp", "aria-hidden": "true"}, help));
  let said = false;  // a message stays until the pointer finds another frame

  function describe(node) {
    said = false;
    const {facts} = viewer, name = facts.nameOf(node), kind = viewer.kindOf(node);
    const cut = Math.max(name.length - kTail, 0);
    const swatch = make("span", {class: "swatch"});
    swatch.style.background = facts.colourOf(node);
    const shown = make("b", {class: facts.isCode(node) ? "name code" : "name"},
                       make("span", {class: "head"}, name.slice(0, cut)),
                       make("span", {class: "tail"}, name.slice(cut)));
    shown.style.minWidth = "min(30%, " + Math.min(name.length, 1.5 * kTail) + "ch)";
    const [first, ...rest] = facts.numbers(node);
    const others = rest.map((text) => make("span", {}, " \u00b7 " + text));
    line.replaceChildren(swatch, make("span", {class: "kind"}, kind ? kind + " " : ""), shown,
                         make("span", {}, " \u2014 "), make("span", {class: "number"}, first),
                         make("span", {class: "numbers"}, ...others),
                         ...whyOf(node));
  }

  // A bar of what its samples wait for, and the greatest kind of it.
  function whyOf(node) {
    const list = viewer.facts.kindsOf(node);
    if (list.length === 0) return [];
    return [viewer.why.bar(viewer.why.of(node).kinds, node.total), make("span", {class: "most"}, " " + list[0])];
  }

  // Without a frame under the pointer: what is shown.
  function update() {
    if (!said) describe(viewer.hovered || viewer.zoomed);
  }
  function leave() {
    said = false;
    update();
  }

  viewer.say = (text) => {
    said = true;
    line.replaceChildren(make("span", {class: "message"}, text));
    viewer.announce(text);
  };

  return {describe, leave, update};
}
