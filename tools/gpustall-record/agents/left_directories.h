// SPDX-License-Identifier: MIT
// The directories that recorders listen in, and that killed recorders have left:
//
//   /tmp/aiflame-0CVsDE/agents    the socket
//   /tmp/aiflame-0CVsDE/missed    locked by its recorder for as long as that lives
#pragma once

#include "plugins/abi/agent_channel.h"

namespace aiflame::record {

inline constexpr const char* kListenPrefix = "aiflame-";
// What the socket is called until somebody listens at it.
inline constexpr const char* kUnfinishedSocket = "coming";
// All that a recorder makes in its directory.
inline constexpr const char* kListenFiles[] = {AGENT_SOCKET_NAME, AGENT_MISSED_NAME,
                                               kUnfinishedSocket};

// Marks the directory of the open file `missed` as one whose recorder lives.
void hold_directory(int missed);

// Removes the directories of this user in `parent` whose recorders are gone. What cannot be removed
// is left: it is in nobody's way.
void remove_left_directories(const char* parent);

}  // namespace aiflame::record
