// SPDX-License-Identifier: MIT
// Names of code compiled at run time, from /tmp/perf-PID.map: lines `ADDRESS SIZE NAME`, numbers in
// hexadecimal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

class JitSymbols {
 public:
  explicit JitSymbols(std::string text);
  struct Function {
    std::string_view name;
    uint64_t start;
  };
  std::optional<Function> function_at(uint64_t address) const;
  // Its name.
  std::optional<std::string_view> at(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t start, size;
    size_t name, length;  // in text_
  };
  std::string text_;
  std::vector<Symbol> symbols_;
};

}  // namespace aiflame
