// SPDX-License-Identifier: MIT
// The picture as it is seen now, without script and without a style sheet: an SVG that any program
// shows. `heading` ({title, subtitle, legend}, with {text, colour, width} of each colour) is drawn above it,
// as far as the picture does not show it.
// `paper`: for a printer, on a white ground with black text beside the frames.
function staticPicture(svg, heading, paper) {
  "use strict";
  const kSvg = "http://www.w3.org/2000/svg";
  const kLeftOut = "script, style, foreignObject, #tree, #reasons, #details, #matched, #unzoom, #search, " +
                   "#ignorecase, #view, #outlines, metadata";
  const kShapes = /^(rect|path|text|tspan|line|polyline|polygon|circle)$/;
  const kPrefix = "saved-";  // of identifiers, since a picture to be printed stands beside the original

  function make(name, attributes, text) {
    const element = document.createElementNS(kSvg, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }
  const rename = (value) => value.replace(/url\("?#([^")]+)"?\)/g, "url(#" + kPrefix + "$1)");

  // What the style sheet says, as attributes.
  function attributesOf(element, style, isFrame) {
    const found = {};
    if (element.tagName === "text" || element.tagName === "tspan") {
      found["font-family"] = style.fontFamily;
      found["font-size"] = style.fontSize;
      if (style.fontWeight !== "400") found["font-weight"] = style.fontWeight;
      if (style.textAnchor !== "start") found["text-anchor"] = style.textAnchor;
    }
    found.fill = paper && !isFrame && element.tagName === "text" ? "#000" : rename(style.fill);
    if (style.fillOpacity !== "1") found["fill-opacity"] = style.fillOpacity;
    if (style.stroke !== "none") {
      found.stroke = rename(style.stroke);
      found["stroke-width"] = style.strokeWidth;
      if (style.strokeOpacity !== "1") found["stroke-opacity"] = style.strokeOpacity;
      if (style.strokeDasharray !== "none") found["stroke-dasharray"] = style.strokeDasharray;
      if (style.paintOrder !== "normal") found["paint-order"] = style.paintOrder;
    }
    return found;
  }

  const kKept = new RegExp("^(x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|d|points|width|height|transform|viewBox|offset|" +
                           "clip-path|patternUnits|patternTransform|gradientUnits|textLength|lengthAdjust)$");
  // A copy of `element` with what is visible of it, or null.
  function copyOf(element, isFrame, inDefinition) {
    if (element.namespaceURI !== kSvg || element.matches(kLeftOut)) return null;
    const {tagName} = element;
    const copy = make(tagName === "a" ? "g" : tagName, {});
    if (tagName === "title" || tagName === "desc") {
      copy.textContent = element.textContent;
      return copy;
    }
    const definition = inDefinition || tagName === "defs", style = getComputedStyle(element);
    if (!definition && style.display === "none") return null;
    for (const {name, value} of element.attributes)
      if (kKept.test(name)) copy.setAttribute(name, rename(value));
    if (definition) {
      if (element.id) copy.setAttribute("id", kPrefix + element.id);
      if (tagName === "stop") copy.setAttribute("stop-color", style.stopColor);
      for (const name of ["fill", "fill-opacity", "stroke", "stroke-width"])
        if (element.hasAttribute(name)) copy.setAttribute(name, rename(element.getAttribute(name)));
    } else if (kShapes.test(tagName)) {
      for (const [name, value] of Object.entries(attributesOf(element, style, isFrame)))
        copy.setAttribute(name, value);
    }
    if (!definition && style.opacity !== "1") copy.setAttribute("opacity", style.opacity);
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        if (tagName === "text" || tagName === "tspan") copy.append(child.data);
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        const below = copyOf(child, isFrame || element.id === "frames", definition);
        if (below) copy.append(below);
      }
    }
    return copy;
  }

  const box = svg.viewBox.baseVal;
  const title = svg.querySelector("#title");
  const isHidden = (id) => {
    const found = svg.getElementById(id);
    return Boolean(found) && getComputedStyle(found).display === "none";
  };
  // the swatches of the legend, in lines
  const swatches = [];
  let line = heading.subtitle ? 1 : 0, left = 10;
  for (const one of isHidden("legend") ? heading.legend : []) {
    if (swatches.length === 0 || left + one.width + 30 > box.width) {
      ++line;
      left = 10;
    }
    swatches.push({...one, x: box.x + left, y: 25 + 19 * line});
    left += one.width + 34;
  }
  const above = isHidden("title") ? 34 + 19 * line : 0;
  const height = box.height + above;
  const picture = make("svg", {
    xmlns: kSvg, version: "1.1", width: box.width, height,
    viewBox: [box.x, box.y - above, box.width, height].join(" "),
  });
  picture.append(make("title", {}, heading.title));
  // The ground of the heading is that of the picture, or of the page where the picture has none.
  const background = svg.querySelector("svg > rect");
  const isBare = getComputedStyle(background).display === "none";
  if ((isBare || above > 0) && !paper)
    picture.append(make("rect", {
      x: box.x, y: box.y - above, width: box.width, height: isBare ? height : above + 1,
      fill: isBare ? getComputedStyle(svg.closest("#page")).backgroundColor
                   : getComputedStyle(svg.querySelector("#background stop")).stopColor,
    }));
  for (const child of svg.children) {
    if (child.tagName === "title" || (paper && child === background)) continue;
    const copy = copyOf(child, false, false);
    if (copy) picture.append(copy);
  }
  if (above > 0) {
    const text = getComputedStyle(title);
    const write = (y, size, weight, words, x = box.x + 10) => picture.append(make("text", {
      x, y: box.y - above + y, "font-family": text.fontFamily, "font-size": size,
      "font-weight": weight, fill: paper ? "#000" : text.fill,
    }, words));
    write(24, 16, 700, heading.title);
    if (heading.subtitle) write(43, 12, 400, heading.subtitle);
    for (const {text: words, colour, x, y} of swatches) {
      // a hatching of the page is no colour of a picture
      const fill = /^(#|rgb)/.test(colour) ? colour : "rgb(211,215,221)";
      picture.append(make("rect", {x, y: box.y - above + y - 10, width: 12, height: 12, rx: 2, fill}));
      write(y, 12, 400, words, x + 17);
    }
  }
  return picture;
}
