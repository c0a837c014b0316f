// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/flame_tree.h"

#include <algorithm>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"

namespace aiflame::svg {

void FlameTree::show_vanished() {
  if (!differential_) return;
  uint64_t most = total(kRoot);
  if (!add_checked(most, total_before(kRoot)))
    throw Error("both counts together are too large for 64 bits; --vanished=hide draws the second");
  rooms_ = CountArray(most);
  rooms_.extend(size());
  // a node's descendants have greater numbers
  for (uint32_t node = size(); node-- > 0;) {
    uint64_t room = std::max(self(node), self_before(node));
    for (const uint32_t child : children(node)) room += rooms_[child];
    rooms_.set(node, room);
  }
}

}  // namespace aiflame::svg
