// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/text_numbers.h"

#include "libcommon/base/program.h"

namespace aiflame::report {

uint32_t TextNumbers::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  if (texts_.size() >= UINT32_MAX) throw Error("more than 4294967295 names");
  kept_.keep(text.size());
  const auto number = static_cast<uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

bool TextNumbers::find(std::string_view text, uint32_t& number) const {
  const auto found = numbers_.find(text);
  if (found == numbers_.end()) return false;
  number = found->second;
  return true;
}

}  // namespace aiflame::report
