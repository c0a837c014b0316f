// SPDX-License-Identifier: MIT
// Regular expressions whose time is bounded whatever the expression and the text. The only user of
// RE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace aiflame::report {

class Pattern {
 public:
  // RE2's syntax, which is Perl's without what takes unbounded time (back references, look-around).
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

}  // namespace aiflame::report
