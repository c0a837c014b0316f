// SPDX-License-Identifier: MIT
// Makes the page of aiflame-annotate --html interactive. All of the text is there without it.
// Rows: tr[id] is an instruction, data-n its samples, data-l the number of its source line; .source
// tr[data-l] is that line.
(() => {
"use strict";
document.documentElement.classList.add("js");
const marks = ["pick", "from", "to", "chain", "s"];
const instructions = [...document.querySelectorAll(".code tr[id]")];
const samplesOf = (row) => Number(row.dataset.n || 0);
// sort() is stable: equal ones stay in the order of the page
const hot = instructions.filter((row) => samplesOf(row) > 0).sort((a, b) => samplesOf(b) - samplesOf(a));
const status = document.getElementById("status");
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

function pick(row, scroll) {
  for (const each of marked) each.classList.remove(...marks);
  marked = [];
  for (const each of rowsOfLine(row)) {
    mark(each, "s");
    if (scroll && each.closest(".source")) show(each);
  }
  for (const link of row.querySelectorAll("a.e"))
    mark(document.getElementById(link.hash.slice(1)), link.dataset.way);
  mark(row, "pick");
  drawAll();
  if (scroll) show(row);
  // not location.hash, which would fill the history
  history.replaceState(null, "", "#" + row.id);
  const place = hot.indexOf(row);
  status.textContent = place < 0 ? "" : "hot spot " + (place + 1) + " of " + hot.length;
}

function step(by) {
  if (hot.length === 0) return;
  const at = hot.findIndex((row) => row.classList.contains("pick"));
  const next = at < 0 ? (by > 0 ? 0 : hot.length - 1) : (at + by + hot.length) % hot.length;
  pick(hot[next], true);
}

// Picks the instruction with most samples of a source line.
function pickLine(line) {
  const own = rowsOfLine(line).filter((row) => row.matches(".code tr"));
  own.sort((a, b) => samplesOf(b) - samplesOf(a));
  if (own.length > 0) pick(own[0], true);
}

// Opens each kernel at its hottest instruction, and its source at the line of that.
function openAtHottest() {
  for (const section of document.querySelectorAll("section")) {
    const row = hot.find((each) => section.contains(each));
    if (!row) continue;
    const line = rowsOfLine(row).find((each) => each.closest(".source"));
    for (const each of [row, line]) if (each) centre(each);
  }
}
// In its pane alone: the page stays where it is.
function centre(row, tries = 3) {
  const pane = row.closest(".pane");
  pane.scrollTop = row.offsetTop - (pane.clientHeight - row.offsetHeight) / 2;
  if (tries > 0) requestAnimationFrame(() => centre(row, tries - 1));
}

// ---- arcs: from an instruction to those that stall for its result, as thick as the stalls -------
const kSvg = "http://www.w3.org/2000/svg";
const kRoom = 40, kThickest = 9, kLeast = 0.02;  // pixels; of the thickest
// Of a kernel's instructions: [from, to, stalls, class of the colour].
function causesIn(table) {
  const all = [];
  for (const row of table.querySelectorAll("tr[data-causes]")) {
    const parts = row.dataset.causes.split(" ");
    const bars = [...row.querySelectorAll(".why rect")];
    const [widest] = bars.sort((a, b) => b.getAttribute("width") - a.getAttribute("width"));
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const from = document.getElementById(parts[i]);
      if (from && Number(parts[i + 1]) > 0)
        all.push([from, row, Number(parts[i + 1]), widest ? widest.getAttribute("class") : "k6"]);
    }
  }
  return all.sort((a, b) => b[2] - a[2]);
}
function drawArcs(table, causes) {
  const middle = (row) => row.offsetTop + Math.min(row.offsetHeight, 18) / 2;
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
const tables = [...document.querySelectorAll(".code table")].map((table) => [table, causesIn(table)])
    .filter(([, causes]) => causes.length > 0);
let drawing = false;
function drawAll() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const [table, causes] of tables) drawArcs(table, causes);
  });
}
for (const [table] of tables) table.classList.add("arcs");
if (tables.length > 0) {
  drawAll();
  window.addEventListener("resize", drawAll);
  for (const [table] of tables) table.closest(".pane").addEventListener("scroll", drawAll, {passive: true});
}

function followHash() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { return; }
  const row = document.getElementById(id);
  if (!row) return;
  if (row.matches(".code tr")) pick(row, true);
  if (row.matches(".source tr")) pickLine(row);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "n") step(1);
  if (event.key === "p") step(-1);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("a")) return;
  const strip = event.target.closest(".strip");
  if (strip) {
    const box = strip.getBoundingClientRect();
    const code = strip.parentNode.querySelector(".code");
    code.scrollTop = (event.clientY - box.top) / box.height * code.scrollHeight - code.clientHeight / 2;
    return;
  }
  const row = event.target.closest("tr");
  if (!row) return;
  if (row.matches(".code tr[id]")) pick(row, false);
  if (row.matches(".source tr[data-l]")) pickLine(row);
});
window.addEventListener("hashchange", followHash);
openAtHottest();
followHash();
})();
