/* SPDX-License-Identifier: MIT
 *
 * Where the recorder is, and who: the value of AIFLAME_AGENT.
 */
#pragma once

#include <sys/un.h>

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// The fields are those that agent_channel.h lists.
struct RecorderAddress {
  uint8_t secret[AGENT_SECRET_BYTES];
  uint32_t uid;
  int descriptor;
  uint64_t inode;
  // leaves room for the names of the files in it
  char directory[sizeof(sockaddr_un::sun_path) - sizeof "/" AGENT_SOCKET_NAME + 1];
};

// Whether there is only the directory: the recorder is none that has started this program.
inline bool is_directory_alone(const RecorderAddress& address) {
  return address.inode == 0 && address.directory[0] != '\0';
}

// False when `text` is no address.
[[nodiscard]] bool parse_recorder_address(const char* text, RecorderAddress& out);

// The recorder's user as this process's user namespace shows it: a container without root may show
// user 1000 of outside as 0. Sees through one user namespace, which is what containers have.
uint32_t uid_seen_here(uint32_t uid);

}  // namespace aiflame::agent
