// SPDX-License-Identifier: MIT
// Makes the page of aiflame-annotate --html interactive. All of the text is there without it.
document.documentElement.classList.add("js");
const said = document.getElementById("status");
const listings = makeListings(document.body, (row, place, count) => {
  // not location.hash, which would fill the history
  history.replaceState(null, "", "#" + row.id);
  said.textContent = place < 0 ? "" : "hot spot " + (place + 1) + " of " + count;
});

function followHash() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { return; }
  const row = document.getElementById(id);
  if (!row) return;
  if (row.matches(".code tr")) listings.pick(row, listings.show);
  if (row.matches(".source tr")) listings.pickLine(row, listings.show);
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "n") listings.step(1, listings.show);
  if (event.key === "p") listings.step(-1, listings.show);
});
window.addEventListener("resize", listings.draw);
window.addEventListener("hashchange", followHash);

// ---- the way back ---------------------------------------------------------------------------------
// A picture of aiflame-svg says in ?from= where it is. A stranger may write a link, too, so it leads
// nowhere but to a file or a page of this site.
function pictureOf(query) {
  const from = new URLSearchParams(query).get("from");
  if (!from) return null;
  let url = null;
  try { url = new URL(from, location.href); } catch { return null; }
  return /^(https?|file):$/.test(url.protocol) && url.protocol === location.protocol && url.host === location.host
      ? url.href : null;
}
const picture = pictureOf(location.search);
if (picture) {
  const link = document.createElement("a");
  link.id = "picture";
  link.href = picture;
  link.textContent = "\u2190 Flame graph";
  const nav = document.querySelector("nav") || document.body.insertBefore(document.createElement("nav"), document.querySelector("main"));
  nav.prepend(link);
  // the list and the pages hand it on
  for (const each of document.querySelectorAll("nav a[href$='.html'], .kernels a[href$='.html']"))
    each.search = location.search;
}
listings.openAtHottest();
followHash();
