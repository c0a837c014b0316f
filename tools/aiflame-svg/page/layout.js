// SPDX-License-Identifier: MIT
// The size of the picture and of its rows. The picture of a page of its own is as wide as the
// window leaves room, and as high as its frames; elsewhere, and with --width, it is the file's.
function makeLayout(svg, shell, hasGutter, changed) {
  "use strict";
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
  const coarse = window.matchMedia("(pointer: coarse)");
  const fileFont = Number(svg.getAttribute("font-size")) || 12;
  const layout = {fluid, file, top: file.top, bottom: file.bottom, row: file.row, pad: file.pad,
                  width: file.width - 2 * file.pad, height: file.height, gutter: 0,
                  fontSize: fileFont, flipped: dataset.inverted !== undefined};
  const atTheFoot = [...svg.querySelectorAll("#details, #matched")]
      .map((text) => [text, file.height - Number(text.getAttribute("y"))]);

  // Takes the width that the window leaves. Returns whether it changed.
  layout.measure = () => {
    if (!fluid) return false;
    const wide = Math.max(shell.stage.clientWidth, 100);
    const side = window.innerWidth < kNarrow ? 8 : 16;  // as the bars
    const {pad, width, fontSize} = layout;
    layout.gutter = hasGutter && wide >= kRoomForGutter ? kGutter : 0;
    layout.pad = Math.max(side, layout.gutter);
    layout.width = wide - layout.pad - side;
    layout.top = layout.bottom = 8;
    layout.fontSize = coarse.matches && !given.includes("font") ? 13 : fileFont;
    return pad !== layout.pad || width !== layout.width || fontSize !== layout.fontSize;
  };

  // The height that the window leaves for the picture.
  function freeHeight() {
    const above = shell.stage.getBoundingClientRect().top + window.scrollY;
    return window.innerHeight - above - shell.statusbar.offsetHeight;
  }

  // Rows fill the window as far as they can be read and are not too high. They keep their height
  // while the reader zooms.
  function rowHeight(depths) {
    if (!fluid || given.includes("height")) return file.row;
    if (coarse.matches) return Math.max(kTouched, file.row);
    if (!hasGutter) return file.row;
    const free = freeHeight() - layout.top - layout.bottom;
    return Math.max(kLowest, Math.min(Math.floor(free / depths), kHighest));
  }

  // Makes room for `depths` rows; `whole`: they are all of this view.
  layout.makeRoom = (depths, flipped, whole) => {
    layout.flipped = flipped;
    if (whole || layout.height === file.height) layout.row = rowHeight(depths);
    const before = layout.height;
    layout.height = (fluid ? depths : Math.max(file.rows, depths)) * layout.row + layout.top +
                    layout.bottom;
    const wide = fluid ? layout.pad + layout.width + (window.innerWidth < kNarrow ? 8 : 16)
                       : file.width;
    svg.setAttribute("width", wide);
    svg.setAttribute("height", layout.height);
    svg.setAttribute("viewBox", "0 0 " + wide + " " + layout.height);
    for (const [text, up] of atTheFoot) text.setAttribute("y", layout.height - up);
    if (!fluid) return;
    shell.stage.classList.toggle("flipped", flipped);
    // the root is at the bottom: what the reader looks at stays where it is
    if (!flipped && opened) window.scrollBy(0, layout.height - before);
  };

  // The upper edge of the frames at a depth.
  layout.place = (depth) => (layout.flipped
      ? layout.top + depth * layout.row
      : layout.height - layout.bottom - (depth + 1) * layout.row + 1);

  // Shows the root first when the picture is higher than the window.
  let opened = false;
  layout.open = (atRoot) => {
    if (opened || !fluid) return;
    opened = true;
    if (atRoot && !layout.flipped) window.scrollTo(0, document.documentElement.scrollHeight);
  };

  layout.isBrief = fluid;
  layout.ownFont = fluid && !given.includes("font");
  if (fluid) {
    let waiting = false;
    const again = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        changed(layout.measure());
      });
    };
    new ResizeObserver(again).observe(shell.stage);
    window.addEventListener("resize", again);
    coarse.addEventListener("change", again);
    layout.measure();
  }
  return layout;
}
