// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/stack_labels.h"

#include <algorithm>

#include "libcommon/folded/folded.h"

namespace aiflame::exporter {

StackLabels::StackLabels(const std::vector<std::string>& keys) : keys_(keys) {}

// The frame's text from byte `cut` on, without an annotation.
uint32_t StackLabels::value_of(FrameTable& table, uint32_t frame, size_t cut) {
  return table.number(std::string(without_annotation(table.text(frame)).substr(cut)));
}

void StackLabels::take(FrameTable& table, Sample& sample) {
  sample.labels.clear();
  taken_.clear();
  if (keys_.empty()) return;
  roles_.clear();
  for (const uint32_t frame : sample.frames) roles_.push_back(table.role(frame));
  find_layers(roles_, layers_);
  const auto cpu_end = static_cast<size_t>(
      std::find(roles_.begin(), roles_.end(), FrameRole::boundary) - roles_.begin());
  for (uint32_t key = 0; key < keys_.size(); ++key) {
    size_t at = Layers::kNone, cut = 0;
    if (keys_[key] == "reason") {
      at = layers_.reason;
    } else if (keys_[key] == "mnemonic") {
      at = layers_.mnemonic;
    } else {
      const std::string begin = keys_[key] + " ";
      for (size_t i = 0; i < cpu_end && at == Layers::kNone; ++i)
        if (table.text(sample.frames[i]).starts_with(begin)) at = i;
      cut = begin.size();
    }
    if (at == Layers::kNone || taken_.size() + 1 == sample.frames.size()) continue;
    sample.labels.push_back({key, value_of(table, sample.frames[at], cut)});
    taken_.push_back(at);
  }
  std::sort(taken_.begin(), taken_.end());
  for (size_t i = taken_.size(); i-- > 0;)
    sample.frames.erase(sample.frames.begin() + static_cast<ptrdiff_t>(taken_[i]));
}

}  // namespace aiflame::exporter
