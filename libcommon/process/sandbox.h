// SPDX-License-Identifier: MIT
// The least rights. A program that reads untrusted input gives up what it does not need, so that an
// input that takes the program over gets little: it cannot write or change files, reach the
// network, start programs, or trace and signal other processes.
//
// Whatever the kernel offers is used: seccomp for system calls, Landlock for files. A kernel
// without one of them, or a container that forbids it, is no error. Built with a sanitizer, which
// makes calls of its own, programs keep all rights.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aiflame {

// The help of the option --no-sandbox, which every program has.
inline constexpr const char* kNoSandboxHelp =
    "keep all rights; else this program gives up those that it does not need, such as writing "
    "files";

// What remains, besides computing, threads, and files that are open.
struct Rights {
  // The files that may be opened for reading; nothing = all that the user may read. Without
  // Landlock it is all.
  std::optional<std::vector<std::string>> files;
  std::string tree = {};  // a directory whose files may be opened too, however deep
  // A directory in which files may be made and written. Without Landlock they may be anywhere.
  std::string written = {};
  bool temporary_files = false;  // nameless ones in /tmp
  bool libraries = false;        // may load them
  bool children = false;         // may fork, and give up more rights in the child
  bool programs = false;  // may execute them, with these rights; they may be scripts, and fork
  bool messages = false;  // may use sockets that are open
};

// Applies to this thread and to those that it starts, so it is called before there are others.
void drop_rights(const Rights& rights);

// Becomes the user nobody, where this process is root's and its user namespace has that user. The
// remaining rights are then those of nobody.
void become_nobody();

// Whether drop_rights() was called. Children then drop their rights too.
bool rights_dropped();

}  // namespace aiflame
