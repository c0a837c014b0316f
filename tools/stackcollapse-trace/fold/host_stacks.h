// SPDX-License-Identifier: MIT
// The host's part of a stack: what the program did when it launched something.
//
// A launch off the main thread is made on behalf of it: autograd runs the backward pass on a thread
// of its own while the main thread waits in loss.backward(). So the launch stands on the main
// thread's stack of that moment. Below the backward operator stands where its forward operator was
// called, as far as that is another place:
//
//   train.py: step; backward; [autograd thread]; forward; Linear_3; aten::linear; [backward];
//   AddmmBackward0; aten::mm; cudaLaunchKernel
//
// What torch.compile has compiled stands on the lines of the model that it was made of, where they
// are known, and without the compiler's own frames (keep/compiler_part.h):
//
//   train.py: step; Transformer_0; forward:model.py:58; [compiled]; triton_poi_fused_gelu_7; …
//
// Python's own threads have a stack of their own from their first function on, and keep it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/compiled_stacks.h"
#include "tools/stackcollapse-trace/fold/slice_instances.h"
#include "tools/stackcollapse-trace/join/backward.h"
#include "tools/stackcollapse-trace/join/compiled_calls.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

// Above it stands what the backward pass does, below it what the forward pass did.
inline constexpr std::string_view kBackward = "[backward]";

// What becomes of a slice that may be a range. A step is a frame only if it is asked for: each has
// another name, and would make a graph of its own.
enum class RangeUse : uint8_t { unknown, frame, root, hidden };

// The ranges that are root frames.
struct RootRanges {
  uint32_t instance = kNoNumber;  // --by-range: the frame of the instance
  std::vector<uint32_t> ranges;   // the others, outermost first

  void clear() {
    instance = kNoNumber;
    ranges.clear();
  }
};

class HostStacks {
 public:
  HostStacks(Trace& trace, const Nesting& nesting, CompiledCalls& compiled,
             const TraceSettings& settings, ImportedStacks& stacks);

  // Makes the stack of a slice at a time the current one. `model_stacks`: in
  // Trace::texts.
  void set(uint32_t slice, int64_t time, uint32_t model_stacks = kNoNumber);

  // Of the current stack:
  size_t depth() const { return frames_.size(); }
  bool has_python() const { return has_python_; }
  // Whether frames are left out where it has kTruncated.
  bool is_truncated() const { return is_truncated_; }
  // Its innermost collective operation, or kNoNumber.
  uint32_t collective() const { return collective_; }
  // Whether it is compiled code's, and whether it has the model's lines.
  bool is_compiled() const { return is_compiled_; }
  bool has_model_lines() const { return has_model_lines_; }
  // The ranges that become root frames.
  const RootRanges& root_ranges() const { return root_ranges_; }
  // --by-range: the frame of the instance that a slice is, or kNoNumber.
  uint32_t instance_of(uint32_t slice) const { return instances_.frame_of(slice); }
  // Its frames on top of `stack`: those that the user wants to see, in the order that he wants.
  uint32_t append_to(uint32_t stack);
  // The model's lines and the fused operations of a kernel on top of `stack`.
  uint32_t append_compiled(uint32_t stack, CompiledChoice choice);

  // The main thread of a thread's process, or kNoNumber.
  uint32_t main_thread(uint32_t thread) const { return main_threads_[thread]; }
  const std::vector<uint32_t>& main_threads() const { return main_threads_; }
  RangeUse use_of(const Slice& slice);

 private:
  struct Frame {
    uint32_t frame;
    Kind kind;
  };

  bool runs_for_itself(const std::vector<uint32_t>& own) const;
  void add_slices(const std::vector<uint32_t>& slices, size_t begin, bool forward);
  void add_compiled(const std::vector<uint32_t>& slices, size_t code);
  void drop_compiled_function(const ModelLine& outermost);
  void add_forward(uint32_t slice);

  const Trace& trace_;
  const Nesting& nesting_;
  const TraceSettings& settings_;
  ImportedStacks& stacks_;
  CompiledCalls& compiled_;
  CompiledStacks compiled_stacks_;
  Backward backward_;
  std::vector<uint32_t> main_threads_;
  const SliceInstances instances_;
  std::vector<RangeUse> uses_;  // by frame

  // the current stack
  std::vector<Frame> frames_;
  std::vector<uint32_t> slices_;  // that it is made of, without the forward pass
  std::vector<uint32_t> own_, other_;
  RootRanges root_ranges_;
  uint32_t collective_ = kNoNumber;
  uint32_t model_stacks_ = kNoNumber;
  bool has_python_ = false, is_compiled_ = false, has_model_lines_ = false;
  bool is_truncated_ = false;
};

}  // namespace aiflame::trace
