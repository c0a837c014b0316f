// SPDX-License-Identifier: MIT
// A function body for Browser.run(): the contrast of every text that is visible in the window, by
// WCAG 2.2, of what is painted: at three points of the text, what lies below it is composed from the
// bottom to the top, with opacity and filters of its groups. Returns {texts, worst, low: [[ratio,
// text, colour, ground]...]}, with those below `arguments[0]`.
//
// Where a pattern or a gradient may be behind a text, each of its colours counts.
const least = arguments[0];

// Hidden texts are not found at a point; and what takes no clicks hides what is below it.
const all = document.createElementNS("http://www.w3.org/1999/xhtml", "style");
all.textContent = "* { pointer-events: auto !important; }";
document.documentElement.append(all);

// ---- colours: [red, green, blue, alpha], each from 0 to 1 ------------------------------------------
function colour(text) {
  const numbers = (text.match(/-?[\d.]+(e-?\d+)?%?/g) || []).map((one) =>
      (one.endsWith("%") ? parseFloat(one) / 100 : parseFloat(one)));
  if (text.startsWith("rgb"))
    return [...numbers.slice(0, 3).map((one) => one / 255), numbers.length > 3 ? numbers[3] : 1];
  if (text.startsWith("color(srgb")) return [...numbers.slice(0, 3), numbers.length > 3 ? numbers[3] : 1];
  return [0, 0, 0, 0];  // none, transparent
}
const over = (above, below) => {
  const a = above[3] + below[3] * (1 - above[3]);
  if (a === 0) return [0, 0, 0, 0];
  return [0, 1, 2].map((i) => (above[i] * above[3] + below[i] * below[3] * (1 - above[3])) / a).concat(a);
};
const colours = /(rgba?|color)\([^()]*\)/g;
function luminance(c) {
  const [r, g, b] = c.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ratio(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
function filtered(c, filter) {
  let [r, g, b, a] = c;
  for (const [, name, amount] of filter.matchAll(/(saturate|grayscale|opacity|brightness)\(([\d.]+)\)/g)) {
    const n = Number(amount);
    if (name === "opacity") a *= n;
    if (name === "brightness") [r, g, b] = [r * n, g * n, b * n];
    if (name !== "saturate" && name !== "grayscale") continue;
    const s = name === "saturate" ? n : 1 - n, grey = 0.213 * r + 0.715 * g + 0.072 * b;
    [r, g, b] = [r, g, b].map((one) => grey + s * (one - grey));
  }
  return [r, g, b].map((one) => Math.min(1, Math.max(0, one))).concat(a);
}

// ---- what an element paints at a point: a list of its possible colours -----------------------------
function paints(element) {
  const style = getComputedStyle(element);
  if (style.visibility !== "visible") return [[0, 0, 0, 0]];
  if (!(element instanceof SVGElement)) {
    const ground = colour(style.backgroundColor);
    const image = (style.backgroundImage.match(colours) || []).map(colour);
    return image.length > 0 ? image.map((one) => over(one, ground)) : [ground];
  }
  if (!/^(rect|path|circle|polygon|ellipse)$/.test(element.localName))
    return [element.localName === "svg" ? colour(style.backgroundColor) : [0, 0, 0, 0]];
  const reference = style.fill.match(/url\("?#([^")]*)"?\)/);
  const fade = (c) => [c[0], c[1], c[2], c[3] * Number(style.fillOpacity)];
  if (!reference) return [fade(colour(style.fill))];
  const server = document.getElementById(reference[1]);
  if (!server) return [[0, 0, 0, 0]];
  const within = [...server.querySelectorAll("*")].map((one) => {
    const its = getComputedStyle(one);
    if (one.localName === "stop") return {colour: colour(its.stopColor)};
    const [r, g, b, a] = colour(its.fill === "none" ? its.stroke : its.fill);
    const shade = [r, g, b, a * Number(its.fill === "none" ? its.strokeOpacity : its.fillOpacity)];
    return {colour: shade, covers: one.localName === "rect" &&
            Number(one.getAttribute("width")) >= Number(server.getAttribute("width"))};
  });
  if (server.localName !== "pattern") return within.map((one) => fade(one.colour));
  let ground = [0, 0, 0, 0];
  for (const one of within) if (one.covers) ground = over(one.colour, ground);
  return [ground, ...within.filter((one) => !one.covers).map((one) => over(one.colour, ground))].map(fade);
}

// The line around the letters of an SVG text, behind them, is what they stand on.
function halo(element) {
  const style = getComputedStyle(element);
  if (!(element instanceof SVGElement) || !style.paintOrder.startsWith("stroke") ||
      parseFloat(style.strokeWidth) < 2)
    return [];
  const [r, g, b, a] = colour(style.stroke);
  return [{group: groupOf(element), colour: [r, g, b, a * Number(style.strokeOpacity)]}];
}

// The nearest element around this one that is painted as a group: its opacity or filter is of all
// that it holds.
function groupOf(element) {
  for (let e = element; e; e = e.parentElement) {
    const style = getComputedStyle(e);
    if (Number(style.opacity) < 1 || style.filter !== "none")
      return {element: e, opacity: Number(style.opacity), filter: style.filter};
  }
  return null;
}

// Composes layers, from the bottom to the top: {colour, group}.
function compose(layers) {
  let whole = [1, 1, 1, 1], within = null, group = null;
  const end = () => {
    if (!group) return;
    const done = filtered(within, group.filter);
    whole = over([done[0], done[1], done[2], done[3] * group.opacity], whole);
    group = null;
  };
  for (const layer of layers) {
    if ((layer.group && layer.group.element) !== (group && group.element)) {
      end();
      group = layer.group;
      within = [0, 0, 0, 0];
    }
    if (group) within = over(layer.colour, within);
    else whole = over(layer.colour, whole);
  }
  end();
  return whole;
}

// ---- texts -----------------------------------------------------------------------------------------
// [text, element, box, colour] of what can be read
function* texts() {
  const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || /^(style|script|title|desc|metadata|option)$/.test(element.localName)) continue;
    if (element.closest("[disabled]")) continue;  // WCAG asks nothing of what cannot be used
    const style = getComputedStyle(element);
    const own = element instanceof SVGElement ? style.fill : style.color;
    if (element instanceof SVGElement) {
      yield [node.data, element, element.getBoundingClientRect(), own];
    } else {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) yield [node.data, element, box, own];
    }
  }
  for (const input of document.querySelectorAll("input")) {
    const shown = input.value ? getComputedStyle(input) : getComputedStyle(input, "::placeholder");
    if (input.value || input.placeholder)
      yield [input.value || input.placeholder, input, input.getBoundingClientRect(), shown.color];
  }
}

const low = [];
let count = 0, worst = 21;
for (const [text, element, box, own] of texts()) {
  if (box.width < 2 || box.height < 2) continue;
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
  const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
  if (bottom - top < 2 || right - left < 2) continue;
  let seen = false, lowest = 21, told = null;
  for (const part of [0.1, 0.5, 0.9]) {
    const stack = document.elementsFromPoint(left + part * (right - left), (top + bottom) / 2);
    const at = stack.indexOf(element);
    if (at < 0) continue;  // clipped
    const above = stack.slice(0, at).filter((one) => !element.contains(one));
    if (above.some((one) => paints(one).some((c) => c[3] > 0.9))) continue;  // covered
    seen = true;
    // the grounds: each combination differs in one element only, so that there are few of them
    const below = stack.slice(at).filter((one) => one !== element || !(one instanceof SVGElement)).reverse();
    const options = below.map((one) => ({group: groupOf(one), paints: paints(one)}));
    const most = Math.max(1, ...options.map((one) => one.paints.length));
    for (let k = 0; k < most; ++k) {
      const layers = options.map((one) => ({group: one.group,
                                            colour: one.paints[Math.min(k, one.paints.length - 1)]}));
      layers.push(...halo(element));
      const ground = compose(layers);
      const ink = compose([...layers, {group: groupOf(element), colour: colour(own)}]);
      const here = ratio(ink, ground);
      const rgb = (c) => c.slice(0, 3).map((one) => Math.round(255 * one)).join();
      if (here < lowest) [lowest, told] = [here, [rgb(ink), rgb(ground)]];
    }
  }
  if (!seen) continue;
  ++count;
  worst = Math.min(worst, lowest);
  const where = element.closest("[id]");
  if (lowest < least)
    low.push([Math.round(100 * lowest) / 100, text.trim().slice(0, 40), ...told,
              element.localName + (where ? " in #" + where.id : "")]);
}
all.remove();
return {texts: count, worst, low};
