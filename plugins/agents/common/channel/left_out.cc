/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/left_out.h"

#include <dlfcn.h>

#include "plugins/agents/common/channel.h"

namespace aiflame::agent {

Text text_around(const void* address) {
  dl_find_object object;
  if (_dl_find_object(const_cast<void*>(address), &object) != 0) return {};
  return Text{reinterpret_cast<uint64_t>(object.dlfo_map_start),
              reinterpret_cast<uint64_t>(object.dlfo_map_end)};
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
