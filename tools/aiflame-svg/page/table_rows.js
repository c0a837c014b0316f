// SPDX-License-Identifier: MIT
// The tables of the panel, and what their rows do: a pointer or the focus on a row outlines the
// frames of its name; a click searches for the name, with Alt it focuses on it.
function makeTableRows(viewer) {
  "use strict";
  const {shell, tree, texts, drawing} = viewer, {make, panel} = shell;
  const kBars = 12, kFewBars = 8, kFunctions = 200;  // rows; the others are one row
  const kNumber = 56;                  // pixels of a column with a share
  const kPad = 12;                     // of a name within its bar, or beside it
  let version = 0, onChange = () => {};
  const again = () => {
    ++version;
    onChange();
  };
  const whole = new Set();  // tables whose others are rows too
  let order = {key: "self", falling: true};

  // "12.3%", "<0.1%" for what would be none of it
  function share(part, of) {
    const percent = 100 * Number(part) / Math.max(Number(of), 1);
    return percent > 0 && percent < 0.05 ? "<0.1%" : percent.toFixed(1) + "%";
  }
  const numberOf = (count, what) => count.toLocaleString("en") + " " + what + (count === 1 ? "" : "s");
  const nameOf = (name) => viewer.shown(tree.names[name]);
  const sum = (list, of) => list.reduce((all, one) => all + of(one), tree.big ? 0n : 0);

  // ---- text -------------------------------------------------------------------------------------
  const pens = new Map();  // by font
  function widthIn(font) {
    if (!pens.has(font)) {
      const pen = make("canvas").getContext("2d");
      const style = getComputedStyle(panel);
      pen.font = font === "mono" ? style.getPropertyValue("--mono")
          : (font === "strong" ? "600 " : "") + style.fontSize + " " + style.fontFamily;
      const known = new Map();
      pens.set(font, (c) => {
        if (!known.has(c)) known.set(c, pen.measureText(c).width);
        return known.get(c);
      });
    }
    return pens.get(font);
  }
  const textWidth = (text, font) => Array.from(text).reduce((all, c) => all + widthIn(font)(c), 0);
  // The name, or as much of it as fits.
  const fit = (text, room, font) => (textWidth(text, font) <= room ? text
      : fittingForm(shortForms(text), room, widthIn(font)));

  // ---- colours ----------------------------------------------------------------------------------
  function colourOf(name) {
    const palette = viewer.palette();
    if (palette) return palette.colour(name);
    return rgbOf(tree.colours[name]);
  }

  // ---- classes of modules -----------------------------------------------------------------------
  // A model has many modules of a class, which PyTorch numbers: Linear_0, Linear_1.
  const classOf = (name) => nameOf(name).replace(/_\d+$/, "");
  function byClass(list) {
    const classes = new Map();
    for (const one of list) {
      const text = one.name < 0 ? "" : classOf(one.name), found = classes.get(text);
      if (found) Object.assign(found, {count: found.count + one.count, ofClass: text});
      else classes.set(text, {...one});
    }
    return Array.from(classes.values()).sort((a, b) => Number(b.count - a.count) || a.name - b.name);
  }
  const termOf = (name, ofClass) => (ofClass ? viewer.exactly(ofClass).slice(0, -1) + "_\\d+_\\[m]$"
                                             : viewer.exactly(tree.names[name]));
  function namesOf(name, ofClass) {
    if (!ofClass) return name < 0 ? [] : [name];
    return Array.from(tree.names.keys())
        .filter((one) => tree.names[one].endsWith("_[m]") && classOf(one) === ofClass);
  }

  // ---- rows -------------------------------------------------------------------------------------
  // A row that stands for all frames of a name, or of a class. One row of a table can be reached with
  // Tab.
  function row({name, ofClass}, isFirst, title, content, ...cells) {
    const isFound = viewer.state.terms.includes(termOf(name, ofClass));
    return make("tr", {"data-name": name, "data-class": ofClass, class: isFound ? "found" : undefined},
                make("th", {scope: "row"},
                     make("button", {title, tabindex: isFirst ? "0" : "-1"}, ...content)), ...cells);
  }
  const number = (text, title) => make("td", {title}, text);

  function others(id, list, cells) {
    if (list.length === 0) return [];
    const show = make("button", {tabindex: "-1", title: "Show them", onclick: () => {
      whole.add(id);
      again();
    }}, "(" + numberOf(list.length, "other") + ")");
    return [make("tr", {class: "note"}, make("th", {scope: "row"}, show), ...cells)];
  }
  const plainRow = (text, ...cells) =>
      make("tr", {class: "note"}, make("th", {scope: "row"}, text), ...cells);

  // ---- reasons, operators, kernels, instructions -----------------------------------------------------------
  function barRow(one, isFirst, of, room, font, noneText) {
    const {name, count, ofClass} = one;
    const text = share(count, of), title = texts.quantity(count) + ", " + texts.share(count, of);
    if (name < 0) return plainRow(noneText, number(text, title));
    const reason = viewer.reasonOf(name);
    const width = (room - kNumber) * Number(count) / Math.max(Number(of), 1);
    const colour = colourOf(name), full = ofClass || nameOf(name);
    const inside = fit(full, width - kPad, font), free = room - kNumber - width - kPad;
    const isInside = inside === full || width - kPad > free;
    const label = isInside ? inside : fit(full, free, font);
    const style = "width:" + width.toFixed(1) + "px;background:" + colour +
                  (isDark(colour) ? ";color:#fff" : ";color:#000");
    return row(one, isFirst, full + ": " + title +
                   (reason ? "\n" + reason.meaning + " " + reason.advice : ""),
               [make("span", {class: "bar " + font + (isInside ? " inside" : ""), style},
                     isInside ? label : null),
                isInside ? null : make("span", {class: "beside " + font}, label)],
               number(text, title));
  }
  function barTable(id, caption, list, most, of, room, font, noneText = "(none)") {
    if (list.every(({name}) => name < 0)) return [];  // of "none" alone, nothing is to be said
    const shown = list.slice(0, whole.has(id) ? kFunctions : most), rest = list.slice(shown.length);
    const left = sum(rest, (one) => one.count);
    const first = shown.findIndex(({name}) => name >= 0);
    return [make("table", {class: "bars", id: "table-" + id}, make("caption", {}, caption),
                 make("tbody", {}, ...shown.map((one, i) =>
                     barRow(one, i === first, of, room, font, noneText)),
                 ...others(id, rest, [number(share(left, of), texts.quantity(left))])))];
  }
  // With the tables of a model, so many that the legend below them is in the window.
  const fewBars = () => (viewer.hasModel
      ? Math.max(4, Math.min(kFewBars, Math.floor((window.innerHeight - 500) / 80))) : kFewBars);
  function stalls(sums, zoomed, room) {
    const of = zoomed.total, few = fewBars();
    const tables = [
      ...barTable("idle", "Idle, and why", sums.idle, kBars, of, room, "strong", "(busy)"),
      ...barTable("reasons", "Reasons", sums.reason, kBars, of, room, "strong"),
      ...barTable("operators", "Operators", sums.operator, few, of, room, "text"),
      ...barTable("modules", "Modules", byClass(sums.module), few, of, room, "text"),
      ...barTable("kernels", "Kernels", sums.kernel, few, of, room, "text"),
      ...barTable("instructions", "Instructions", sums.instruction, few, of, room, "mono"),
    ];
    return tables.length > 0 ? tables : [make("p", {class: "note"}, "Nothing of the kind in this view.")];
  }

  // ---- functions --------------------------------------------------------------------------------
  const namesIn = (sums) => Array.from(sums.total.keys())
      .filter((name) => name > 0 && (sums.total[name] || (sums.totalBefore && sums.totalBefore[name])));
  function sortedNames(sums) {
    const names = namesIn(sums), {key, falling} = order;
    const byName = (a, b) => (tree.names[a] < tree.names[b] ? -1 : 1);
    const byCount = (count, a, b) => (count[a] < count[b] ? -1 : count[a] > count[b] ? 1 : 0);
    const other = key === "self" ? "total" : "self";
    const by = key === "name" ? byName
        : (a, b) => byCount(sums[key], a, b) || byCount(sums[other], a, b) || -byName(a, b);
    return names.sort(falling ? (a, b) => by(b, a) : by);
  }
  function header(key, text) {
    const isBy = order.key === key;
    const sort = isBy ? (order.falling ? "descending" : "ascending") : "none";
    return make("th", {scope: "col", class: key === "name" ? undefined : "number", "aria-sort": sort},
                make("button", {"data-sort": key, onclick: () => {
                  order = {key, falling: isBy ? !order.falling : key !== "name"};
                  again();
                }}, text));
  }
  function functions(sums, zoomed, room) {
    const of = zoomed.total;
    const sorted = sortedNames(sums), shown = sorted.slice(0, kFunctions);
    const rest = sorted.slice(shown.length), left = sum(rest, (name) => sums.self[name]);
    const measured = order.key === "total" ? "total" : "self";
    const most = shown.reduce((all, name) => Math.max(all, Number(sums[measured][name])), 1);
    const cell = (count) => number(share(count, of), texts.quantity(count));
    const tableRows = shown.map((name, i) => {
      const self = sums.self[name], total = sums.total[name], full = nameOf(name);
      const bar = (100 * Number(sums[measured][name]) / most).toFixed(1);
      return row({name}, i === 0, full + "\nself " + texts.quantity(self) + ", " + texts.share(self, of) +
                     "; total " + texts.quantity(total) + ", " + texts.share(total, of),
                 [fit(full, room - 2 * kNumber - 4, "text"),
                  make("span", {class: "under", style: "width:" + bar + "%"})], cell(self), cell(total));
    });
    // a function is on stacks with others, so totals cannot be added up
    if (rest.length > 0)
      tableRows.push(plainRow("(" + numberOf(rest.length, "other") + ")", cell(left), number("")));
    if (sums.self[0]) tableRows.push(plainRow("(no function)", cell(sums.self[0]), number("")));
    if (sums.left.self)
      tableRows.push(plainRow("(left out of the file)", cell(sums.left.self), number("")));
    if (sums.callers)
      tableRows.push(plainRow("(callers left out of the file)", number(""), cell(sums.callers)));
    return [make("table", {id: "table-functions"},
                 make("caption", {}, "Functions"),
                 make("thead", {}, make("tr", {}, header("name", "Function"), header("self", "Self"),
                                        header("total", "Total"))),
                 make("tbody", {}, ...tableRows))];
  }

  // ---- changes ----------------------------------------------------------------------------------
  // Of functions themselves, whatever the colours compare: with all on top of them, the callers of
  // what changed would come first.
  function changesIn(sums) {
    const {difference} = viewer;
    return namesIn(sums).map((name) => ({name, ...difference.changeOf({
      total: sums.total[name], before: sums.totalBefore[name],
      self: sums.self[name], selfBefore: sums.selfBefore[name]}, "self")}));
  }
  function changeRow(one, isFirst, most, room) {
    const {difference, state} = viewer;
    const full = nameOf(one.name), half = room / 2, kLabel = 46;
    const width = (half - kLabel) * Math.abs(one.points) / most;
    const isMore = one.points > 0;
    const colour = difference.colourOfBin(isMore ? 4 : -4, state.safe);
    const sides = one.shareBefore.toFixed(1) + " \u2192 " + one.shareAfter.toFixed(1);
    const bar = "width:" + width.toFixed(1) + "px;background:" + colour + ";" +
                (isMore ? "left:0" : "right:0");
    return row(one, isFirst, full + ": " + texts.count(one.before) + " \u2192 " +
                   texts.quantity(one.after) + ", " + sides + difference.ofText(),
               [fit(full, room - 88, "text"),
                make("span", {class: "delta", style: "left:" + half + "px"},
                     make("i", {style: bar}),
                     make("span", {style: (isMore ? "left:" : "right:") + (width + 4).toFixed(1) + "px"},
                          one.text))],
               number(sides));
  }
  function changes(sums, _zoomed, room) {
    const all = changesIn(sums);
    const changed = all.filter((one) => one.before !== one.after || one.points)
        .sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || a.name - b.name);
    const shown = changed.slice(0, whole.has("changes") ? kFunctions : 3 * kBars);
    const most = shown.reduce((top, one) => Math.max(top, Math.abs(one.points)), 0.01);
    const only = (kind) => all.filter((one) => one.kind === kind).length;
    const rest = changed.slice(shown.length);
    const restSides = ["shareBefore", "shareAfter"]
        .map((side) => rest.reduce((top, one) => top + one[side], 0).toFixed(1)).join(" \u2192 ");
    return [make("table", {class: "changes", id: "table-changes"},
                 make("caption", {}, "What changed most (self)"),
                 make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "Function"),
                                        make("th", {scope: "col", class: "number"},
                                             viewer.difference.ofText()))),
                 make("tbody", {}, ...shown.map((one, i) => changeRow(one, i === 0, most, room)),
                      ...others("changes", rest, [number(restSides)]))),
            make("p", {class: "note", id: "onlysides"}, numberOf(only("gone"), "function") +
                 " only before \u00b7 " + only("new").toLocaleString("en") + " only after")];
  }

  // ---- what rows do -----------------------------------------------------------------------------
  let outlined = "";
  function outline(name, ofClass = "") {
    if (name + ofClass === outlined) return;
    outlined = name + ofClass;
    if (drawing.outlineNames) drawing.outlineNames(namesOf(name, ofClass));
  }
  const rowOf = (event) => event.target.closest("#tablebody tr[data-name]");
  const rowAt = (event) => (rowOf(event) ? [Number(rowOf(event).dataset.name), rowOf(event).dataset.class]
                                      : [-1]);
  panel.addEventListener("mouseover", (event) => outline(...rowAt(event)));
  panel.addEventListener("mouseleave", () => outline(-1));
  panel.addEventListener("focusin", (event) => outline(...rowAt(event)));
  panel.addEventListener("focusout", () => outline(-1));
  panel.addEventListener("click", (event) => {
    const [name, ofClass] = rowAt(event);
    if (name < 0) return;
    const text = termOf(name, ofClass), {terms} = viewer.state;
    if (event.altKey && !ofClass) viewer.focusOnName(tree.names[name]);
    else viewer.searchFor(terms.includes(text) ? terms.filter((term) => term !== text) : [text]);
  });
  panel.addEventListener("keydown", (event) => {
    if (!event.target.matches("tbody button")) return;
    const all = Array.from(panel.querySelectorAll("tbody button")), at = all.indexOf(event.target);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (all[to]) all[to].focus();
  });

  // The row with the focus keeps it when its table is made anew.
  const focused = (body) => (body.contains(document.activeElement) ? {
    row: document.activeElement.closest("tr[data-name]"), sort: document.activeElement.dataset.sort,
  } : null);
  function focusAgain(body, had) {
    if (!had) return;
    const again = had.sort ? body.querySelector('[data-sort="' + had.sort + '"]')
        : had.row && body.querySelector('tr[data-name="' + had.row.dataset.name + '"] button');
    const target = again || body.querySelector("button") || panel.querySelector("button");
    target.focus({preventScroll: true});
  }

  return {stalls, functions, changes, outline, focused, focusAgain, version: () => version + "," + fewBars(),
          changed: (callback) => { onChange = callback; }};
}
