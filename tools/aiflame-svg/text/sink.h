// SPDX-License-Identifier: MIT
// Takes text, piece by piece.
#pragma once

#include <functional>
#include <string_view>

namespace aiflame::svg {

using Sink = std::function<void(std::string_view)>;

}  // namespace aiflame::svg
