// SPDX-License-Identifier: MIT
#include "libcommon/io/holes.h"

#include <sys/stat.h>
#include <unistd.h>

namespace aiflame {
namespace {

// Copying a file can turn tables that are zero into holes.
constexpr off_t kFewHoles = off_t{16} << 20;
constexpr int kMaxHoles = 4096;  // are looked at; the rest of the file counts as data

}  // namespace

bool is_mostly_hole(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || status.st_size <= kFewHoles) return false;
  const off_t size = status.st_size;
  off_t holes = 0, at = 0;
  for (int i = 0; i < kMaxHoles && at < size; ++i) {
    const off_t hole = ::lseek(fd, at, SEEK_HOLE);
    if (hole < 0 || hole >= size) break;
    const off_t data = ::lseek(fd, hole, SEEK_DATA);
    at = data < 0 || data > size ? size : data;
    holes += at - hole;
  }
  ::lseek(fd, 0, SEEK_SET);
  return holes > kFewHoles && holes > size / 2;
}

}  // namespace aiflame
