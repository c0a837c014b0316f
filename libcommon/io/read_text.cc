// SPDX-License-Identifier: MIT
#include "libcommon/io/read_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/io/holes.h"

namespace aiflame {

std::string read_text(const std::string& path, size_t limit) {
  // O_NONBLOCK: a FIFO of that name must not block us
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return "";
  std::string text;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && !is_mostly_hole(fd)) {
    // /proc/kallsyms reports no size and returns a page at a time, so the buffer starts large and
    // keeps its size between reads. For a file with a size, it has one byte more, so that read()
    // reports the end.
    size_t size = 0;
    const auto known = static_cast<size_t>(status.st_size);
    text.resize(std::min(limit, known > 0 ? known + 1 : size_t{1} << 20));
    while (size < text.size()) {
      const ssize_t n = ::read(fd, text.data() + size, text.size() - size);
      if (n <= 0) break;
      size += static_cast<size_t>(n);
      if (size == text.size()) text.resize(std::min(limit, 2 * size));
    }
    text.resize(size);
  }
  ::close(fd);
  return text;
}

}  // namespace aiflame
