// SPDX-License-Identifier: MIT
// Counts as the picture shows them. page/counts.js writes the same texts.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

// "1,234", or with a unit that has a scale, such as time: "12.35 us".
std::string shown_count(uint64_t count, const Drawing& drawing);
// With what is counted: "1,234 stalls", "12.35 us"; as text, and as XML.
std::string quantity_text(uint64_t count, const Drawing& drawing);
std::string shown_quantity(uint64_t count, const Drawing& drawing);

// What widths are, for the line under the title: "time (gpu-time)",
// "samples of 1.003 ms (gpu-clock)". `count_name`: what is counted, where that is no time or the
// like.
std::string width_text(const Quantity& quantity, const std::string& count_name);

}  // namespace aiflame::svg
