/* SPDX-License-Identifier: MIT
 *
 * The records of an agent that is the source of samples, and the devices that records number.
 */
#include <cstdint>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/loss.h"
#include "plugins/agents/common/channel/ring.h"

namespace aiflame::agent {

void report_device(uint32_t number, const char* place) {
  agent_ring* to = ring_to_write();
  auto* record = reserve_record<agent_device>(to);
  if (record == nullptr) return;
  record->number = number;
  std::strncpy(record->place, place, sizeof record->place - 1);
  publish(&record->record, sizeof *record, AGENT_DEVICE, 0);
}

void report_sampling(uint32_t device, uint64_t period, const char* unit, const char* name) {
  agent_ring* to = ring_to_write();
  auto* record = reserve_record<agent_sampling>(to);
  if (record == nullptr) return;
  record->device = device;
  record->period = period;
  std::strncpy(record->unit, unit, sizeof record->unit - 1);
  std::strncpy(record->name, name, sizeof record->name - 1);
  publish(&record->record, sizeof *record, AGENT_SAMPLING, 0);
}

bool report_reason(uint32_t number, const char* name) {
  agent_ring* to = ring_to_write();
  auto* record = reserve_record<agent_reason>(to);
  if (record == nullptr) return to == nullptr;
  record->number = number;
  std::strncpy(record->name, name, sizeof record->name - 1);
  publish(&record->record, sizeof *record, AGENT_REASON, 0);
  return true;
}

void report_sample(const Sample& sample) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  auto* record = reserve_record<agent_sample>(to);
  if (record == nullptr) {
    add_lost_samples(*to, sample.count);
    return;
  }
  record->address = sample.address;
  record->stack = sample.stack;
  record->device = sample.device;
  record->reason = sample.reason;
  record->count = sample.count;
  record->exposed = sample.exposed;
  publish(&record->record, sizeof *record, AGENT_SAMPLE, sample.flags);
}

void report_lost_samples(uint32_t device, uint64_t count) {
  if (count >= AGENT_MAX_LOST) count = UINT64_MAX;
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  auto* record = reserve_record<agent_lost>(to);
  if (record == nullptr) {
    add_lost_samples(*to, count == UINT64_MAX ? 1 : count);
    return;
  }
  record->device = device;
  record->count = count;
  publish(&record->record, sizeof *record, AGENT_LOST, 0);
}

void report_drained(uint64_t time) {
  agent_ring* to = ring_to_write();
  auto* record = reserve_record<agent_drained>(to);
  if (record == nullptr) return;
  record->time = time;
  publish(&record->record, sizeof *record, AGENT_DRAINED, 0);
}

void report_message(const char* text, bool is_hint) {
  agent_ring* to = ring_to_write();
  auto* record = reserve_record<agent_message>(to);
  if (record == nullptr) return;
  std::strncpy(record->text, text, sizeof record->text - 1);
  publish(&record->record, sizeof *record, AGENT_MESSAGE, is_hint ? AGENT_HINT : 0);
}

}  // namespace aiflame::agent
