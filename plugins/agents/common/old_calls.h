/* SPDX-License-Identifier: MIT
 *
 * System calls for which glibc has had a function of that name only since 2.27 (memfd_create) or
 * 2.33 (stat and fstat: before, they were inline functions of its headers).
 */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aiflame::agent {

inline int make_memfd(const char* name, unsigned flags) {
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
// On x86-64 and AArch64, the kernel's structure is that of glibc.
inline int status_of(int fd, struct stat& out) {
  return static_cast<int>(syscall(SYS_fstat, fd, &out));
}
inline int status_of(const char* path, struct stat& out) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, &out, 0));
}

}  // namespace aiflame::agent
