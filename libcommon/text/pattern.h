// SPDX-License-Identifier: MIT
// Regular expressions with bounded time for any expression and text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

class Pattern {
 public:
  // RE2's syntax: Perl's without back references and look-around, which take unbounded time.
  // Throws UsageError.
  explicit Pattern(const std::string& expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // Whether it matches anywhere in the text.
  bool matches(std::string_view text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
