// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/replays.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::trace {
namespace {

constexpr std::pair<GraphAlignment::Quality, const char*> kWays[] = {
    {GraphAlignment::Quality::by_position, "by position and name"},
    {GraphAlignment::Quality::by_count, "by position alone"},
    {GraphAlignment::Quality::by_name, "by the order of each name"},
    {GraphAlignment::Quality::none, "whose capture is not known"}};

// Outermost first.
std::vector<uint32_t> frames_of(const ImportedStacks& stacks, uint32_t stack) {
  std::vector<uint32_t> out;
  for (; stack != ImportedStacks::kEmpty; stack = stacks.below(stack))
    out.push_back(stacks.frame_of(stack));
  std::reverse(out.begin(), out.end());
  return out;
}

// Whether a frame is another one with a line: py::main:serve.py:41 of py::main:serve.py
bool is_line_of(std::string_view with_line, std::string_view frame) {
  return with_line.size() > frame.size() + 1 && with_line.starts_with(frame) &&
         with_line[frame.size()] == ':' &&
         with_line.find_first_not_of("0123456789", frame.size() + 1) == std::string_view::npos;
}

struct Choice {
  const Capture* capture = nullptr;
  GraphAlignment alignment;
};

// Finds the capture that agrees best with a replay.
class Chooser {
 public:
  explicit Chooser(const std::vector<Capture>& captures) : captures_(captures) {
    for (const Capture& capture : captures) by_names_.try_emplace(capture.names, &capture);
  }

  Choice choose(const std::vector<uint32_t>& names) {
    if (const auto same = by_names_.find(names); same != by_names_.end())
      return {same->second, align_graph(names, names)};
    Choice out;
    for (const Capture& capture : captures_) {
      const size_t cost = names.size() + capture.names.size();
      if (cost > left_) break;
      left_ -= cost;
      GraphAlignment alignment = align_graph(names, capture.names);
      if (alignment.matched > out.alignment.matched) out = {&capture, std::move(alignment)};
    }
    return out;
  }

 private:
  const std::vector<Capture>& captures_;
  std::map<std::vector<uint32_t>, const Capture*> by_names_;
  // Names that are still compared, for a second or so. Only hostile traces have as many replays
  // that differ from each other and from all captures.
  size_t left_ = size_t{1} << 26;
};

}  // namespace

Replays::Replays(const Trace& trace, const GraphWorks& graphs, const std::vector<Capture>& captures,
                 const NodeFrames& nodes, ImportedStacks& stacks)
    : nodes_(nodes) {
  if (captures.empty()) return;
  stacks_.assign(trace.work.size(), kNoNumber);
  const uint32_t copy = copy_name(stacks);
  Chooser chooser(captures);
  std::map<std::vector<uint32_t>, Choice> known;  // replays of one graph are alike
  for (const auto& [launch, works] : graphs) {
    std::vector<uint32_t> names;
    names.reserve(works.size());
    for (const size_t work : works)
      names.push_back(trace.work[work].kernel ? trace.work[work].frame : copy);
    const auto [at, is_new] = known.try_emplace(std::move(names));
    if (is_new) at->second = chooser.choose(at->first);
    const auto& [capture, alignment] = at->second;
    ++replays_[static_cast<size_t>(alignment.quality)];
    kernels_ += works.size();
    matched_ += alignment.matched;
    if (capture == nullptr) continue;
    for (size_t i = 0; i < works.size(); ++i)
      if (alignment.launches[i] != kNoLaunch)
        stacks_[works[i]] = capture->stacks[alignment.launches[i]];
  }
}

uint32_t Replays::add_captured(uint32_t stack, size_t work, uint32_t replay,
                               ImportedStacks& stacks) const {
  if (const uint32_t captured = stack_of(work); captured != kNoNumber) {
    const std::vector<uint32_t> before = frames_of(stacks, replay);
    const std::vector<uint32_t> capture = frames_of(stacks, captured);
    auto parting = std::mismatch(before.begin(), before.end(), capture.begin(), capture.end(),
                                 [&](uint32_t a, uint32_t b) {
                                   return a == b || is_line_of(stacks.text(b), stacks.text(a));
                                 })
                       .second;
    for (; parting != capture.end(); ++parting) stack = stacks.child(stack, *parting);
  }
  return nodes_.with_mark(stack, work, stacks);
}

std::string Replays::line() const {
  size_t replays = 0;
  std::string ways;
  for (const auto& [quality, way] : kWays) {
    const size_t count = replays_[static_cast<size_t>(quality)];
    if (count > 0) ways += format("%s%zu %s", ways.empty() ? "" : ", ", count, way);
    replays += count;
  }
  if (replays == 0) return "";
  return format("%zu of %zu kernels of graphs stand on their captures; replays: %s", matched_,
                kernels_, ways.c_str());
}

}  // namespace aiflame::trace
