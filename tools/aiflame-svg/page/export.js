// SPDX-License-Identifier: MIT
// What the reader takes out of the page: a link, the view as folded text, the picture.
function makeExport(viewer) {
  "use strict";
  const {svg, shell} = viewer;
  const {make} = shell;
  const kLargest = 16384;  // pixels of a canvas, in each direction

  function heading() {
    const subtitle = svg.getElementById("subtitle");
    const legend = legendOf(viewer).filter(([, colour]) => colour).map(([text, colour]) => ({
      text, colour, width: viewer.drawing.textWidth(text)}));
    return {title: svg.getElementById("title").textContent, subtitle: subtitle ? subtitle.textContent : "",
            legend};
  }
  const report = (text) => viewer.say(text);  // which is announced too

  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // not allowed, or missing on insecure pages: the old way
      const before = document.activeElement;
      const area = make("textarea", {"aria-hidden": "true", style: "position:fixed;width:1px;height:1px"});
      area.value = text;
      shell.cards.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (before && before.focus) before.focus({preventScroll: true});
      if (!done) {
        report("The browser does not allow to copy");
        return false;
      }
    }
    if (what) report(what + " copied");
    return true;
  }
  const copyLink = () => copy(location.href, "Link");

  function folded() {
    const {view, zoomed} = viewer;
    const options = {
      nameOf: (name) => (name === view.kRest ? "[left out of the file]" : viewer.tree.names[name]),
      decimals: Number(svg.dataset.decimals) || 0, quantity: svg.dataset.quantity, launchesOf: viewer.launches.linesOf,
    };
    return view.aligned ? foldedStacks(view, zoomed, options)
                        : foldedText(view, zoomed, viewer.namesTo(zoomed), options);
  }
  function copyFolded() {
    const text = folded();
    if (text === null) report("This view is too large to copy: zoom in first");
    else copy(text, "Folded stacks");
  }

  function save(blob, ending) {
    const name = heading().title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "flame-graph";
    const link = make("a", {href: URL.createObjectURL(blob), download: name + ending});
    shell.cards.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    report("Saved as " + name + ending);
  }

  // Of a large file's own picture, the page draws a twentieth as many elements.
  function picture(paper) {
    if (viewer.drawing.isFile()) {
      viewer.keyboard = true;
      viewer.render();
    }
    return staticPicture(svg, heading(), paper);
  }
  const pictureText = () => new XMLSerializer().serializeToString(picture(false));
  function saveSvg() {
    save(new Blob(['<?xml version="1.0" encoding="UTF-8"?>\n', pictureText(), "\n"],
                  {type: "image/svg+xml"}), ".svg");
  }

  // Twice as many pixels as the picture, if a canvas may have as many.
  async function pictureCanvas() {
    const image = new Image();
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(pictureText());
    await image.decode();
    const scale = Math.min(2, kLargest / image.width, kLargest / image.height);
    const canvas = make("canvas", {width: Math.round(image.width * scale),
                                   height: Math.round(image.height * scale)});
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  }
  async function savePng() {
    try {
      const canvas = await pictureCanvas();
      canvas.toBlob((blob) => (blob ? save(blob, ".png") : report("The picture is too large for a PNG")));
    } catch (error) {
      report("Cannot make a PNG: " + error.message);
    }
  }

  return {copy, copyLink, copyFolded, saveSvg, savePng, picture};
}
