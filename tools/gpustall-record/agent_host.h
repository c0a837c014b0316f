// SPDX-License-Identifier: MIT
// The recorder's side of plugins/agent_channel.h: listens for agents and reads their rings as the
// hostile input that they may be.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/agent_channel.h"

namespace aiflame {

// What the agents of all processes say, in the order each said it. `pid` is as this process sees
// it.
class AgentListener {
 public:
  virtual ~AgentListener() = default;
  // A new process, or a new program in a known one; not another agent in a known program.
  virtual void on_connected(uint32_t pid) = 0;
  // What the process means by a device's number; see agent_device.
  virtual void on_device(uint32_t pid, uint32_t number, std::string_view place) = 0;
  virtual void on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                      std::string_view path, bool first) = 0;
  // `pid` begins with the mappings of `parent`. An agent tells of its own.
  virtual void on_fork(uint32_t /*parent*/, uint32_t /*pid*/) {}
  struct Stack {
    uint64_t id = 0, kernel_address = 0;
    uint32_t tid = 0, device = 0;
    std::string_view comm, kernel;
    std::vector<uint64_t> frames;
    uint64_t object = 0;             // that has the kernel; 0 = unknown
    std::vector<uint64_t> appended;  // where the kernel was put into a command list
    uint16_t flags = 0;              // AGENT_CUT, AGENT_NO_PYTHON
  };
  // What a stack's frame with AGENT_TEXT_FRAME stands for: a Python function; line 0 = unknown.
  virtual void on_text(uint32_t /*pid*/, uint64_t /*id*/, std::string_view /*function*/,
                       std::string_view /*file*/, uint32_t /*line*/) {}
  // The process has a Python whose frames are not walked.
  virtual void on_python(uint32_t /*pid*/, uint32_t /*version*/) {}
  virtual void on_stack(uint32_t pid, const Stack& stack) = 0;
  virtual void on_launch(uint32_t pid, const agent_launch& launch) = 0;
  virtual void on_done(uint32_t pid, const agent_done& done) = 0;
  virtual void on_launches(uint32_t pid, const agent_launches& launches) = 0;
  // A code object; `content` is empty when it did not come.
  virtual void on_load(uint32_t pid, const agent_code& code, const std::string& content) = 0;
  virtual void on_unload(uint32_t pid, const agent_code& code) = 0;
  virtual void on_lost(uint32_t pid, uint64_t launches) = 0;
  // The process has ended and its ring is read to the end.
  virtual void on_gone(uint32_t pid) = 0;
};

class AgentHost {
 public:
  // Throws Error.
  AgentHost();
  ~AgentHost();
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  // The value of AIFLAME_AGENT.
  const std::string& address() const { return address_; }
  int descriptor() const { return listener_; }

  // Takes new agents and all that is in the rings. True when a ring was filling up: come again
  // soon.
  bool drain(AgentListener& listener);
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

}  // namespace aiflame
