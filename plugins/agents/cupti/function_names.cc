/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/function_names.h"

#include <algorithm>
#include <cstring>

#include "plugins/agents/common/hash.h"

namespace aiflame::agent::cupti {

// The slot of the name, or a free one for it: there always is one.
size_t FunctionNames::slot_of(const char* name) const {
  size_t slot = mix(0, reinterpret_cast<uintptr_t>(name)) % kSlots;
  while (held_[slot] != nullptr && held_[slot] != name) slot = (slot + 1) % kSlots;
  return slot;
}

void FunctionNames::take(char** names, size_t count) {
  if (are_ == Are::shared) return;
  std::sort(names, names + count);
  char** const end = std::unique(names, names + count);
  if (are_ == Are::copies) {
    for (char** name = names; name < end; ++name) release_(*name);
    return;
  }
  // checks all names of this read before it adds any, as within one read copies are shared too
  for (char** name = names; name < end; ++name) {
    if (held_[slot_of(*name)] == nullptr) continue;
    are_ = Are::shared;
    return;
  }
  for (char** name = names; name < end && are_ == Are::not_known; ++name) {
    held_[slot_of(*name)] = *name;
    if (++count_ < kHeld) continue;
    decide();
    if (are_ == Are::copies) std::for_each(name + 1, end, release_);
  }
}

void FunctionNames::decide() {
  // sorts in place, because the table is not searched any more
  size_t texts = 0;
  const auto held_end = std::remove(held_, held_ + kSlots, nullptr);
  std::sort(held_, held_end, [](const char* a, const char* b) { return std::strcmp(a, b) < 0; });
  for (char** name = held_; name < held_end; ++name)
    if (name == held_ || std::strcmp(name[-1], *name) != 0) ++texts;
  are_ = texts * kCopiesOfEach <= kHeld ? Are::copies : Are::shared;
  if (are_ == Are::copies) std::for_each(held_, held_end, release_);
}

}  // namespace aiflame::agent::cupti
