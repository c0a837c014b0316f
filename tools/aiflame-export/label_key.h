// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include "libcommon/base/parse.h"

namespace aiflame::exporter {

// Whether Parca and Pyroscope take it as the name of a label: they follow Prometheus.
inline bool is_label_key(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace aiflame::exporter
