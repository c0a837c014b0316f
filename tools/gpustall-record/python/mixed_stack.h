// SPDX-License-Identifier: MIT
// A launch's native frames and its Python frames as one stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::record {

// Innermost first. A run is what one C frame interprets; `ends` are where the runs end in `frames`.
struct PythonRuns {
  std::vector<uint64_t> frames;
  std::vector<size_t> ends;
};

// Puts each run behind the C frame that interprets it, which lies in [eval_begin, eval_end]: what
// agents do too. Runs whose C frames are missing come last: frame pointers seldom lead through an
// interpreter.
std::vector<uint64_t> mix(const std::vector<uint64_t>& native, const PythonRuns& python,
                          uint64_t eval_begin, uint64_t eval_end);

}  // namespace aiflame::record
