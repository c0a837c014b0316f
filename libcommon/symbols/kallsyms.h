// SPDX-License-Identifier: MIT
// The kernel's functions, from /proc/kallsyms or a copy of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

class Kallsyms {
 public:
  // Parses lines as the kernel writes them: `ffffffff81000000 T _text`; for a module's function
  // `\t[name]` follows. When addresses are hidden (all zero) there are no functions. Text after the
  // first 4 GiB is ignored.
  explicit Kallsyms(std::string text);

  // For addresses recorded in another boot, when `symbol` had the address `was`: the kernel moves
  // from boot to boot. Addresses given to at() are moved by the difference.
  void relocate(const std::string& symbol, uint64_t was);

  bool empty() const { return symbols_.empty(); }
  // The function that holds an address. Each function reaches up to the next.
  std::optional<std::string_view> at(uint64_t address) const;
  // The start of that function: the same for all of its addresses.
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

// Whether perf takes symbols of that type: text, weak, data and bss, local or global.
bool is_kernel_symbol(char type);

// Whether a kernel, as uname(2) tells its release and architecture, cannot be the running one.
// Empty texts are not known, and differ from none.
bool is_other_kernel(const std::string& release, const std::string& architecture);

// Whether a build id is that of the running kernel, or empty.
bool is_running_kernel(const std::string& build_id);

// The kallsyms of the kernel with a build id (empty: the running kernel): /proc/kallsyms, or the
// copy in perf's cache. Empty text if there is neither.
std::string find_kallsyms(const std::string& build_id);

}  // namespace aiflame
