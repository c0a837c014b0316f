// SPDX-License-Identifier: MIT
// Finds the kernels of compiled code in a trace: which call of a wrapper (compiled_code.h) an event
// of the trace is.
//
// A wrapper's call is the Python function, or the range "## Call CompiledFxGraph KEY ##". Newer
// versions of PyTorch (2.14) say the line that calls a function. Without it, the calls of one name
// are those of the wrapper in their order: the third aten::mm is the third extern_kernels.mm. Where
// their numbers differ, each of them may be any.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcommon/import/compiled_code.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// Kernels of which one is meant; none: not known. Valid as long as the CompiledCalls.
using CompiledChoice = std::span<const CompiledKernel* const>;

// Whether a slice is a kernel of Inductor's in C++: the profiler has one name for all of them.
bool is_cpp_kernel(const Slice& slice, const ImportedStacks& stacks);

class CompiledCalls {
 public:
  CompiledCalls(const Trace& trace, const Nesting& nesting, const CompiledCode& code,
                const ImportedStacks& stacks)
      : trace_(trace), nesting_(nesting), code_(code), stacks_(stacks) {}

  // The wrapper that a slice of CompilerPart::code calls; null: not known.
  const CompiledGraph* graph_of(uint32_t slice);
  // The kernel that `stack` calls, whose slice at `code` is a wrapper's call.
  CompiledChoice kernel_of(const std::vector<uint32_t>& stack, size_t code);
  // The kernel that each of the works of one wrapper's call is, in the order in which they ran.
  // They were launched as a graph: nothing but their own names tells them apart.
  std::vector<CompiledChoice> kernels_of(const CompiledGraph& graph,
                                         const std::vector<size_t>& works);

 private:
  using Kernels = std::vector<const CompiledKernel*>;
  struct Index {
    std::map<std::string, Kernels, std::less<>> by_name;  // as the profiler shows them
    std::map<uint64_t, const CompiledKernel*> by_line;
    Kernels library;                     // those that are not Triton's
    std::vector<size_t> library_before;  // by place in the graph: how many stand before it
  };
  // The slices that one call of a wrapper makes, by name.
  using Calls = std::map<std::string, std::vector<uint32_t>, std::less<>>;

  const Index& index_of(const CompiledGraph& graph);
  const Calls& calls_of(uint32_t slice);

  const Trace& trace_;
  const Nesting& nesting_;
  const CompiledCode& code_;
  const ImportedStacks& stacks_;
  std::unordered_map<uint32_t, const CompiledGraph*> graphs_;  // by frame
  std::unordered_map<const CompiledGraph*, Index> indexes_;
  std::unordered_map<uint32_t, Calls> calls_;  // by slice
  // Slices that calls_of() still looks at. Wrappers hardly ever call one another: only hostile
  // traces have as many slices within many wrappers.
  size_t left_ = size_t{1} << 27;
};

}  // namespace aiflame::trace
