// SPDX-License-Identifier: MIT
// The kernel's functions as /proc/kallsyms, or a copy of it, lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

class Kallsyms {
 public:
  // Text as the kernel writes it: `ffffffff81000000 T _text`, of a module with `\t[name]` behind.
  // Where addresses are hidden (all zero) there are no functions. What is longer than 4 GiB is not
  // read to its end.
  explicit Kallsyms(std::string text);

  // Subtracts the difference between where `symbol` is and where it was: the kernel moves from
  // boot to boot.
  void relocate(const std::string& symbol, uint64_t was);

  bool empty() const { return symbols_.empty(); }
  // The function that holds an address. Each lasts until the next.
  std::optional<std::string_view> at(uint64_t address) const;
  // Where it begins: the same for all of its addresses.
  std::optional<uint64_t> start_of(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t start;
    uint32_t name;  // in text_
  };
  const Symbol* find(uint64_t address) const;
  std::string_view name(const Symbol& symbol) const;

  std::string text_;
  std::vector<Symbol> symbols_;
  uint64_t moved_ = 0;
};

// Whether it is perf's choice to take a symbol of that type: text, weak, data and bss, local or
// not.
bool is_kernel_symbol(char type);

// Whether a build id is that of the kernel that runs, or none.
bool is_running_kernel(const std::string& build_id);

// The kallsyms of the kernel with a build id (empty: of this machine's kernel): this machine's, or
// what perf has put into its cache. Empty text where there is none.
std::string find_kallsyms(const std::string& build_id);

}  // namespace aiflame
