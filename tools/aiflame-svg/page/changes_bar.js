// SPDX-License-Identifier: MIT
// A line below the toolbar that says what is not as in the file: the function in focus or between its
// callers and callees, names that are
// hidden, layers that are folded away. Each is a button that takes it back.
function makeChangesBar(viewer) {
  "use strict";
  const {shell} = viewer, {make} = shell;
  shell.addStyle(`
    #altered { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
    #altered .chip { padding-right: 2px; }
    #altered .what { color: var(--ink-soft); margin-right: 4px; }
    #altered b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 40vw; }`);
  const line = make("div", {id: "altered", role: "group", "aria-label": "Not as in the file"});
  shell.bar.append(line);

  function chip(what, name, undo) {
    return make("span", {class: "chip"}, make("span", {class: "what"}, what), make("b", {title: name}, name),
                make("button", {class: "remove", title: "Undo", "aria-label": "Undo: " + what + " " + name,
                                onclick: undo}, "\u00d7"));
  }
  function update() {
    const {state} = viewer, {focus, hidden, folded, sandwich} = state;
    const had = line.contains(document.activeElement);
    const layers = viewer.hasDevice || viewer.hasModel ? kLayers.filter(({key}) => folded.includes(key)) : [];
    line.replaceChildren(
        ...(sandwich ? [chip("callers and callees of", viewer.shown(sandwich), viewer.endSandwich)] : []),
        ...(focus ? [chip("only", viewer.shown(focus), () => viewer.focusOnName(""))] : []),
        ...hidden.map((name) => chip("without", viewer.shown(name), () => viewer.change(
            {hidden: hidden.filter((one) => one !== name)}))),
        ...layers.map(({key, text}) => chip("without", text, () => viewer.toggle("layer-" + key))));
    line.hidden = line.childElementCount === 0;
    if (!had) return;
    const next = line.querySelector("button") || shell.find.querySelector("input");
    next.focus({preventScroll: true});
  }

  return {update};
}
