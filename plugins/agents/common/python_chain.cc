/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/python_chain.h"

#include "plugins/agents/common/readable.h"

namespace aiflame::agent {
namespace {

// Frames beyond those that fit are still visited, up to the end of their run.
constexpr uint32_t kMaxSeen = 1 << 14;

class Chain {
 public:
  Chain(const PythonLayout& layout, PythonFrames& out) : layout_(layout), out_(out) {}

  // In 3.11 the frames do not say which C frame interprets them; later they do.
  bool walk(uint64_t thread) {
    uint64_t frame = 0;
    if (layout_.thread_root != 0) {
      if (!LiveMemory::load(thread + layout_.thread_frame, cframe_)) return false;
      root_ = thread + layout_.thread_root;
      if (!LiveMemory::load(cframe_ + layout_.cframe_frame, frame)) return false;
    } else if (!LiveMemory::load(thread + layout_.thread_frame, frame)) {
      return false;
    }
    uint32_t seen = 0;
    while (frame != 0 && !stop_when_full()) {
      if (++seen > kMaxSeen || frame % 8 != 0 || !LiveMemory::holds(frame, layout_.frame_bytes()))
        return false;
      const bool passed = layout_.frame_is_entry != 0 ? take_by_cframe(frame) : take(frame);
      if (!passed || !LiveMemory::load(frame + layout_.frame_previous, frame)) return false;
      if (is_after_run_ && layout_.frame_is_entry != 0 && frame != of_cframe_) return false;
    }
    // frames that are left over belong to no C frame
    return out_.is_cut || is_after_run_ || out_.frame_count == 0;
  }

 private:
  // Marks the chain as cut when there is no room for another run. True when the walk may stop,
  // which is only between runs.
  bool stop_when_full() {
    if (out_.run_count == sizeof out_.runs / sizeof *out_.runs) out_.is_cut = true;
    return is_after_run_ && out_.is_cut;
  }

  void keep(uint64_t frame) {
    is_after_run_ = false;
    if (out_.frame_count == PythonFrames::kMax)
      out_.is_cut = true;
    else
      out_.frames[out_.frame_count++] = frame;
  }

  void end_run(uint64_t stack_address) {
    is_after_run_ = true;
    out_.runs[out_.run_count++] = {out_.frame_count, stack_address};
  }

  bool take(uint64_t frame) {
    uint8_t owner = 0;
    if (!LiveMemory::load(frame + layout_.frame_owner, owner)) return false;
    if (owner > kOwnedByCStack) return false;
    if (owner == kOwnedByCStack)
      end_run(frame);
    else
      keep(frame);
    return true;
  }

  bool take_by_cframe(uint64_t frame) {
    uint8_t is_entry = 0;
    if (cframe_ == root_ || !LiveMemory::load(frame + layout_.frame_is_entry, is_entry) ||
        is_entry > 1)
      return false;
    keep(frame);
    if (is_entry == 0) return true;
    end_run(cframe_);
    return LiveMemory::load(cframe_ + layout_.cframe_previous, cframe_) &&
           LiveMemory::load(cframe_ + layout_.cframe_frame, of_cframe_);
  }

  const PythonLayout& layout_;
  PythonFrames& out_;
  bool is_after_run_ = false;
  uint64_t cframe_ = 0, root_ = 0, of_cframe_ = 0;
};

}  // namespace

bool walk_chain(const PythonLayout& layout, uint64_t thread, PythonFrames& out) {
  return Chain(layout, out).walk(thread);
}

}  // namespace aiflame::agent
