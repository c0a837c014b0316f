// SPDX-License-Identifier: MIT
// The directory of --listen, which programs that the recorder did not start are told of: it is
// private, outlives recordings, and holds the secret that such programs must know.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "libcommon/base/descriptor.h"
#include "plugins/abi/agent_channel.h"

namespace aiflame::record {

class ListenDirectory {
 public:
  // The longest that agents take: the path of a socket in it has few bytes.
  static constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - sizeof "/" AGENT_SOCKET_NAME;

  // Opens the directory, or makes it (mode 0700). Throws Error if it is another user's, or if
  // others may enter it.
  explicit ListenDirectory(const std::string& path);
  // Opens the directory below `root`, an open directory, and makes nothing. The path comes from
  // another process, so no part of it may be a link. Throws Error, as the other constructor.
  ListenDirectory(int root, const std::string& path);

  const std::string& path() const { return path_; }  // absolute
  // Whether this process finds the same directory under its path.
  bool is_at_path() const;
  // The path of a file in the directory that was opened, whatever has its name by now.
  std::string file(const char* name) const;
  // Throws Error when another recorder listens here. Held as long as this object.
  void keep_others_out() const;
  // The secret for programs that are told of this directory: of AIFLAME_AGENT if that names it,
  // else the one in the file `secret`, which the first call makes. Throws Error.
  void copy_secret(uint8_t (&out)[AGENT_SECRET_BYTES]) const;
  // Whether a process that has this AIFLAME_AGENT was told of this directory by its owner. Makes no
  // secret.
  bool was_told(const std::string& address) const;

 private:
  void check_path() const;
  void check_owner() const;
  void make_secret() const;
  [[nodiscard]] bool read_secret(uint8_t (&out)[AGENT_SECRET_BYTES]) const;

  std::string path_;
  Descriptor fd_;
};

// The value of AIFLAME_AGENT, see agent_channel.h. By default nothing is inherited: no socket has
// the inode number 0.
std::string agent_address(const uint8_t (&secret)[AGENT_SECRET_BYTES], const std::string& directory,
                          int descriptor = 0, ino_t inode = 0);
// For programs that are told of the directory.
std::string agent_address(const ListenDirectory& directory);

}  // namespace aiflame::record
