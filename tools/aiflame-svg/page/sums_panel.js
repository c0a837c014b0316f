// SPDX-License-Identifier: MIT
// The card that sums the view by stall reason, kernel and instruction.
function makeSumsPanel(viewer) {
  "use strict";
  const {cards: overlay, tree, texts, drawing} = viewer, {make} = viewer.shell;
  const hintOf = (name) => {
    const reason = viewer.reasonOf(name);
    return reason ? reason.meaning + " " + reason.advice : "";
  };
  const kRows = 12;  // of each sum; the others are one row

  function table(title, list, total) {
    const shown = list.slice(0, kRows), others = list.slice(kRows);
    const rows = shown.map(({name, count}) => {
      const text = name < 0 ? "(none)" : viewer.shown(tree.names[name]);
      const hint = name < 0 ? "" : hintOf(name);
      const cells = [make("td", {}, text), make("td", {class: "number"}, texts.count(count)),
                     make("td", {class: "number"}, texts.share(count, total))];
      if (name < 0) return make("tr", {}, ...cells);
      const search = () => viewer.searchFor([viewer.exactly(tree.names[name])]);
      return make("tr", {tabindex: 0, title: hint || undefined, onclick: search,
                         onkeydown: (event) => { if (event.key === "Enter") search(); }}, ...cells);
    });
    if (others.length > 0) {
      const rest = others.map((one) => one.count).reduce((a, b) => a + b);
      rows.push(make("tr", {}, make("td", {}, "(" + others.length + " others)"),
                     make("td", {class: "number"}, texts.count(rest)),
                     make("td", {class: "number"}, texts.share(rest, total))));
    }
    return [make("h2", {}, title), make("table", {}, ...rows)];
  }

  function open() {
    const {view, zoomed} = viewer, {total} = zoomed;
    const sums = sumLayers(tree, viewer.layers(), view.ranges(zoomed));
    const title = "Of " + texts.quantity(total) + " in " + drawing.nameOf(zoomed);
    overlay.show("sums", "Sums", [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => overlay.close("sums")}, "\u00d7"),
      make("p", {}, title),
      ...table("By reason", sums.reason, total),
      ...table("By kernel", sums.kernel, total),
      ...table("By instruction", sums.instruction, total),
    ], {x: window.innerWidth - 370, y: 60, width: 360});
  }
  const update = () => { if (overlay.isOpen("sums")) open(); };

  return {open, update};
}
