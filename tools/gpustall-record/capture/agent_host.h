// SPDX-License-Identifier: MIT
// The recorder's side of plugins/abi/agent_channel.h: listens for agents and reads their rings,
// which may be hostile input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/capture/agent_listener.h"
#include "tools/gpustall-record/capture/agent_ring.h"
#include "tools/gpustall-record/capture/object_inbox.h"

namespace aiflame::record {

class AgentHost {
 public:
  // Listens from here on. Throws Error.
  AgentHost();
  ~AgentHost();
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  // The value of AIFLAME_AGENT for the recorded command.
  const std::string& address() const { return address_; }

  // Accepts new agents and reports all records in the rings. True when a ring is filling up: the
  // next call should come soon.
  bool drain(AgentListener& listener);
  // Lets the agents know that the recording ends; later ones cannot connect. A last drain() still
  // reports what they have written.
  void end();
  // How many programs have connected an agent so far.
  uint64_t connected() const { return connected_; }

 private:
  void accept_all();
  void accept_ring(uint32_t pid, const agent_hello& hello, int fd);
  void connect_new_rings(AgentListener& listener);
  uint64_t drain_ring(AgentRing& ring, AgentListener& listener);
  ObjectContent take_object(uint32_t pid, uint64_t id);

  std::string address_;
  int listener_ = -1;
  uint64_t connected_ = 0;
  std::vector<std::unique_ptr<AgentRing>> rings_;
  std::vector<std::unique_ptr<AgentRing>> new_rings_;  // accepted, and not reported yet
  ObjectInbox inbox_;
};

}  // namespace aiflame::record
