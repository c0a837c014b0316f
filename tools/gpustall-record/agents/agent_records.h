// SPDX-License-Identifier: MIT
// Checks a record that an agent wrote and reports it to the listener.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/agents/thread_numbers.h"

namespace aiflame::record {

// The process that wrote a record.
struct AgentRecordOrigin {
  uint32_t pid = 0;
  ThreadNumbers& threads;
  // Returns the code object that an AGENT_LOAD names.
  std::function<ObjectContent(uint64_t id)> take_object;
};

// Reports `record`, which has `bytes` bytes (at least sizeof(agent_record)), to `listener`. Returns
// false, and reports nothing, when a check fails. A record of an unknown type is skipped: it comes
// from a newer agent. `record` must not change meanwhile: pass a copy, not the shared memory.
[[nodiscard]] bool report_agent_record(const AgentRecordOrigin& from, AgentListener& listener,
                                       const char* record, uint32_t bytes);

}  // namespace aiflame::record
