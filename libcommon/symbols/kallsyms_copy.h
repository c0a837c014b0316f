// SPDX-License-Identifier: MIT
// The functions of the running kernel's image, out of the copy of /proc/kallsyms that `perf record`
// leaves in its cache. The kernel makes its own list up as it is read, line by line, 50 ms for all
// of it; in a copy the few lines that matter are found by halving.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/io/file_window.h"

namespace aiflame {

// Each lasts until the next.
struct KernelFunction {
  uint64_t start = 0;
  std::string_view name;
};

class KallsymsCopy {
 public:
  // `path`: a copy of what the kernel says in `running` (/proc/kallsyms). It is used where both are
  // alike up to the line of `_text`: the image of one build differs from boot to boot in where it
  // stands, and addresses may be hidden. That it is one build, the caller knows.
  KallsymsCopy(const std::string& path, const std::string& running);

  // Where the image begins; 0: the copy is of no use.
  uint64_t text() const { return text_; }
  // The function of the image that holds an address; nothing where the copy does not show that
  // there is one: of modules and BPF programs, which come and go, it knows nothing. Names last as
  // long as the copy.
  std::optional<KernelFunction> at(uint64_t address);

 private:
  struct Function {
    uint64_t end;
    size_t behind;  // where the first line begins that has a larger address than one of its own
    std::string_view name;
  };
  size_t line_behind(uint64_t address, size_t low, size_t high) const;
  std::optional<KernelFunction> learn(uint64_t address, size_t behind);

  FileWindow file_;
  std::string_view lines_;  // whole ones
  uint64_t text_ = 0;
  std::map<uint64_t, Function> known_;  // by where they start
};

}  // namespace aiflame
