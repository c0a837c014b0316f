// SPDX-License-Identifier: MIT
// Several profiles in one page (--tab): the first picture of the file has the others as hidden elements.
// The page shows one of them, which ?tab=NUMBER chooses. A switch loads the page anew, so that nothing of the
// profile before stays; the search and the options are in the address, and the place goes by names.

// Takes the other pictures out of the file's first one, whose ids they repeat. {all, number: of the one
// that is shown}
function takeTabs(file) {
  "use strict";
  const others = Array.from(file.children).filter((child) => child.localName === "svg" && child.dataset.tab !== undefined);
  for (const one of others) {
    one.remove();
    one.removeAttribute("display");
  }
  const all = [file, ...others], number = tabOf(location.search, all.length), compared = comparedTabs(all);
  // before the page changes any of them
  const small = all.map((svg, i) => (compared[i].isAlone ? null : smallPicture(svg, compared[i].share)));
  if (number > 0) file.replaceWith(all[number]);
  return {all, number, compared, small};
}
// What profiles that count the same are compared by.
function comparedTabs(all) {
  "use strict";
  const sumOf = (svg) => Number(svg.dataset.total) / 10 ** Number(svg.dataset.decimals);
  const kindOf = (svg) => [svg.dataset.unit || svg.dataset.countname, svg.dataset.factor].join();
  return all.map((svg) => {
    // a difference has two sums
    const group = svg.dataset.widths !== undefined ? [svg]
        : all.filter((other) => kindOf(other) === kindOf(svg) && other.dataset.widths === undefined);
    const sums = group.map(sumOf), greatest = Math.max(...sums), own = sumOf(svg);
    return {isAlone: group.length === 1, share: own / Math.max(greatest, 1e-9),
            isMost: own === greatest && sums.some((sum) => sum < greatest)};
  });
}

// The frames of the file's own picture, as wide as their part of the greatest profile.
function smallPicture(svg, share) {
  "use strict";
  const kWide = 148, kHigh = 30;  // pixels: of the profile with most
  const kLeast = 0.4;             // pixels: narrower frames are left out
  const kSvg = "http://www.w3.org/2000/svg";
  const wide = Number(svg.getAttribute("width"));
  const top = Number(svg.dataset.top), row = Number(svg.dataset.row);
  const rows = Math.max(1, Math.round((Number(svg.getAttribute("height")) - top - Number(svg.dataset.bottom)) / row));
  const picture = document.createElementNS(kSvg, "svg");
  for (const [key, value] of Object.entries({width: kWide, height: kHigh, "aria-hidden": "true"})) picture.setAttribute(key, value);
  const scale = kWide * share / Math.max(wide - 20, 1), step = kHigh / rows;
  const paths = new Map();  // by colour
  for (const frame of svg.querySelector("#frames").children) {
    const rect = frame.querySelector("rect"), width = Number(rect.getAttribute("width")) * scale;
    if (width < kLeast) continue;
    const left = (Number(rect.getAttribute("x")) - 10) * scale;
    const y = (Number(rect.getAttribute("y")) - top) / row * step, fill = rect.getAttribute("fill");
    paths.set(fill, (paths.get(fill) || "") + "M" + left.toFixed(1) + " " + y.toFixed(1) + "h" + width.toFixed(1) + "v" +
                    Math.max(step, 0.5).toFixed(1) + "h-" + width.toFixed(1) + "z");
  }
  for (const [fill, d] of paths) {
    const path = document.createElementNS(kSvg, "path");
    path.setAttribute("d", d);
    path.setAttribute("fill", fill.startsWith("url(") ? "#b9bec6" : fill);
    picture.append(path);
  }
  return picture;
}

function tabOf(query, count) {
  "use strict";
  const text = new URLSearchParams(query).get("tab") || "";
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= count ? Number(text) - 1 : 0;
}

// The row of tabs. Where several profiles count the same, each has a small picture, all on one scale,
// and the one with most is marked.
function makeTabs(viewer, tabs) {
  "use strict";
  const {shell, tree} = viewer, {make} = shell, {all, number, compared, small} = tabs;
  shell.addStyle(`
    #tabs { flex: 1 0 100%; min-width: 0; display: flex; gap: 6px; overflow-x: auto; padding: 2px; }
    #page #tabs button { flex: none; display: flex; flex-direction: column; gap: 2px; padding: 4px 8px; text-align: left;
      min-height: var(--touch); justify-content: center; }
    #page #tabs button[aria-selected=true] { background: var(--mark); border-color: var(--accent); font-weight: 600; }
    #tabs .sum { font-weight: 400; color: var(--ink-soft); font-variant-numeric: tabular-nums; }
    #tabs .most { color: var(--ink); font-weight: 600; }
    #tabs svg { display: block; background: var(--paper); }
    @media (forced-colors: active) { #tabs svg { forced-color-adjust: none; } }`);

  function go(to) {
    if (to === number) return;
    const {view, zoomed, state} = viewer, query = new URLSearchParams(location.search);
    for (const key of ["x", "y", "z", "span", "tab"]) query.delete(key);
    if (to > 0) query.set("tab", to + 1);
    // kinds of reasons have the same numbers everywhere; a sandwich is of one profile's names
    const names = state.sandwich ? [] : viewer.link.pathOf(zoomed).map((step) => (step > 0 ? tree.names[step] : step));
    const text = query.toString();
    try {
      history.pushState({names: zoomed === view.root ? [] : names}, "", (text ? "?" + text : location.pathname) + location.hash);
    } catch {
      viewer.say("This page has no address of its own, so it cannot show another profile");
      return;
    }
    location.reload();
  }

  const buttons = all.map((svg, i) => {
    const texts = countTexts(svg), {isMost} = compared[i];
    const sum = texts.quantity(texts.whole) + (isMost ? (svg.dataset.unit === "ns" ? " \u00b7 slowest" : " \u00b7 most") : "");
    return make("button", {role: "tab", id: "tab" + (i + 1), "aria-selected": String(i === number), "aria-controls": "stage",
                           tabindex: i === number ? "0" : "-1", onclick: () => go(i)},
                make("span", {}, svg.dataset.tab), make("span", {class: isMost ? "sum most" : "sum"}, sum),
                small[i]);
  });
  const row = make("div", {id: "tabs", role: "tablist", "aria-label": "Profiles"}, ...buttons);
  row.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], at = buttons.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(at + step + buttons.length) % buttons.length].focus();
  });
  shell.heading.after(row);
  row.style.order = "1";  // below the row of buttons
  const strip = shell.bar.querySelector("#strip");
  if (strip) strip.style.order = "2";

  return {choose: (which) => { if (which < all.length) go(which); }};
}
