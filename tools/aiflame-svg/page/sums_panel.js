// SPDX-License-Identifier: MIT
// The card that sums the view by stall reason, kernel and instruction.
function makeSumsPanel(overlay, actions) {
  "use strict";
  const {make} = overlay;
  const kRows = 12;  // of each sum; the others are one row

  function table(title, list, total) {
    const shown = list.slice(0, kRows), others = list.slice(kRows);
    const rows = shown.map(({name, count}) => {
      const text = name < 0 ? "(none)" : actions.nameOf(name);
      const hint = name < 0 ? "" : actions.hint(name);
      const cells = [make("td", {}, text), make("td", {class: "number"}, actions.count(count)),
                     make("td", {class: "number"}, actions.share(count, total))];
      if (name < 0) return make("tr", {}, ...cells);
      const search = () => actions.searchName(name);
      return make("tr", {tabindex: 0, title: hint || undefined, onclick: search,
                         onkeydown: (event) => { if (event.key === "Enter") search(); }}, ...cells);
    });
    if (others.length > 0) {
      const rest = others.map((one) => one.count).reduce((a, b) => a + b);
      rows.push(make("tr", {}, make("td", {}, "(" + others.length + " others)"),
                     make("td", {class: "number"}, actions.count(rest)),
                     make("td", {class: "number"}, actions.share(rest, total))));
    }
    return [make("h2", {}, title), make("table", {}, ...rows)];
  }

  function open() {
    const {sums, total, title} = actions.sums();
    overlay.show("sums", "Sums", [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => overlay.close("sums")}, "\u00d7"),
      make("p", {}, title),
      ...table("By reason", sums.reason, total),
      ...table("By kernel", sums.kernel, total),
      ...table("By instruction", sums.instruction, total),
    ], {corner: "top right", width: 360, below: 34});
  }
  const update = () => { if (overlay.isOpen("sums")) open(); };

  return {open, update};
}
