/* SPDX-License-Identifier: MIT
 *
 * The sizes of launches are written once, under an id that is a hash of their content; launches
 * name that id. This keeps the ids that the recorder has.
 */
#pragma once

#include <atomic>
#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/hash.h"

namespace aiflame::agent {

// Direct-mapped, as known_stacks of stack_store.h.
constexpr unsigned kKnownSizeBits = 12;
inline std::atomic<uint64_t> known_sizes[1 << kKnownSizeBits];

// The id of a size; 0 when nothing of it is known. Two chains, as each step of one waits for the
// step before.
inline uint64_t size_id(const LaunchExtent& size) {
  const uint64_t group = size.group[0] | uint64_t{size.group[1]} << 32;
  const uint64_t rest = size.group[2] | uint64_t{size.local_bytes} << 32;
  if ((size.items[0] | group | rest) == 0) return 0;
  const uint64_t items = mix(mix(size.items[0], 1) + size.items[1], size.items[2]);
  const uint64_t id = mix(items + 1, mix(mix(group, 2), rest));
  return id != 0 ? id : 1;
}

[[gnu::noinline]] inline void write_size(agent_ring* to, const LaunchExtent& size, uint64_t id) {
  auto* record = reserve_record<agent_size>(to);
  if (record == nullptr) return;  // not marked as known, so its next launch writes it again
  record->id = id;
  for (int i = 0; i < 3; ++i) {
    record->items[i] = size.items[i];
    record->group[i] = size.group[i];
  }
  record->local_bytes = size.local_bytes;
  publish(&record->record, sizeof(agent_size), AGENT_SIZE, 0);
  mark_known(known_sizes[id >> (64 - kKnownSizeBits)], id, to);
}

// The id of a size; writes the size unless the recorder has it.
inline uint64_t report_size(agent_ring* to, const LaunchExtent& size) {
  const uint64_t id = size_id(size);
  const auto& known = known_sizes[id >> (64 - kKnownSizeBits)];
  if (id != 0 && !is_marked(known, id)) write_size(to, size, id);
  return id;
}

// A new recorder knows no sizes.
inline void forget_sizes() {
  forget_marks(known_sizes);
}

}  // namespace aiflame::agent
