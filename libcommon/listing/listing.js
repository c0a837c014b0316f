// SPDX-License-Identifier: MIT
// What the reader can do with listings: sections below `root` with a pane of source lines beside one
// of instructions. They stand in a page of aiflame-annotate, or in the picture of aiflame-svg.
//
//   .code tr[id]         an instruction: data-n its samples, data-l the number of its source line,
//                        data-causes what its stalls wait for: "ID STALLS ID STALLS …"
//   .code table          data-loop: the first and the last instruction of the hottest loop
//   .source tr[data-l]   that line
//   a.e[href="#ID"]      another instruction; data-way is how the two belong together
//
// `picked` is called with the row that the reader has chosen, its number among the hot ones (from 0;
// -1 where it has no samples), and how many these are.
function makeListings(root, picked) {
  "use strict";
  const kMarks = ["pick", "from", "to", "chain", "s"];
  const kSvg = "http://www.w3.org/2000/svg";
  const kRoom = 40, kThickest = 9, kLeast = 0.02;  // of arcs: pixels; of the thickest
  const kHeight = 18;                              // pixels of a row
  const all = [...root.querySelectorAll(".code tr[id]")];
  const rowOf = new Map(all.map((row) => [row.id, row]));
  const samplesOf = (row) => Number(row.dataset.n || 0);
  // sort() is stable: equal ones stay in the order of the page
  const hot = all.filter((row) => samplesOf(row) > 0).sort((a, b) => samplesOf(b) - samplesOf(a));
  let marked = [];

  function mark(row, name) {
    if (!row) return;
    row.classList.add(name);
    marked.push(row);
  }
  function rowsOfLine(row) {
    const line = row.dataset.l;
    return line === undefined ? [] :
        [...row.closest("section").querySelectorAll("tr[data-l='" + CSS.escape(line) + "']")];
  }
  // Rows out of sight have no height of their own yet, and the browser goes to an address by itself, so
  // the first tries may miss.
  function show(row, tries = 5) {
    row.scrollIntoView({block: "center"});
    if (tries > 0) requestAnimationFrame(() => show(row, tries - 1));
  }
  // In its pane alone: the page stays where it is.
  function putAt(row, above, tries = 3) {
    const pane = row.closest(".pane");
    pane.scrollTop = row.offsetTop - above(pane, row);
    if (tries > 0) requestAnimationFrame(() => putAt(row, above, tries - 1));
  }
  const centre = (row) => putAt(row, (pane) => Math.max((pane.clientHeight - row.offsetHeight) / 2, kHeight));

  // `place`: how the row is brought into view, if at all.
  function pick(row, place = null) {
    for (const each of marked) each.classList.remove(...kMarks);
    marked = [];
    for (const each of rowsOfLine(row)) {
      mark(each, "s");
      if (place && each.closest(".source")) place(each);
    }
    for (const link of row.querySelectorAll("a.e")) mark(rowOf.get(link.hash.slice(1)), link.dataset.way);
    mark(row, "pick");
    drawSoon();
    if (place) place(row);
    picked(row, hot.indexOf(row), hot.length);
  }
  const pickedRow = () => marked.find((row) => row.classList.contains("pick")) || null;

  function step(by, place) {
    if (hot.length === 0) return;
    const at = hot.indexOf(pickedRow());
    pick(hot[at < 0 ? (by > 0 ? 0 : hot.length - 1) : (at + by + hot.length) % hot.length], place);
  }
  // Picks the instruction with most samples of a source line.
  function pickLine(line, place) {
    const own = rowsOfLine(line).filter((row) => row.matches(".code tr"));
    own.sort((a, b) => samplesOf(b) - samplesOf(a));
    if (own.length > 0) pick(own[0], place);
  }
  // To the row above or below, or to the first or the last one of the pane.
  function move(code, key) {
    const rows = all.filter((row) => code.contains(row)), at = rows.indexOf(pickedRow());
    const to = {ArrowUp: Math.max(at, 1) - 1, ArrowDown: Math.min(at + 1, rows.length - 1), Home: 0,
                End: rows.length - 1}[key];
    if (rows[to] && rows[to] !== pickedRow())
      pick(rows[to], (row) => row.scrollIntoView({block: "nearest"}));
  }

  // ---- the hottest loop ---------------------------------------------------------------------------
  function loopOf(table) {
    const [first, last] = (table.dataset.loop || "").split(" ").map((id) => rowOf.get(id));
    if (!first || !last) return [];
    const rows = [...table.querySelectorAll("tbody tr")];
    return rows.slice(rows.indexOf(first), rows.indexOf(last) + 1);
  }
  // Opens each kernel at its hottest loop, or where that is longer than the pane, at its hottest
  // instruction; and its source at the line of that.
  function openAtHottest() {
    for (const code of root.querySelectorAll(".code")) {
      const section = code.closest("section");
      const row = hot.find((each) => section.contains(each));
      if (!row) continue;
      const loop = loopOf(code.querySelector("table"));
      const fits = loop.includes(row) && (loop.length + 3) * kHeight <= code.clientHeight;
      if (fits) putAt(loop[0], () => 2.5 * kHeight);
      else centre(row);
      const line = rowsOfLine(row).find((each) => each.closest(".source"));
      if (line) centre(line);
    }
  }

  // ---- arcs: from an instruction to those that stall for its result, as thick as the stalls ---------
  // Of a kernel's instructions: [from, to, stalls, class of the colour].
  function causesIn(table) {
    const causes = [];
    for (const row of table.querySelectorAll("tr[data-causes]")) {
      const parts = row.dataset.causes.split(" ");
      const [widest] = [...row.querySelectorAll(".kinds rect")]
          .sort((a, b) => b.getAttribute("width") - a.getAttribute("width"));
      for (let i = 0; i + 1 < parts.length; i += 2) {
        const from = rowOf.get(parts[i]);
        if (from && Number(parts[i + 1]) > 0)
          causes.push([from, row, Number(parts[i + 1]), widest ? widest.getAttribute("class") : "k6"]);
      }
    }
    return causes.sort((a, b) => b[2] - a[2]);
  }
  function drawArcs(table, causes) {
    const middle = (row) => row.offsetTop + Math.min(row.offsetHeight, kHeight) / 2;
    const picture = document.createElementNS(kSvg, "svg");
    picture.setAttribute("aria-hidden", "true");
    const add = (name, d, width) => {
      const path = document.createElementNS(kSvg, "path");
      path.setAttribute("class", name);
      path.setAttribute("d", d);
      if (width) path.setAttribute("stroke-width", width.toFixed(1));
      picture.append(path);
    };
    const most = causes[0][2];
    for (const [from, to, stalls, kind] of causes) {
      if (stalls < kLeast * most) continue;
      const a = middle(from), b = middle(to), width = Math.max(1, kThickest * stalls / most);
      const bulge = Math.min(kRoom - 8, 10 + Math.abs(b - a) / 8);
      add("line " + kind, "M2 " + a + "C" + bulge + " " + a + " " + bulge + " " + b + " 8 " + b, width);
      const half = 3 + width / 2;
      add(kind, "M0 " + b + "L9 " + (b - half) + "V" + (b + half) + "z");
    }
    const old = table.querySelector(":scope > svg");
    if (old) old.remove();
    picture.style.height = table.scrollHeight + "px";
    table.append(picture);
  }
  const tables = [...root.querySelectorAll(".code table")].map((table) => [table, causesIn(table)])
      .filter(([, causes]) => causes.length > 0);
  let isDrawing = false;
  function drawSoon() {
    if (isDrawing || tables.length === 0) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      for (const [table, causes] of tables) if (table.isConnected) drawArcs(table, causes);
    });
  }
  for (const table of root.querySelectorAll(".code table"))
    for (const row of loopOf(table)) row.classList.add("loop");
  for (const [table] of tables) {
    table.classList.add("arcs");
    table.closest(".pane").addEventListener("scroll", drawSoon, {passive: true});
  }
  drawSoon();

  root.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const strip = event.target.closest(".strip");
    if (strip) {
      const box = strip.getBoundingClientRect(), code = strip.parentNode.querySelector(".code");
      code.scrollTop = (event.clientY - box.top) / box.height * code.scrollHeight - code.clientHeight / 2;
      return;
    }
    const row = event.target.closest("tr");
    if (row && row.matches(".code tr[id]")) pick(row);
    if (row && row.matches(".source tr[data-l]")) pickLine(row, show);
  });
  root.addEventListener("keydown", (event) => {
    const code = event.target.closest(".code");
    if (!code || event.target !== code || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!/^(ArrowUp|ArrowDown|Home|End)$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    move(code, event.key);
  });

  return {pick, pickLine, pickedRow, step, show, centre, openAtHottest, draw: drawSoon,
          row: (id) => rowOf.get(id) || null};
}
