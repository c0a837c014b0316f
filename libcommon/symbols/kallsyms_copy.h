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
#include <vector>

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
  ~KallsymsCopy();
  KallsymsCopy(const KallsymsCopy&) = delete;
  KallsymsCopy& operator=(const KallsymsCopy&) = delete;

  // Where the image begins; 0: the copy is of no use.
  uint64_t text() const { return text_; }
  // The function of the image that holds an address; nothing where the copy does not show that
  // there is one: of modules and BPF programs, which come and go, it knows nothing. Names last as
  // long as the copy.
  std::optional<KernelFunction> at(uint64_t address);

 private:
  struct Function {
    uint64_t start, end;
    std::string_view name;
  };
  struct Window {
    std::string text;
    std::vector<Function> functions;  // in order, next to one another
  };
  std::string read(uint64_t offset, size_t size) const;
  const Function* find(uint64_t address) const;
  void learn_around(uint64_t address);

  int fd_ = -1;
  uint64_t size_ = 0, text_ = 0;
  std::map<uint64_t, Window> windows_;   // what was read of it, by where its first function starts
  std::map<uint64_t, uint64_t> looked_;  // where a line with an address was seen, or just before it
};

}  // namespace aiflame
