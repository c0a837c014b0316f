// SPDX-License-Identifier: MIT
// The string table of pprof and OTLP: text 0 is empty.
#pragma once

#include <string_view>

#include "libcommon/text/text_table.h"

namespace aiflame::exporter {

class StringTable {
 public:
  StringTable() { texts_.number(""); }

  uint32_t number(std::string_view text) { return texts_.number(text); }
  std::string_view text(uint32_t number) const { return texts_.text(number); }
  size_t size() const { return texts_.size(); }

 private:
  TextTable texts_;
};

}  // namespace aiflame::exporter
