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
followHash();
})();
