// SPDX-License-Identifier: MIT
// The ring of records that one agent shares with the recorder, from the reader's side. The agent
// can write to it at any time: agent_host.cc says what is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/agents/thread_numbers.h"

namespace aiflame::record {

class AgentRing {
 public:
  // `program` as in agent_hello.
  AgentRing(uint32_t pid, uint64_t program);
  ~AgentRing();
  AgentRing(const AgentRing&) = delete;
  AgentRing& operator=(const AgentRing&) = delete;

  // Maps the agent's memfd, whose data area has `capacity` bytes according to the agent. False when
  // a check fails. The caller keeps `fd`.
  [[nodiscard]] bool map(int fd, uint64_t capacity);

  // Keeps a copy of the descriptor of the program's root directory.
  void keep_root(int fd);
  int root() const { return root_; }  // -1 = not known
  void close_root();

  uint32_t pid() const { return pid_; }
  uint64_t program() const { return program_; }
  bool process_has_ended() const;
  // A record failed a check, so nothing more is read.
  bool is_broken() const { return is_broken_; }

  // Reports the records that are there, and the agent's counts of lost ones, to `listener`. Returns
  // the bytes read: at most two rings full, so that a process that writes without end cannot keep
  // the recorder from the other processes. `take_object`: see AgentRecordOrigin.
  uint64_t drain(AgentListener& listener,
                 const std::function<ObjectContent(uint64_t id)>& take_object);
  uint64_t capacity() const { return capacity_; }

  // Lets the agent know that the recording is about to end: it shall write what it holds back.
  void set_closing() const;
  // Whether the agent, of a process that lives, still has records to write.
  bool holds_back() const;
  // Lets the agent know that the recording has ended.
  void set_ended() const;

 private:
  agent_ring& header() const { return *reinterpret_cast<agent_ring*>(base_); }
  char* data() const { return base_ + AGENT_HEADER_BYTES; }
  void report_losses(AgentListener& listener);

  uint32_t pid_;
  uint64_t program_;
  int pidfd_ = -1, root_ = -1;
  ThreadNumbers threads_;
  char* base_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t tail_ = 0;  // bytes read so far
  uint64_t lost_launches_seen_ = 0, lost_samples_seen_ = 0, lost_calls_seen_ = 0,
           lost_memory_seen_ = 0;
  bool is_broken_ = false;
};

}  // namespace aiflame::record
