// SPDX-License-Identifier: MIT
// Distinct texts, each held once and numbered from 0.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcommon/memory/kept_names.h"

namespace aiflame::report {

class TextNumbers {
 public:
  uint32_t number(std::string_view text);
  // Finds the number of a text that already has one; false for other texts.
  [[nodiscard]] bool find(std::string_view text, uint32_t& number) const;
  std::string_view text(uint32_t number) const { return texts_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // they do not move
  std::unordered_map<std::string_view, uint32_t> numbers_;
  KeptNames kept_;
};

}  // namespace aiflame::report
