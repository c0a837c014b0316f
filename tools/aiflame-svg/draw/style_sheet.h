// SPDX-License-Identifier: MIT
// The styles of a picture.
#pragma once

#include <string>

#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

// The element <style>.
std::string style_sheet(const Drawing& drawing, bool differential);

}  // namespace aiflame::svg
