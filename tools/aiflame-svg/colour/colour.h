// SPDX-License-Identifier: MIT
// A colour, as text of SVG, and the colours of a differential graph.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::svg {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

// "rgb(1,2,3)"
std::string rgb(Colour colour);

// Whether text on the colour is white, else black. Either has a contrast of at least 4.5:1 as WCAG
// 2 defines it, on any colour.
bool is_dark(Colour colour);

// White when nothing changed, redder the more was added, bluer the more went away. `greatest` is
// the greatest change of any frame, at least 1. `negate` swaps red and blue.
Colour difference_colour(uint64_t before, uint64_t after, uint64_t greatest, bool negate);

}  // namespace aiflame::svg
