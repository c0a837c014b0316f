// SPDX-License-Identifier: MIT
// The agent of a process that runs already: it may have been started with the variables of
// --print-env, and its agent then comes to a recorder that listens in the directory they name.
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::record {

struct AttachedAgent {
  std::string directory;  // in which it looks for recorders, as this process reaches it; "" = none
  std::string address;    // what the process was told: AIFLAME_AGENT
};
// Nothing when the process has no agent that looks for recorders. The process may lie: what it was
// told is to be compared with what is in the directory.
AttachedAgent attached_agent(uint32_t pid);

// Whether the process has loaded CPython, as far as that can be seen.
bool runs_python(uint32_t pid);

}  // namespace aiflame::record
