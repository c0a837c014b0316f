// SPDX-License-Identifier: MIT
// Sees which processes of the command load a vendor's runtime, and whether an agent comes with it:
// for what the user is told when no agent reports.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpustall-record/agents/agent_doors.h"

namespace aiflame {
class EventRings;
}

namespace aiflame::record {

// What one process has loaded.
struct LoadedRuntime {
  const AgentRuntime* runtime = nullptr;
  uint32_t pid = 0;
  std::string comm;         // "" = not known, as it had ended
  std::string lacks;        // the variable that had not reached it; "" = none
  bool has_ended = false;   // too early to look at its variables
  bool has_agent = false;   // the agent was loaded too
  bool was_offered = true;  // the recorder had set the variable that loads the agent
};

// By perf's records of mappings, so nothing is missed between two looks, and no program is stopped
// or changed. It costs the command a little at each switch of threads, so whoever makes one
// destroys it when the first agent reports.
class RuntimeWatch {
 public:
  // Watches `command`, which has not been executed yet, and what it starts. It gets `environment`.
  RuntimeWatch(pid_t command, const std::string& plugin_directory, const Environment& environment);
  ~RuntimeWatch();
  RuntimeWatch(const RuntimeWatch&) = delete;
  RuntimeWatch& operator=(const RuntimeWatch&) = delete;

  // Takes what has happened since the last call.
  void drain();
  // By process; the first kMost.
  std::vector<LoadedRuntime> loaded() const;
  // Why not everything was seen; "" = everything was.
  const std::string& obstacle() const { return obstacle_; }

 private:
  static constexpr size_t kMost = 64;
  bool is_offered(const AgentRuntime& runtime) const;
  // Of a runtime's agents, the one that is preloaded where the recorder has set that.
  bool is_meant(const AgentRuntime& runtime) const;
  void take_mapping(uint32_t pid, std::string_view path);
  void complete(LoadedRuntime& one) const;

  const std::string plugin_directory_;
  const Environment environment_;
  std::unique_ptr<EventRings> events_;  // null when it may not watch
  std::string obstacle_;
  std::map<uint32_t, std::string> comms_;  // of programs, by pid
  std::map<std::pair<uint32_t, const AgentRuntime*>, LoadedRuntime> loaded_;
};

}  // namespace aiflame::record
