// SPDX-License-Identifier: MIT
// The loops around an instruction of a device, with the source line at which each one is written.
//
// Compilers give that line, as a rule, to the jump back to the head:
//
//   9   for (int k = 0; k < n; ++k)
//   10    sum += a[k] * b[k];          head: a load, line 10; jump back: line 9
//
// The jump's test may be inlined, and so may be what the head does: a loop over iterators ends
// with their operator!=. So the line is taken from the innermost function that holds both.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcommon/code/loops.h"
#include "libcommon/device/device_symbolizer.h"

namespace aiflame {

struct DeviceLoop {
  uint64_t head = 0;  // from the start of the function
  std::string file;   // empty, with line 0, where it is not known
  uint64_t line = 0;
};

class DeviceLoops {
 public:
  explicit DeviceLoops(DeviceSymbolizer& symbolizer) : symbolizer_(symbolizer) {}

  // Outermost first; of very many, the inner ones.
  std::vector<DeviceLoop> around(const CodePlace& place);

 private:
  struct Function {
    uint64_t begin = 0;             // of the places that belong to it, in the file
    std::vector<uint64_t> offsets;  // of its instructions, in the file
    Loops loops;
    std::unordered_map<uint32_t, DeviceLoop> described;  // those that were asked for
  };
  using Functions = std::map<uint64_t, Function>;  // of an object, by their last place

  Function* function_at(const CodePlace& place);
  DeviceLoop describe(const Function& function, const Loop& loop, const std::string& path);

  DeviceSymbolizer& symbolizer_;
  std::unordered_map<std::string, Functions> objects_;
  size_t instructions_ = 0;  // in objects_
};

// The line of a loop, from the functions at its head and at its jumps back: each innermost first,
// as DeviceSymbolizer::frames_at() has them. nullptr where it is not known. (pure)
const SourceFrame* loop_line(const std::vector<SourceFrame>& head,
                             const std::vector<std::vector<SourceFrame>>& back_jumps);

}  // namespace aiflame
