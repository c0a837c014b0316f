// SPDX-License-Identifier: MIT
// What the agents of all processes report, one call for each record of plugins/abi/agent_channel.h.
// The launch probes report through the same interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/code/object_content.h"

namespace aiflame::record {

// Calls come in the order in which each agent wrote its records. `pid` is the number of the process
// in the recorder's pid namespace. Views are valid during the call only.
class AgentListener {
 public:
  virtual ~AgentListener() = default;
  // A new process, or a new program in a known process; not a second agent in the same program.
  virtual void on_connected(uint32_t pid) = 0;
  // The root directory of that program, a descriptor for the time of the call; -1 = unknown.
  virtual void on_root(uint32_t /*pid*/, int /*root*/) {}
  // The process uses `number` for the device at `place`; see agent_device.
  virtual void on_device(uint32_t pid, uint32_t number, std::string_view place) = 0;
  // An executable mapping; with `first`, all earlier mappings of the process are void.
  virtual void on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                      std::string_view path, bool first) = 0;
  // `pid` begins with the mappings of `parent`. Only probes report it: an agent in a forked process
  // reports its own mappings.
  virtual void on_fork(uint32_t /*parent*/, uint32_t /*pid*/) {}
  // A frame that has a name and no address.
  struct NamedFrame {
    std::string_view symbol, object;
  };
  struct Stack {
    uint64_t id = 0, kernel_address = 0;
    uint32_t tid = 0, device = 0;
    std::string_view comm, kernel;
    std::vector<NamedFrame> front;  // between the kernel and the frames, leaf first
    std::vector<uint64_t> frames;
    uint64_t object = 0;             // id of the kernel's code object; 0 = unknown
    std::vector<uint64_t> appended;  // the stack that put the kernel into a command list
    // AGENT_CUT, AGENT_NO_PYTHON, AGENT_OPERATION, AGENT_API_CALL, AGENT_ALLOCATION
    uint16_t flags = 0;
  };
  // The Python function that a frame with AGENT_TEXT_FRAME stands for; line 0 = unknown.
  virtual void on_text(uint32_t /*pid*/, uint64_t /*id*/, std::string_view /*function*/,
                       std::string_view /*file*/, uint32_t /*line*/) {}
  // The process has a Python interpreter whose frames the agent cannot walk.
  virtual void on_python(uint32_t /*pid*/, uint32_t /*version*/, bool /*has_no_gil*/) {}
  virtual void on_stack(uint32_t pid, const Stack& stack) = 0;
  // How large the launches are that name this size.
  virtual void on_size(uint32_t /*pid*/, const agent_size& /*size*/) {}
  virtual void on_launch(uint32_t pid, const agent_launch& launch) = 0;
  virtual void on_done(uint32_t pid, const agent_done& done) = 0;
  virtual void on_launches(uint32_t pid, const agent_launches& launches) = 0;
  // A call that waited has returned.
  virtual void on_call(uint32_t /*pid*/, const agent_call& /*call*/) {}
  // Device memory was allocated, and freed.
  virtual void on_allocated(uint32_t /*pid*/, const agent_allocated& /*allocated*/) {}
  virtual void on_freed(uint32_t /*pid*/, const agent_freed& /*freed*/) {}
  virtual void on_memory(uint32_t /*pid*/, uint32_t /*device*/, uint64_t /*bytes*/) {}
  // A code object; `content` is empty when its bytes did not arrive.
  virtual void on_load(uint32_t pid, const agent_code& code, const ObjectContent& content) = 0;
  virtual void on_unload(uint32_t pid, const agent_code& code) = 0;
  // `launches` UINT64_MAX = unknown.
  virtual void on_lost(uint32_t pid, uint64_t launches) = 0;
  virtual void on_lost_calls(uint32_t /*pid*/, uint64_t /*calls*/) {}
  // `count` of allocations and frees; UINT64_MAX = unknown.
  virtual void on_lost_memory(uint32_t /*pid*/, uint64_t /*count*/) {}
  // The process has ended, and its ring is read to the end.
  virtual void on_gone(uint32_t pid) = 0;

  // From agents that are the source of samples.
  virtual void on_sampling(uint32_t /*pid*/, uint32_t /*device*/, uint64_t /*period*/,
                           std::string_view /*unit*/, std::string_view /*name*/) {}
  virtual void on_reason(uint32_t /*pid*/, uint32_t /*number*/, std::string_view /*name*/) {}
  virtual void on_sample(uint32_t /*pid*/, const agent_sample& /*sample*/) {}
  // `count` UINT64_MAX = unknown.
  virtual void on_lost_samples(uint32_t /*pid*/, uint32_t /*device*/, uint64_t /*count*/) {}
  virtual void on_drained(uint32_t /*pid*/, uint64_t /*time*/) {}
  virtual void on_message(uint32_t /*pid*/, std::string_view /*text*/, bool /*is_hint*/) {}
};

}  // namespace aiflame::record
