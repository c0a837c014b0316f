/* SPDX-License-Identifier: MIT
 *
 * Device memory: an allocation costs what a launch costs, the walk and 40 bytes in the ring, and a
 * free the bytes alone.
 */
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/launches.h"
#include "plugins/agents/common/channel/loss.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/clock.h"

namespace aiflame::agent {
namespace {

// As kCallName of launches.cc.
constexpr char kAllocationName[] = "[alloc]";

}  // namespace

void report_allocation(const Allocation& made) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  Launch call{};
  call.kernel_name = kAllocationName;
  call.kernel_name_bytes = sizeof kAllocationName - 1;
  call.api_function = made.api_function;
  call.front = made.front;
  call.front_bytes = made.front_bytes;
  call.device = made.device;
  call.stack_flags = AGENT_ALLOCATION;
  const uint64_t id = report_stack_here(to, call);
  auto* record = reserve_record<agent_allocated>(to);
  if (record == nullptr) return add_lost_memory(*to, 1);
  end_losses();
  record->id = id;
  record->time = monotonic_ns();
  record->address = made.address;
  record->bytes = made.bytes;
  publish(&record->record, sizeof *record, AGENT_ALLOCATED, 0);
}

void report_free(uint32_t device, uint64_t address, uint64_t bytes) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  auto* record = reserve_record<agent_freed>(to);
  if (record == nullptr) return add_lost_memory(*to, 1);
  end_losses();
  record->time = monotonic_ns();
  record->address = address;
  record->bytes = bytes;
  record->device = device;
  publish(&record->record, sizeof *record, AGENT_FREED, 0);
}

bool report_memory_size(uint32_t device, uint64_t bytes) {
  auto* record = reserve_record<agent_memory>(ring_to_write());
  if (record == nullptr) return false;
  record->bytes = bytes;
  record->device = device;
  publish(&record->record, sizeof *record, AGENT_MEMORY, 0);
  return true;
}

void count_lost_memory(uint64_t count) {
  if (agent_ring* to = ring_to_write(); to != nullptr) add_lost_memory(*to, count);
}

}  // namespace aiflame::agent
