// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/shared_stacks.h"

#include <algorithm>

namespace aiflame::collapse {

uint32_t SharedStacks::stack(const std::vector<uint64_t>* launches, uint32_t root,
                             const StackOf& stack_of) {
  Shared nothing;
  nothing.has_root = false;
  Shared& shared = launches == nullptr ? nothing : known_[launches];
  if (launches != nullptr)
    for (; shared.compared < launches->size(); ++shared.compared)
      compare(stack_of((*launches)[shared.compared]), shared);
  std::vector<uint32_t> leaf_first(shared.frames.rbegin(), shared.frames.rend());
  leaf_first.insert(leaf_first.begin(), presumed_);
  return tables_.stacks.number(shared.has_root ? shared.root : root, leaf_first.data(),
                               leaf_first.size());
}

void SharedStacks::compare(uint32_t stack, Shared& with) const {
  std::vector<uint32_t> frames;
  tables_.stacks.each_frame(stack, [&](uint32_t frame) {
    if (frame != 0) frames.push_back(frame);
  });
  std::reverse(frames.begin(), frames.end());
  const uint32_t root = tables_.stacks.stack(stack).root;
  if (with.compared == 0) {
    with.root = root;
    with.frames = std::move(frames);
    return;
  }
  if (with.root != root) with.has_root = false;
  if (!with.has_root) with.frames.clear();
  const auto differs =
      std::mismatch(with.frames.begin(), with.frames.end(), frames.begin(), frames.end());
  with.frames.erase(differs.first, with.frames.end());
}

}  // namespace aiflame::collapse
