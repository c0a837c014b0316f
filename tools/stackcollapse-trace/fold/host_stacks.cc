// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/host_stacks.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/import/compiled_frames.h"
#include "libcommon/text/globs.h"
#include "tools/stackcollapse-trace/join/main_threads.h"
#include "tools/stackcollapse-trace/keep/step_name.h"

namespace aiflame::trace {
namespace {

constexpr std::string_view kAutograd = "[autograd thread]";

// The frames of the compiler in a stack that ends in compiled code. `forward`: in the one that
// calls its forward pass.
class CompilerSpan {
 public:
  CompilerSpan(const Trace& trace, const std::vector<uint32_t>& slices, size_t begin, bool forward)
      : trace_(trace), slices_(slices) {
    for (size_t i = begin; i < slices.size(); ++i) {
      const CompilerPart part = trace.slices[slices[i]].part;
      if (part == CompilerPart::compiling) {
        first_ = after_code_ = SIZE_MAX;
        return;
      }
      if (part != CompilerPart::compiler && part != CompilerPart::code) continue;
      if (first_ == SIZE_MAX) first_ = i;
      last_ = i;
      if (part == CompilerPart::code) after_code_ = i + 1;
    }
    const bool calls_code = forward && slices.size() > begin &&
                            trace.slices[slices.back()].part == CompilerPart::compiler;
    if (after_code_ == SIZE_MAX && !calls_code) first_ = SIZE_MAX;
  }

  // The place behind the innermost call of compiled code; SIZE_MAX: there is none.
  size_t after_code() const { return after_code_; }
  // Whether a frame tells nothing but how compiled code is called.
  bool folds(size_t place) const {
    if (first_ == SIZE_MAX || place < first_) return false;
    const Slice& slice = trace_.slices[slices_[place]];
    if (slice.part == CompilerPart::pytorch)
      return place < last_ || (after_code_ != SIZE_MAX && is_python(slice));
    return slice.part != CompilerPart::none;
  }

 private:
  const Trace& trace_;
  const std::vector<uint32_t>& slices_;
  size_t first_ = SIZE_MAX, last_ = 0, after_code_ = SIZE_MAX;
};

}  // namespace

HostStacks::HostStacks(Trace& trace, const Nesting& nesting, CompiledCalls& compiled,
                       const TraceSettings& settings, ImportedStacks& stacks)
    : trace_(trace),
      nesting_(nesting),
      settings_(settings),
      stacks_(stacks),
      compiled_(compiled),
      compiled_stacks_(stacks, settings.import.names),
      backward_(trace, nesting),
      main_threads_(find_main_threads(trace, nesting)),
      instances_(trace, settings, stacks) {}

void HostStacks::set(uint32_t slice, int64_t time, uint32_t model_stacks) {
  frames_.clear();
  slices_.clear();
  own_.clear();
  root_ranges_.clear();
  collective_ = kNoNumber;
  model_stacks_ = model_stacks;
  has_python_ = is_compiled_ = has_model_lines_ = false;
  is_truncated_ = false;
  if (slice == kNoNumber) return;
  nesting_.stack_at(slice, time, own_);
  const uint32_t thread = trace_.slices[slice].thread;
  if (main_threads_[thread] != thread && !runs_for_itself(own_)) {
    const uint32_t waiting = nesting_.innermost(main_threads_[thread], time);
    if (waiting != kNoNumber) nesting_.stack_at(waiting, time, slices_);
    add_slices(slices_, 0, false);
    frames_.push_back({stacks_.frame(kAutograd), Kind::plain});
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
  const CompilerSpan compiler(trace_, slices, begin, forward);
  for (size_t i = begin; i < slices.size(); ++i) {
    const Slice& slice = trace_.slices[slices[i]];
    if (i == compiler.after_code() && !forward) add_compiled(slices, i - 1);
    if (slice.truncated) {
      is_truncated_ = true;
      frames_.push_back({stacks_.frame(kTruncated), forward ? Kind::forward : slice.kind});
    }
    has_python_ |= is_python(slice);
    if (slice.collective != kNoNumber && !forward) collective_ = slice.collective;
    const RangeUse use = use_of(slice);
    // the forward pass may be of another step, which is nobody's root
    std::vector<uint32_t>& ranges = root_ranges_.ranges;
    if (use == RangeUse::root && !forward && (ranges.empty() || ranges.back() != slice.frame))
      ranges.push_back(slice.frame);
    if (!forward && root_ranges_.instance == kNoNumber) {
      root_ranges_.instance = instances_.frame_of(slices[i]);
      if (root_ranges_.instance != kNoNumber) continue;
    }
    if (use != RangeUse::frame || (!settings_.compiler_frames && compiler.folds(i))) continue;
    frames_.push_back({slice.frame, forward ? Kind::forward : slice.kind});
  }
  if (slices.size() == compiler.after_code() && !forward) add_compiled(slices, slices.size() - 1);
}

// What stands below the compiled code, which is slices[code].
void HostStacks::add_compiled(const std::vector<uint32_t>& slices, size_t code) {
  is_compiled_ = true;
  const CompiledChoice choice = compiled_.kernel_of(slices, code);
  const CompiledStacks::Frames& frames =
      choice.empty() && model_stacks_ != kNoNumber
          ? compiled_stacks_.of_text(model_stacks_, trace_.texts.text(model_stacks_))
          : compiled_stacks_.of(choice);
  has_model_lines_ = !frames.lines.empty();
  if (has_model_lines_) drop_compiled_function(frames.outermost);
  for (const uint32_t line : frames.lines) frames_.push_back({line, Kind::python});
  frames_.push_back({stacks_.frame(kCompiled), Kind::python});
  if (frames.fused != kNoNumber) frames_.push_back({frames.fused, Kind::op});
  if (frames.kernel != kNoNumber)
    frames_.push_back({frames.kernel, Kind::op});
  else if (is_cpp_kernel(trace_.slices[slices.back()], stacks_))
    frames_.push_back({stacks_.frame("[compiled kernel]"), Kind::op});
}

// The function that was compiled is the outermost of the model's lines: it is there twice.
void HostStacks::drop_compiled_function(const ModelLine& outermost) {
  const auto last = std::find_if(frames_.rbegin(), frames_.rend(), [&](const Frame& one) {
    return stacks_.text(one.frame).starts_with("py::");
  });
  if (last != frames_.rend() && is_function_of(stacks_.text(last->frame), outermost))
    frames_.erase(std::next(last).base());
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
    const bool step = is_step_frame(name);
    use = (settings_.by_step && step) || matches_any(settings_.root_ranges, name) ? RangeUse::root
          : step                                                                  ? RangeUse::hidden
                                                                                  : RangeUse::frame;
  }
  return use;
}

uint32_t HostStacks::append_compiled(uint32_t stack, CompiledChoice choice) {
  const CompiledStacks::Frames& frames = compiled_stacks_.of(choice);
  has_model_lines_ |= !frames.lines.empty();
  for (const uint32_t line : frames.lines) stack = stacks_.child(stack, line);
  return frames.fused == kNoNumber ? stack : stacks_.child(stack, frames.fused);
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
