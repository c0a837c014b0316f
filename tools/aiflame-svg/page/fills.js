// SPDX-License-Identifier: MIT
// What frames are filled with: "rgb(1,2,3)", "#010203", or a pattern of the picture, "url(#boundary)".

// "rgb(1,2,3)" of 0x010203, as the data of the file has it
const rgbOf = (colour) => "rgb(" + [colour >> 16, (colour >> 8) & 255, colour & 255].join() + ")";

// Red, green and blue; of a pattern nothing.
function channelsOf(fill) {
  "use strict";
  if (fill.startsWith("url")) return [];
  return fill.startsWith("#") ? [1, 3, 5].map((i) => parseInt(fill.slice(i, i + 2), 16))
                              : (fill.match(/\d+/g) || []).map(Number).slice(0, 3);
}

// Whether text on the fill is white, else black: as is_dark() in colour.cc. The patterns are light.
function isDark(fill) {
  "use strict";
  const parts = channelsOf(fill);
  if (parts.length < 3) return false;
  const [red, green, blue] = parts.map((c) => c * (c * (c * 305 + 682 * 255) + 13 * 255 * 255));
  return 2126 * red + 7152 * green + 722 * blue < 1790 * 1000 * 255 ** 3;
}

const kHatching = "repeating-linear-gradient(135deg, #7995c8 0 1.5px, #fff 1.5px 4px)";
const kBoundaryHatching = "repeating-linear-gradient(135deg, #bcc2cc 0 2px, #d3d7dd 2px 6px)";
// The fill as a background of HTML, which cannot have a pattern of the picture.
const backgroundOf = (fill) =>
    (fill === "url(#boundary)" ? kBoundaryHatching : fill.startsWith("url") ? kHatching : fill);
