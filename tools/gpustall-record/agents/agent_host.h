// SPDX-License-Identifier: MIT
// The recorder's side of plugins/abi/agent_channel.h: admits agents and reads their rings,
// which may be hostile input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/agents/agent_ring.h"
#include "tools/gpustall-record/agents/agent_sockets.h"
#include "tools/gpustall-record/agents/object_inbox.h"
#include "tools/gpustall-record/agents/turned_away.h"

namespace aiflame::record {

class AgentHost {
 public:
  // Takes agents from here on: of this process's descendants, or, with a directory to listen in, of
  // all who know its secret; with `only` those of that process and of its descendants. `told` as
  // for AgentSockets. Throws Error.
  explicit AgentHost(std::shared_ptr<const ListenDirectory> listen = nullptr, uint32_t only = 0,
                     const std::string& told = {});
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  // The value of AIFLAME_AGENT for the recorded command, and the descriptor that the command must
  // inherit.
  const std::string& address() const { return sockets_.address(); }
  int descriptor() const { return sockets_.descriptor(); }

  // Takes new agents and reports all records in the rings. True when a ring is filling up, or many
  // agents are coming: the next call should come soon.
  bool drain(AgentListener& listener);
  // Asks the agents for the records that they hold back. False when none does.
  [[nodiscard]] bool ask_for_rest();
  // Whether an agent has not given them yet.
  bool is_rest_missing() const;
  // Lets the agents know that the recording ends; later ones cannot connect. A last drain() still
  // reports what they have written.
  void end();
  // How many programs have connected an agent so far.
  uint64_t connected() const { return connected_; }
  // Those that are not in the recording; complete after end().
  const TurnedAway& turned_away() const { return turned_away_; }

 private:
  [[nodiscard]] bool take_arrival(const Arrival& arrival);
  std::optional<TurnedAway::Why> refusal(const Arrival& arrival) const;
  bool is_wanted(const Arrival& arrival) const;
  std::optional<TurnedAway::Why> accept_ring(uint32_t pid, const Arrival& arrival);
  size_t receive(size_t most);
  void connect_new_rings(AgentListener& listener);
  uint64_t drain_ring(AgentRing& ring, AgentListener& listener);
  ObjectContent take_object(uint32_t pid, uint64_t id);

  const bool listens_;   // to programs that this process did not start
  const uint32_t only_;  // the one process that is recorded; 0 = all
  AgentSockets sockets_;
  size_t max_rings_;
  TurnedAway turned_away_;
  uint64_t connected_ = 0;
  std::vector<std::unique_ptr<AgentRing>> rings_;
  std::vector<std::unique_ptr<AgentRing>> new_rings_;  // accepted, and not reported yet
  ObjectInbox inbox_;
};

}  // namespace aiflame::record
