// SPDX-License-Identifier: MIT
// Until the data of a large file is read, its own picture is shown, as wide as the window and from
// the root on.
function showFile(svg, shell) {
  "use strict";
  if (!shell.isFluid) return;
  svg.setAttribute("width", "100%");
  svg.removeAttribute("height");  // by its shape
  const query = new URLSearchParams(location.search);
  const inverted = svg.dataset.inverted !== undefined;
  if (inverted === query.has("flip") && !query.has("x") && !query.has("z"))
    window.scrollTo(0, document.documentElement.scrollHeight);
}

// The size of the picture and of its rows. The picture of a page of its own is as wide as the
// window leaves room, and as high as its frames; elsewhere, and with --width, it is the file's.
// `wanted`: {hasGutter: names of layers at the left, fills: rows take the height of the window}.
function makeLayout(svg, shell, wanted, changed) {
  "use strict";
  const {hasGutter, fills} = wanted;
  const kGutter = 88;             // pixels for the names of the layers
  const kRoomForGutter = 900;     // pixels of the picture
  const kNarrow = 600;
  const kLowest = 16, kHighest = 26, kTouched = 28;  // rows
  const {dataset} = svg, given = (dataset.given || "").split(" ");
  const fluid = shell.isFluid;
  const file = {width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height,
                top: Number(dataset.top), bottom: Number(dataset.bottom), row: Number(dataset.row),
                pad: 10};
  file.rows = Math.round((file.height - file.top - file.bottom) / file.row);
  let sized = false, opened = false;
  let below = 0;  // pixels from the foot of the window to that of the page, as the reader scrolled
  const coarse = window.matchMedia("(pointer: coarse)");
  const fileFont = Number(svg.getAttribute("font-size")) || 12;
  const layout = {fluid, file, top: file.top, bottom: file.bottom, row: file.row, pad: file.pad,
                  width: file.width - 2 * file.pad, height: file.height, gutter: 0,
                  fontSize: fileFont, flipped: dataset.inverted !== undefined};
  const atTheFoot = [...svg.querySelectorAll("#details, #matched")]
      .map((text) => [text, file.height - Number(text.getAttribute("y"))]);

  // Takes the width that the window leaves.
  function measure() {
    const wide = Math.max(shell.stage.clientWidth, 100);
    layout.side = window.innerWidth < kNarrow ? 8 : 16;  // as the bars
    layout.gutter = hasGutter && wide >= kRoomForGutter ? kGutter : 0;
    layout.pad = Math.max(layout.side, layout.gutter);
    layout.width = wide - layout.pad - layout.side;
    layout.top = layout.bottom = 8;
    layout.fontSize = coarse.matches && !given.includes("fontsize") ? 13 : fileFont;
    svg.style.setProperty("--frame-font", layout.fontSize + "px");
  }

  // The height that the window leaves for the picture.
  function freeHeight() {
    const above = shell.stage.getBoundingClientRect().top + window.scrollY;
    return window.innerHeight - above - shell.footHeight();
  }

  // Rows fill the window as far as they can be read and are not too high. They keep their height
  // while the reader zooms.
  function rowHeight(depths) {
    if (!fluid || given.includes("height")) return file.row;
    if (coarse.matches) return Math.max(kTouched, file.row);
    if (!fills) return file.row;
    const free = freeHeight() - layout.top - layout.bottom;
    return Math.max(kLowest, Math.min(Math.floor(free / depths), kHighest));
  }

  function look() {
    below = Math.max(0, document.documentElement.scrollHeight - window.scrollY - window.innerHeight);
  }
  // The root is at the bottom, so that is where the rows stay.
  function stay() {
    if (!layout.flipped && opened)
      window.scrollTo(window.scrollX, document.documentElement.scrollHeight - below - window.innerHeight);
  }

  // Makes room for `depths` rows; `whole`: they are all of this view.
  layout.makeRoom = (depths, flipped, whole) => {
    layout.flipped = flipped;
    if (whole || !sized) layout.row = rowHeight(depths);
    sized = true;
    layout.height = (fluid ? depths : Math.max(file.rows, depths)) * layout.row + layout.top +
                    layout.bottom;
    const wide = fluid ? layout.pad + layout.width + layout.side : file.width;
    svg.setAttribute("width", wide);
    svg.setAttribute("height", layout.height);
    svg.setAttribute("viewBox", "0 0 " + wide + " " + layout.height);
    for (const [text, up] of atTheFoot) text.setAttribute("y", layout.height - up);
    if (!fluid) return;
    shell.stage.classList.toggle("flipped", flipped);
    stay();
  };

  // The upper edge of the frames at a depth.
  layout.place = (depth) => (layout.flipped
      ? layout.top + depth * layout.row
      : layout.height - layout.bottom - (depth + 1) * layout.row + 1);

  // Shows the root first when the picture is higher than the window. Called when the bars, too, are as
  // the view needs them.
  layout.open = (atRoot) => {
    if (!fluid) return;
    stay();
    if (opened) return;
    opened = true;
    if (atRoot && !layout.flipped) window.scrollTo(0, document.documentElement.scrollHeight);
    look();
    window.addEventListener("scroll", look, {passive: true});
  };

  // The fonts of the frames, by kind, as CSS writes them. Without --fonttype the page chooses its own.
  const ownFont = fluid && !given.includes("font");
  const ownFamily = 'Inter, "Segoe UI", Verdana, "DejaVu Sans", sans-serif';
  const monoFamily = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
  layout.fonts = () => {
    const size = layout.fontSize + "px ";
    const family = ownFont ? ownFamily : getComputedStyle(svg.getElementById("details")).fontFamily;
    return {text: size + family, bold: "600 " + size + family,
            mono: size + (ownFont ? monoFamily : family)};
  };
  function style() {
    const fonts = !ownFont ? "" : `
      #stage #frames text, #stage #slivers text { font-family: ${ownFamily}; font-size: var(--frame-font); }
      #stage #frames .mono > text { font-family: ${monoFamily}; }`;
    // with --bgcolors, the background of the picture goes on where the picture ends
    const stops = Array.from(svg.querySelectorAll("#background stop"),
                             (stop) => stop.getAttribute("stop-color"));
    const [top, bottom] = stops;
    const ink = stops.some(isDark) ? "#fff" : "#16181d";
    const ground = !fluid ? "" : `
      #stage > svg > rect, #stage #legend { display: none; }` + (!given.includes("background") ? "" : `
      #stage { --ink: ${ink}; --ink-soft: ${ink};
        background: linear-gradient(${top} 5%, ${bottom} 95%); }`);
    return fonts + ground + `
      #stage { align-self: stretch; display: flex; flex-direction: column;
        justify-content: flex-end; }
      #stage.flipped, #stage.aligned { justify-content: flex-start; }
      #stage .leaders { opacity: .55; pointer-events: none; }
      #stage > svg { flex: none; }
      #stage #frames > *, #stage #slivers > * { cursor: pointer; }
      #stage #slivers text { fill: #16181d; pointer-events: none; }
      .fluid #stage #frames > *:hover, .fluid #stage #frames > *:hover rect { stroke: none; }
      #stage #frames .parent > text { font-size: 75%; }
      #stage #frames .between > rect { stroke: var(--ink); stroke-width: 2; }
      #outlines path { stroke: var(--ink); stroke-width: 2; }
      #outlines .same { stroke-width: 1; stroke-dasharray: 3 2; }
      #gutter path { fill: none; stroke: var(--ink-soft); stroke-width: 1.5; }
      #stage #gutter text { font-family: ${ownFamily}; font-size: 11px; fill: var(--ink-soft); }
      @media (forced-colors: active) {
        #stage #frames rect, #slivers path { stroke: CanvasText; stroke-width: 1; }
        #outlines path { stroke: Highlight; }
      }`;
  }
  shell.addStyle(style());
  if (fluid) {
    const size = () => [shell.stage.clientWidth, window.innerHeight, coarse.matches].join();
    let waiting = false, measured = size();
    const again = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        if (size() === measured) return;
        measured = size();
        measure();
        changed();
      });
    };
    new ResizeObserver(again).observe(shell.stage);
    window.addEventListener("resize", again);
    coarse.addEventListener("change", again);
    measure();
  }
  return layout;
}
