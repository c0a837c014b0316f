// SPDX-License-Identifier: MIT
// The recorder's side of plugins/abi/agent_channel.h: listens for agents and reads their rings as
// the hostile input that they may be.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/capture/agent_records.h"

namespace aiflame::record {

class AgentHost {
 public:
  // Throws Error.
  AgentHost();
  ~AgentHost();
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  // The value of AIFLAME_AGENT.
  const std::string& address() const { return address_; }

  // Takes new agents and all that is in the rings. True when a ring was filling up: come again
  // soon.
  bool drain(AgentListener& listener);
  // Tells the agents that the recording ends; those that come later find nobody. What they have
  // written is still to be drained.
  void end();
  // Processes that had an agent so far.
  uint64_t connected() const { return connected_; }

 private:
  struct Ring;
  struct Objects;
  void accept_all();
  void accept_ring(uint32_t pid, const agent_hello& hello, int fd);
  std::string take_object(uint32_t pid, uint64_t id);

  std::string address_;
  int listener_ = -1;
  uint64_t connected_ = 0;
  std::vector<std::unique_ptr<Ring>> rings_, new_rings_;
  std::unique_ptr<Objects> objects_;
};

}  // namespace aiflame::record
