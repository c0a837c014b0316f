// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// Checks that the stacks of a file come in bytewise order, and are printable(). What a stack shares
// with the one before it is looked at once.
class StackOrder {
 public:
  enum class Found { in_order, out_of_order, not_printable };

  // What is out of order or not printable is not remembered.
  Found next(std::string_view stack);
  // The last stack in order.
  const std::string& last() const { return last_; }

 private:
  std::string last_;
};

}  // namespace aiflame
