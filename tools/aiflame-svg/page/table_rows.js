// SPDX-License-Identifier: MIT
// The tables of the panel, and what their rows do: a pointer or the focus on a row outlines the
// frames of its name; a click searches for the name, with Alt it focuses on it.
function makeTableRows(viewer) {
  "use strict";
  const {shell, tree, texts, drawing} = viewer, {make, panel} = shell;
  const kBars = 12, kFewBars = 8, kFunctions = 200;  // rows; the others are one row
  const kNumber = 56;                  // pixels of a column with a share
  const kPad = 12;                     // of a name within its bar, or beside it
  const kWhy = 72, kWideWhy = 112;     // of a bar of reasons; where there is room
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
  // What is searched for, and which frames a row stands for. A row of a kind of reason stands for all
  // reasons of that kind.
  const reasonsOfKind = (kind) => viewer.reasons.ofKind(kind);
  function termOf({name, ofClass, kind}) {
    const {termNames} = viewer;
    return kind ? termNames.ofKind(kind) : ofClass ? termNames.ofClass(ofClass) : termNames.ofName(tree.names[name]);
  }
  function namesOf({name, ofClass, kind}) {
    if (kind) {
      const wanted = new Set(reasonsOfKind(kind).map((one) => one + "_[g]"));
      return Array.from(tree.names.keys()).filter((one) => wanted.has(tree.names[one]));
    }
    if (!ofClass) return name < 0 ? [] : [name];
    return Array.from(tree.names.keys())
        .filter((one) => tree.names[one].endsWith("_[m]") && classOf(one) === ofClass);
  }

  // ---- rows -------------------------------------------------------------------------------------
  // A row that stands for all frames of a name, or of a class. One row of a table can be reached with
  // Tab.
  function row(one, isFirst, title, content, ...cells) {
    const isFound = viewer.state.terms.includes(termOf(one));
    return make("tr", {"data-name": one.kind ? 0 : one.name, "data-class": one.ofClass, "data-kind": one.kind,
                       class: isFound ? "found" : undefined},
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
    const colour = viewer.colourOfName(name), full = ofClass || nameOf(name);
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
  function rowTable(id, caption, list, most, of, rowOf) {
    if (list.every(({name}) => name < 0)) return [];  // of "none" alone, nothing is to be said
    const shown = list.slice(0, whole.has(id) ? kFunctions : most), rest = list.slice(shown.length);
    const left = sum(rest, (one) => one.count);
    const first = shown.findIndex(({name}) => !(name < 0));
    const rowsOf = rowOf(shown);
    return [make("table", {class: "bars", id: "table-" + id}, make("caption", {}, caption),
                 make("tbody", {}, ...shown.map((one, i) => rowsOf(one, i === first)),
                      ...others(id, rest, [number(share(left, of), texts.quantity(left))])))];
  }
  const barTable = (id, caption, list, most, of, room, font, noneText = "(none)") =>
      rowTable(id, caption, list, most, of, () => (one, isFirst) =>
          barRow(one, isFirst, of, room, font, noneText));

  // ---- kinds of reasons, and which of them a kernel has --------------------------------------------
  const sharesText = (list, of) => list.slice().sort((a, b) => Number(b.count - a.count))
      .map(({kind, count}) => kind + " " + share(count, of)).join(", ");
  function kindTable(kinds, of, room) {
    return rowTable("kinds", "Why", kinds, kBars, of, () => (one, isFirst) => {
      const {kind, count} = one, colour = viewer.why.colourOf(kind), title = texts.quantity(count) + ", " +
                                                                            texts.share(count, of);
      const width = (room - kNumber) * Number(count) / Math.max(Number(of), 1), text = kReasonKinds[kind];
      const isInside = textWidth(text, "strong") <= width - kPad;
      const style = "width:" + width.toFixed(1) + "px;background:" + colour + (isDark(colour) ? ";color:#fff" : "");
      return row(one, isFirst, text + ": " + title + "\n" + reasonsOfKind(kind).join(", "),
                 [make("span", {class: "bar strong" + (isInside ? " inside" : ""), style}, isInside ? text : null),
                  isInside ? null : make("span", {class: "beside strong"}, text)],
                 number(share(count, of), title));
    });
  }
  // A name, what its samples wait for, and its share.
  function kernelTable(list, most, of, room) {
    if (list.every(({reasons}) => reasons.length === 0))
      return barTable("kernels", "Kernels", list, most, of, room, "text");
    const why = room < 320 ? kWhy : kWideWhy, free = room - kNumber - why - kPad;
    return rowTable("kernels", "Kernels", list, most, of, (shown) => {
      const named = shown.filter(({name}) => name >= 0).map(({name}) => nameOf(name));
      const labels = distinctLabels(named, (forms) => fittingForm(forms, free, widthIn("text")));
      return (one, isFirst) => {
        const {name, count, reasons} = one, title = texts.quantity(count) + ", " + texts.share(count, of);
        const text = share(count, of);
        if (name < 0) return plainRow("(none)", number(text, title));
        const full = nameOf(name), kinds = viewer.why.byKind(reasons);
        return row(one, isFirst, full + ": " + title + (kinds.length > 0 ? "\n" + sharesText(kinds, count) : ""),
                   [make("span", {class: "kernel"}, labels[named.indexOf(full)]), viewer.why.bar(kinds, count)],
                   number(text, title));
      };
    });
  }
  // With the tables of a model, so many that the legend below them is in the window.
  const fewBars = () => (viewer.hasModel
      ? Math.max(4, Math.min(kFewBars, Math.floor((window.innerHeight - 500) / 80))) : kFewBars);
  function stalls(sums, zoomed, room) {
    const of = zoomed.total, few = fewBars();
    const kinds = viewer.why.byKind(sums.reason.filter(({name}) => name >= 0))
        .sort((a, b) => Number(b.count - a.count));
    const tables = [
      ...kindTable(kinds, of, room),
      ...(viewer.reasons.occur ? kernelTable(sums.kernel, few, of, room) : []),
      ...barTable("idle", "Idle, and why", sums.idle, kBars, of, room, "strong", "(busy)"),
      ...barTable("reasons", "Reasons", sums.reason, kBars, of, room, "strong"),
      ...barTable("operators", "Operators", sums.operator, few, of, room, "text"),
      ...barTable("modules", "Modules", byClass(sums.module), few, of, room, "text"),
      ...(viewer.reasons.occur ? [] : kernelTable(sums.kernel, few, of, room)),
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
  function changeRow(one, isFirst, most, room, isNoise) {
    const {difference, state} = viewer;
    const full = nameOf(one.name), half = room / 2, kLabel = 46;
    const width = (half - kLabel) * Math.abs(one.points) / most;
    const isMore = one.points > 0;
    const strong = difference.colourOfBin(isMore ? 4 : -4, state.safe);
    const colour = isNoise ? difference.pale(strong) : strong;
    const sides = one.shareBefore.toFixed(1) + " \u2192 " + one.shareAfter.toFixed(1);
    const bar = "width:" + width.toFixed(1) + "px;background-color:" + colour + ";" +
                (isMore ? "left:0" : "right:0");
    return row(one, isFirst, full + ": " + texts.count(one.before) + " \u2192 " +
                   texts.quantity(one.after) + ", " + sides + difference.ofText() + (isNoise ? ", within noise" : ""),
               [fit(full, room - 88, "text"),
                make("span", {class: "delta", style: "left:" + half + "px"},
                     make("i", {style: bar, class: isNoise ? "noise" : undefined}),
                     make("span", {style: (isMore ? "left:" : "right:") + (width + 4).toFixed(1) + "px"},
                          one.text))],
               number(sides));
  }
  function changes(sums, zoomed, room) {
    const noisy = viewer.difference.noisyNames(zoomed);
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
                 make("tbody", {}, ...shown.map((one, i) => changeRow(one, i === 0, most, room, noisy.has(tree.names[one.name]))),
                      ...others("changes", rest, [number(restSides)]))),
            make("p", {class: "note", id: "onlysides"}, numberOf(only("gone"), "function") +
                 " only before \u00b7 " + only("new").toLocaleString("en") + " only after")];
  }

  // ---- what rows do -----------------------------------------------------------------------------
  let outlined = "";
  const kNone = {name: -1};
  function outline(one) {
    const now = JSON.stringify(one);
    if (now === outlined) return;
    outlined = now;
    if (drawing.outlineNames) drawing.outlineNames(namesOf(one));
  }
  function rowAt(event) {
    const found = event.target.closest("#tablebody tr[data-name]");
    if (!found) return kNone;
    const {name, class: ofClass, kind} = found.dataset;
    return {name: Number(name), ofClass, kind};
  }
  panel.addEventListener("mouseover", (event) => outline(rowAt(event)));
  panel.addEventListener("mouseleave", () => outline(kNone));
  panel.addEventListener("focusin", (event) => outline(rowAt(event)));
  panel.addEventListener("focusout", () => outline(kNone));
  // The name that the pointer or the focus is on, -1 where it is none or several.
  const pointedAt = () => {
    const {name, ofClass, kind} = outlined ? JSON.parse(outlined) : kNone;
    return panel.hidden || ofClass || kind ? -1 : name;
  };
  panel.addEventListener("contextmenu", (event) => {
    const one = rowAt(event);
    if (event.shiftKey || one.name <= 0 || one.ofClass) return;
    event.preventDefault();
    viewer.openNameMenu(one.name, event.clientX, event.clientY);
  });
  panel.addEventListener("click", (event) => {
    const one = rowAt(event);
    if (one.name < 0) return;
    const text = termOf(one), {terms} = viewer.state;
    if (event.altKey && !one.ofClass && !one.kind) viewer.focusOnName(tree.names[one.name]);
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
        : had.row && body.querySelector('tr[data-name="' + had.row.dataset.name + '"]' +
            (had.row.dataset.kind ? '[data-kind="' + had.row.dataset.kind + '"]' : "") + " button");
    const target = again || body.querySelector("button") || panel.querySelector("button");
    target.focus({preventScroll: true});
  }

  return {stalls, functions, changes, outline: () => outline(kNone), pointedAt, focused, focusAgain, version: () => version + "," + fewBars(),
          changed: (callback) => { onChange = callback; }};
}
