// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/host_stacks.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/text/globs.h"
#include "tools/stackcollapse-trace/join/main_threads.h"

namespace aiflame::trace {
namespace {

constexpr std::string_view kAutograd = "[autograd thread]";
constexpr std::string_view kBackward = "[backward]";

// The steps that programs mark by themselves: PyTorch's profiler ("ProfilerStep#7"), vLLM
// ("execute_context_1(512)_generation_8(8)", "execute_512_context_1(…)", "execute_new_1_cached_2"),
// SGLang ("step[DECODE bs=8]") and ATOM ("prefill[bs=2 tok=16384]").
bool is_step(std::string_view name) {
  for (const std::string_view prefix :
       {"ProfilerStep#", "step[", "prefill[", "decode[", "execute_context_", "execute_new_"})
    if (name.starts_with(prefix)) return true;
  return name.starts_with("execute_") && name.find("_context_") != std::string_view::npos;
}

}  // namespace

HostStacks::HostStacks(Trace& trace, const Nesting& nesting, const TraceSettings& settings,
                       ImportedStacks& stacks)
    : trace_(trace),
      nesting_(nesting),
      settings_(settings),
      stacks_(stacks),
      backward_(trace, nesting),
      main_threads_(find_main_threads(trace, nesting)) {}

void HostStacks::set(uint32_t slice, int64_t time) {
  frames_.clear();
  slices_.clear();
  own_.clear();
  root_ranges_.clear();
  collective_ = kNoNumber;
  has_python_ = false;
  if (slice == kNoNumber) return;
  nesting_.stack_at(slice, time, own_);
  const uint32_t thread = trace_.slices[slice].thread;
  if (main_threads_[thread] != thread && !runs_for_itself(own_)) {
    const uint32_t waiting = nesting_.innermost(main_threads_[thread], time);
    if (waiting != kNoNumber) nesting_.stack_at(waiting, time, slices_);
    add_slices(slices_, 0, false);
    add(kAutograd);
  }
  const auto backward = std::find_if(own_.begin(), own_.end(), [&](uint32_t one) {
    return backward_.forward_of(one) != kNoNumber;
  });
  const size_t before = static_cast<size_t>(backward - own_.begin());
  slices_.insert(slices_.end(), own_.begin(), backward);
  add_slices(slices_, slices_.size() - before, false);
  if (backward == own_.end()) return;
  add_forward(backward_.forward_of(*backward));
  slices_.insert(slices_.end(), backward, own_.end());
  add_slices(slices_, slices_.size() - (own_.size() - before), false);
}

// Python's threads begin in threading.py's _bootstrap().
bool HostStacks::runs_for_itself(const std::vector<uint32_t>& own) const {
  for (const uint32_t one : own) {
    if (!is_python(trace_.slices[one])) continue;
    const std::string_view text = stacks_.text(trace_.slices[one].frame);
    return text.starts_with("py::_bootstrap") && text.find("threading.py") != text.npos;
  }
  return false;
}

void HostStacks::add_slices(const std::vector<uint32_t>& slices, size_t begin, bool forward) {
  for (size_t i = begin; i < slices.size(); ++i) {
    const Slice& slice = trace_.slices[slices[i]];
    has_python_ |= is_python(slice);
    if (slice.collective != kNoNumber && !forward) collective_ = slice.collective;
    const RangeUse use = use_of(slice);
    // the forward pass may be of another step, which is nobody's root
    if (use == RangeUse::root && !forward &&
        (root_ranges_.empty() || root_ranges_.back() != slice.frame))
      root_ranges_.push_back(slice.frame);
    if (use != RangeUse::frame) continue;
    frames_.push_back({slice.frame, forward ? Kind::forward : slice.kind});
  }
}

void HostStacks::add_forward(uint32_t slice) {
  other_.clear();
  nesting_.stack_at(slice, trace_.slices[slice].start, other_);
  const auto parting = std::mismatch(slices_.begin(), slices_.end(), other_.begin(), other_.end());
  add_slices(other_, static_cast<size_t>(parting.second - other_.begin()), true);
  frames_.push_back({stacks_.frame(kBackward), Kind::forward});
}

RangeUse HostStacks::use_of(const Slice& slice) {
  if (slice.kind != Kind::range) return RangeUse::frame;
  if (uses_.size() <= slice.frame) uses_.resize(slice.frame + 1, RangeUse::unknown);
  RangeUse& use = uses_[slice.frame];
  if (use == RangeUse::unknown) {
    std::string_view name = stacks_.text(slice.frame);
    name.remove_suffix(std::min(name.size(), std::string_view("_[r]").size()));
    const bool step = is_step(name);
    use = (settings_.by_step && step) || matches_any(settings_.root_ranges, name) ? RangeUse::root
          : step                                                                  ? RangeUse::hidden
                                                                                  : RangeUse::frame;
  }
  return use;
}

uint32_t HostStacks::append_to(uint32_t stack) {
  const auto rank = [&](const Frame& frame) {
    return settings_.ranks[static_cast<size_t>(frame.kind)];
  };
  if (settings_.regroups)
    std::stable_sort(frames_.begin(), frames_.end(),
                     [&](const Frame& a, const Frame& b) { return rank(a) < rank(b); });
  for (const Frame& frame : frames_)
    if (rank(frame) != TraceSettings::kHidden) stack = stacks_.child(stack, frame.frame);
  return stack;
}

}  // namespace aiflame::trace
