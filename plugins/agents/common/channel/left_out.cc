/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/left_out.h"

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/loader.h"

namespace aiflame::agent {

Text text_around(const void* address) {
  LoadedObject object;
  if (!find_loaded_object(reinterpret_cast<uint64_t>(address), object)) return {};
  return Text{object.begin, object.end};
}

void leave_out(const void* address) {
  const Text text = text_around(address);
  const int count = left_out_count.load(std::memory_order_relaxed);
  if (text.start == 0 || count == kMaxLeftOut) return;
  for (int i = 0; i < count; ++i)
    if (left_out[i].start == text.start) return;
  left_out[count] = text;
  left_out_count.store(count + 1, std::memory_order_release);
}

}  // namespace aiflame::agent
