// SPDX-License-Identifier: MIT
// The lines of one input in their order.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/count.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/stack_order.h"
#include "libcommon/io/input.h"

namespace aiflame::merge {

class SortedInput {
 public:
  explicit SortedInput(ByteSource&& source) : lines_(std::move(source)) {}

  // Moves to the next stack; false at the end. Comments go to quantity(), and to `launches`. Throws
  // Error for a line that is not a folded stack, and for one that is out of order.
  [[nodiscard]] bool next(LaunchFacts& launches);

  // Of the line that next() has found, until it is called again.
  const std::string& stack() const { return order_.last(); }
  Count count() const { return count_; }
  // "path:line"
  std::string place() const { return lines_.place(); }

  const FileQuantity& quantity() const { return quantity_; }

 private:
  LineReader lines_;
  StackOrder order_;
  Count count_;
  FileQuantity quantity_;
};

}  // namespace aiflame::merge
