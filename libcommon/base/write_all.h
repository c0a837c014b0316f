// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace aiflame {

// Writes all of `rest`, however many calls that takes. False with errno where one fails: `rest` is
// then what was not written.
[[nodiscard]] inline bool write_rest(int fd, std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n >= 0) {
      rest.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      // another process that shares the terminal or pipe has made it non-blocking
      pollfd room{fd, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

[[nodiscard]] inline bool write_all(int fd, std::string_view text) {
  return write_rest(fd, text);
}

}  // namespace aiflame
