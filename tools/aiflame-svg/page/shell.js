// SPDX-License-Identifier: MIT
// The page around the picture: bars, panel and cards, as HTML. The SVG is moved into it. When the
// SVG is the document itself, it gets an <html> root, since only there do fixed positions, the
// viewport of phones, forms and the focus behave as everywhere. All text is inserted as text.
function makeShell(svg) {
  "use strict";
  const kHtml = "http://www.w3.org/1999/xhtml";
  const kStyle = `
    #page { --ink: #16181d; --ink-soft: #54606f; --paper: #f6f7f9; --ground: #fff; --line: #d3d7dd;
      --accent: #1f6fb2; --mark: #dce8fb; --touch: 32px;
      --font: 12px Inter, "Segoe UI", Verdana, "DejaVu Sans", sans-serif;
      --mono: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
      color: var(--ink); background: var(--ground); font: var(--font); line-height: 1.4;
      font-variant-ligatures: none; font-feature-settings: "calt" 0;
      box-sizing: border-box; min-height: 100vh; display: flex; flex-direction: column; }
    #page.embedded { min-height: 0; }
    #page *, #page *::before { box-sizing: border-box; }
    #page [hidden] { display: none; }
    #page button, #page input { font: inherit; color: inherit; background: var(--paper);
      border: 1px solid var(--line); border-radius: 6px; min-height: var(--touch); padding: 0 10px; }
    #page button { cursor: pointer; white-space: nowrap; }
    #page button:hover { background: var(--mark); }
    #page button[aria-pressed=true] { background: var(--mark); border-color: var(--accent); }
    #page button[disabled] { opacity: .5; cursor: default; }
    #page :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    #bar { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; gap: 6px 12px;
      align-items: center; padding: 8px 16px; background: var(--ground); }
    #heading { flex: 1 1 200px; min-width: 0; }
    #heading h1 { margin: 0; font-size: 16px; font-weight: 600; overflow: hidden;
      text-overflow: ellipsis; white-space: nowrap; }
    #heading p { margin: 0; color: var(--ink-soft); overflow-wrap: anywhere; }
    #find { position: relative; }
    #buttons { display: flex; flex-wrap: wrap; gap: 6px; }
    #trail { padding: 0 16px; }
    #middle { flex: 1 0 auto; display: flex; align-items: flex-start; }
    #stage { flex: 1 1 0; min-width: 0; overflow-x: auto; }
    .fluid > #middle > #stage { overflow-x: hidden; }
    #stage > svg { display: block; }
    #panel { flex: none; }
    #statusbar { position: sticky; bottom: 0; z-index: 3; min-height: 36px; display: flex; gap: 12px;
      align-items: center; padding: 0 16px; background: var(--paper);
      border-top: 1px solid var(--line); }
    #cards { position: fixed; inset: 0; z-index: 5; pointer-events: none; }
    #live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    #stage #title, #stage #subtitle, #stage #details, #stage #matched, #stage #search, #stage #view,
    #stage #unzoom, #stage #ignorecase { display: none; }
    @media (pointer: coarse) { #page { --touch: 44px; } }
    @media (max-width: 599px) { #bar, #trail, #statusbar { padding-left: 8px; padding-right: 8px; } }
    @media (prefers-color-scheme: dark) {
      #page { --ink: #e8eaee; --ink-soft: #a9b1bc; --paper: #25282e; --ground: #1b1d22;
        --line: #43484f; --accent: #7db4ea; --mark: #2c3f5a; color-scheme: dark; }
    }
    @media (prefers-reduced-motion: reduce) { #page * { transition: none; scroll-behavior: auto; } }`;

  // Makes an HTML element: make("button", {class: "row", onclick: f}, "text", child …). Attributes
  // that are undefined or false, and children that are null or undefined, are left out.
  function make(name, attributes = {}, ...children) {
    const element = document.createElementNS(kHtml, name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  const bar = make("header", {id: "bar"}), heading = make("div", {id: "heading"});
  const find = make("div", {id: "find", role: "search"});
  const buttons = make("div", {id: "buttons", role: "toolbar", "aria-label": "View"});
  const trail = make("nav", {id: "trail", "aria-label": "Zoomed to", hidden: ""});
  const middle = make("div", {id: "middle"}), stage = make("main", {id: "stage"});
  const panel = make("aside", {id: "panel", "aria-label": "Table", hidden: ""});
  const statusbar = make("footer", {id: "statusbar"}), cards = make("div", {id: "cards"});
  const live = make("div", {id: "live", role: "status", "aria-live": "polite"});
  const page = make("div", {id: "page"}, bar, trail, middle, statusbar, cards, live);
  bar.append(heading, find, buttons);
  middle.append(stage, panel);

  function addStyle(css) {
    page.before(make("style", {}, css));
  }

  // The texts of the picture, which the bar shows in their place.
  const textOf = (id) => {
    const text = svg.getElementById(id);
    return text ? text.textContent : "";
  };
  const title = textOf("title"), subtitle = textOf("subtitle");
  heading.append(make("h1", {id: "pagetitle"}, title));
  if (subtitle) heading.append(make("p", {id: "pagesubtitle"}, subtitle));

  // `svg` is the document, the picture of a page of ours (--html), or part of a foreign page.
  const isDocument = document.documentElement === svg;
  const isPage = !isDocument && svg.parentNode === document.body &&
      document.body.childElementCount === 1;
  if (isDocument) {
    const head = make("head", {}, make("meta", {charset: "utf-8"}), make("title", {}, title));
    svg.replaceWith(make("html", {lang: "en"}, head, make("body")));
    document.body.append(page);
  } else {
    svg.replaceWith(page);
  }
  stage.append(svg);
  // in a page, the title of the picture would be a tooltip over all of it
  const ownTitle = Array.from(svg.children).find((child) => child.localName === "title");
  if (ownTitle) ownTitle.remove();
  svg.setAttribute("aria-label", title);
  if ((isDocument || isPage) && !document.querySelector("meta[name=viewport]"))
    document.head.append(make("meta", {name: "viewport",
                                       content: "width=device-width, initial-scale=1"}));
  const isFluid = (isDocument || isPage) && svg.dataset.fluid !== undefined;
  page.classList.toggle("fluid", isFluid);
  page.classList.toggle("embedded", !isDocument && !isPage);
  addStyle(kStyle);
  // a foreign page keeps its own
  if (isDocument || isPage)
    addStyle(`
      html, body { margin: 0; }
      @media (prefers-color-scheme: dark) { html { background: #1b1d22; } }`);

  // What stays in the window at its foot: the status bar, and the instructions above it.
  function footHeight() {
    const listing = page.querySelector("#listing");
    return statusbar.offsetHeight + (listing ? listing.offsetHeight : 0);
  }

  // Scrolls an element of the picture into the part of the window that the bars leave. The padding
  // must not stay: the browser would scroll for a field of the bar, too, when it is typed in.
  function reveal(element) {
    const {style} = document.documentElement;
    style.scrollPadding = bar.offsetHeight + trail.offsetHeight + "px 0 " + footHeight() + "px";
    element.scrollIntoView({block: "nearest", inline: "nearest"});
    style.scrollPadding = "";
  }
  stage.addEventListener("focusin", (event) => {
    const frame = event.target.closest("#frames > *");
    if (frame) reveal(frame);
  });

  return {page, bar, heading, find, buttons, trail, middle, stage, panel, statusbar, cards, live,
          make, addStyle, reveal, footHeight, isFluid};
}
