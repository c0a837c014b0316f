// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/change_bin.h"

#include <cmath>

namespace aiflame::svg {
namespace {

// Black or white text on each has a contrast of 5.4:1 or more.
constexpr Colour kColours[2 * kLastBin + 1] = {
    {0x1f, 0x4f, 0xa3}, {0x6a, 0x97, 0xdb}, {0x8f, 0xb0, 0xe3},
    {0xcb, 0xd9, 0xf2}, {0xff, 0xff, 0xff}, {0xf7, 0xcf, 0xcb},
    {0xee, 0x9a, 0x92}, {0xe4, 0x69, 0x5f}, {0xb3, 0x26, 0x1e},
};

}  // namespace

int change_bin(double points) {
  int bin = 0;
  for (const double edge : kBinEdges)
    if (std::fabs(points) > edge) ++bin;
  return points < 0 ? -bin : bin;
}

Colour bin_colour(int bin) {
  return kColours[bin + kLastBin];
}

}  // namespace aiflame::svg
