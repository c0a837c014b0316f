// SPDX-License-Identifier: MIT
#include "libcommon/folded/time_slice.h"

#include "libcommon/base/parse.h"

namespace aiflame {

std::optional<uint64_t> slice_start(std::string_view frame) {
  constexpr size_t kDecimals = 3;
  const size_t point = frame.find('.');
  if (point == std::string_view::npos || frame.size() - point - 1 < kDecimals) return std::nullopt;
  return parse_seconds(frame);
}

bool is_slice(std::string_view frame) {
  return frame == kUnknownSlice || slice_start(frame);
}

}  // namespace aiflame
