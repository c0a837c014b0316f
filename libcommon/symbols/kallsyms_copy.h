// SPDX-License-Identifier: MIT
// The functions of the running kernel's image, from the copy of /proc/kallsyms that `perf record`
// leaves in its cache. The kernel generates /proc/kallsyms line by line while it is read, which
// takes 50 ms for all of it. In a copy, the few lines that matter are found by binary search.
//
// Two things make that safe. A copy may be of another boot, in which the image was elsewhere: it is
// used only if it equals /proc/kallsyms up to the line of `_text`. And its lines may be out of
// order (modules and BPF programs follow the image, and a user can edit the file): what the search
// finds is accepted only if the function's line and the next one are adjacent and the address lies
// between. Otherwise at() returns nothing, and the caller reads the whole list.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/io/file_window.h"

namespace aiflame {

struct KernelFunction {
  uint64_t start = 0;
  std::string_view name;
};

class KallsymsCopy {
 public:
  // `path` is the copy, `running` is /proc/kallsyms. The copy is used if both are equal up to the
  // line of `_text`: the image of one build moves from boot to boot, and addresses may be hidden.
  // The caller has checked that both are of one build.
  KallsymsCopy(const std::string& path, const std::string& running);

  // The start of the image; 0: the copy cannot be used.
  uint64_t text() const { return text_; }
  // The function of the image that holds an address, or nothing when the copy does not prove that
  // there is one. Functions of modules and BPF programs, which come and go, are not found. Names
  // are valid as long as the copy.
  std::optional<KernelFunction> at(uint64_t address);

 private:
  struct Function {
    uint64_t end;
    size_t after;  // start of the first line with a larger address
    std::string_view name;
  };
  size_t line_after(uint64_t address, size_t low, size_t high) const;
  std::optional<KernelFunction> learn(uint64_t address, size_t after);

  FileWindow file_;
  std::string_view lines_;  // whole lines only
  uint64_t text_ = 0;
  std::map<uint64_t, Function> known_;  // by start address
};

}  // namespace aiflame
