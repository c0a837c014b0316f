// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/mixed_stack.h"

namespace aiflame::record {

std::vector<uint64_t> mix(const std::vector<uint64_t>& native, const PythonRuns& python,
                          uint64_t eval_begin, uint64_t eval_end) {
  std::vector<uint64_t> out;
  out.reserve(native.size() + python.frames.size());
  size_t taken = 0, run = 0;
  const auto take_run = [&] {
    for (const size_t end = python.ends[run++]; taken < end; ++taken)
      out.push_back(python.frames[taken]);
  };
  for (const uint64_t frame : native) {
    out.push_back(frame);
    if (frame > eval_begin && frame <= eval_end && run < python.ends.size()) take_run();
  }
  while (run < python.ends.size()) take_run();
  return out;
}

}  // namespace aiflame::record
