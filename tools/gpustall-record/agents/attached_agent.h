// SPDX-License-Identifier: MIT
// The agent of a process that runs already: it may have been started with the variables of
// --print-env, and its agent then comes to a recorder that listens in the directory they name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aiflame::record {

struct CaptureOptions;
class ListenDirectory;

struct AttachedAgent {
  std::string directory;  // in which it looks for recorders, as this process reaches it; "" = none
  // The same, open, where another process has named it: by name it could become another one.
  std::shared_ptr<const ListenDirectory> opened = {};
  std::string address = {};             // what the process was told: AIFLAME_AGENT
  std::vector<std::string> files = {};  // of its agents: "opencl-agent.so"
  std::string sample_request = {};      // AIFLAME_SAMPLE, "" = it takes no samples
  bool tells_memory = false;            // AIFLAME_MEMORY: its agents report memory
};
// Nothing when the process has no agent that looks for recorders. The process may lie: what it was
// told is to be compared with what is in the directory, which is never made. Throws Error when the
// directory cannot be used.
AttachedAgent attached_agent(uint32_t pid);

// Where to listen for agents that are not the command's: the user says it, or the process that is
// recorded has been told. Throws Error when an agent is asked for and the process has none.
AttachedAgent agents_of_others(const CaptureOptions& options);

// Whether the process has loaded CPython, as far as that can be seen.
bool runs_python(uint32_t pid);

}  // namespace aiflame::record
