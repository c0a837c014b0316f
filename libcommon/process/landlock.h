// SPDX-License-Identifier: MIT
// Landlock: which files a process may still use, whatever rights its user has.
#pragma once

#include <string>
#include <vector>

namespace aiflame {

struct FileLimits {
  bool reads_any = false;             // files may be opened for reading, and listed
  std::vector<std::string> readable;  // else these files alone
  std::string tree;                   // and those in this directory, however deep; "" = none
  std::string written;    // files may be made and written in this directory; "" = nowhere
  std::string spool;      // nameless files may be made in this directory; "" = nowhere
  bool executes = false;  // programs may be executed, and write to /dev/null
};

// Applies to this thread and to those that it starts. Files that are open stay usable. Nothing else
// of the file system can be opened, written or changed, no TCP port and no abstract socket
// connected, no process outside signalled, as far as this kernel's Landlock goes (version 1 has
// files alone; 4 adds TCP, 6 sockets and signals). False without Landlock.
[[nodiscard]] bool limit_files(const FileLimits& limits);

}  // namespace aiflame
