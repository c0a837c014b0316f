// SPDX-License-Identifier: MIT
#include "libcommon/import/wanted_ranges.h"

#include "libcommon/folded/folded.h"

namespace aiflame {

bool WantedRanges::count(uint32_t frame) {
  const auto [at, is_new] = names_.try_emplace(frame);
  if (is_new) at->second.is_wanted = choice_.matches(without_annotation(stacks_.text(frame)));
  ++at->second.instances;
  return at->second.is_wanted;
}

void WantedRanges::finish() const {
  for (const auto& [frame, name] : names_)
    stacks_.ranges.add(without_annotation(stacks_.text(frame)), name.is_wanted, name.instances);
}

}  // namespace aiflame
