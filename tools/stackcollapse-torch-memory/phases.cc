// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/phases.h"

#include <algorithm>

namespace aiflame::torch_memory {
namespace {

// Genuine phases are a few deep.
constexpr size_t kDeepest = 64;

}  // namespace

Phases::Phases(const Snapshot& snapshot, uint64_t device, ImportedStacks& stacks) {
  std::vector<Annotation> all;
  for (const Annotation& one : snapshot.annotations)
    if (one.device == device) all.push_back(one);
  std::stable_sort(all.begin(), all.end(),
                   [](const Annotation& a, const Annotation& b) { return a.time < b.time; });
  std::vector<uint32_t> open;  // names, outermost first
  for (const Annotation& one : all) {
    if (one.begins) {
      if (open.size() < kDeepest) open.push_back(one.name);
    } else if (const auto at = std::find(open.rbegin(), open.rend(), one.name); at != open.rend()) {
      open.erase(std::next(at).base());
    }
    uint32_t stack = ImportedStacks::kEmpty;
    for (const uint32_t name : open)
      stack = stacks.child(stack, range_frame(snapshot.texts.text(name)));
    changes_.emplace_back(one.time, stack);
  }
}

// PyTorch names them by itself: Optimizer.step#AdamW.step
uint64_t Phases::step_before(const Snapshot& snapshot, uint64_t device, uint64_t time) {
  uint64_t out = 0;
  for (const Annotation& one : snapshot.annotations)
    if (one.device == device && !one.begins && one.time <= time &&
        snapshot.texts.text(one.name).starts_with("Optimizer.step"))
      out = std::max(out, one.time);
  return out;
}

uint32_t Phases::at(uint64_t time) const {
  const auto next =
      std::upper_bound(changes_.begin(), changes_.end(), time,
                       [](uint64_t t, const auto& change) { return t < change.first; });
  return next == changes_.begin() ? ImportedStacks::kEmpty : std::prev(next)->second;
}

}  // namespace aiflame::torch_memory
