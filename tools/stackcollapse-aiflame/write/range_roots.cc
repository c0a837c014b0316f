// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/range_roots.h"

#include <algorithm>
#include <string_view>

#include "libcommon/folded/folded.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame::collapse {
namespace {

// PyTorch's operators are ranges of NVTX, too.
bool is_range_frame(std::string_view text) {
  return text.ends_with("_[r]") || text.ends_with("_[o]");
}

// The host's stack at the launch ends here. Frames of the device follow, or those of a capture,
// which is older.
bool ends_launch(std::string_view text) {
  return text == "-" || text == "[cuda graph]" || text == "[command list]";
}

}  // namespace

RangeRoots::RangeRoots(TextTable& texts, const RangeChoice& choice)
    : texts_(texts), choice_(choice), outside_(texts.number(folded_text(choice.outside()))) {}

RangeRoots::Part RangeRoots::part_of(std::string_view text) const {
  if (ends_launch(text)) return Part::end;
  if (!is_range_frame(text)) return Part::other;
  return choice_.matches(without_annotation(text)) ? Part::wanted : Part::range;
}

RangeRoots::Part RangeRoots::look_at(uint32_t frame) {
  const auto [at, is_new] = known_.try_emplace(frame);
  if (is_new) at->second.part = part_of(texts_.text(frame));
  ++at->second.stacks;
  return at->second.part;
}

void RangeRoots::add(std::vector<uint32_t>& line, size_t begin) {
  if (!choice_.is_set()) return;
  const auto first = line.begin() + static_cast<ptrdiff_t>(begin);
  Part part = Part::other;
  const auto found = std::find_if(first, line.end(), [&](uint32_t frame) {
    part = look_at(frame);
    return part == Part::wanted || part == Part::end;
  });
  if (found == line.end() || part == Part::end) {
    line.insert(first, outside_);
    return;
  }
  const std::string_view text = without_annotation(texts_.text(*found));
  if (!numbered_range(text).number) has_unnumbered_ = true;
  std::rotate(first, found, found + 1);
  *first = texts_.number(instance_frame(text, std::nullopt));
}

void RangeRoots::require() const {
  RangeNames names;
  for (const auto& [frame, known] : known_)
    if (known.part == Part::range || known.part == Part::wanted)
      names.add(without_annotation(texts_.text(frame)), known.part == Part::wanted, known.stacks);
  names.require(choice_);
}

}  // namespace aiflame::collapse
