// SPDX-License-Identifier: MIT
// Messages over a Unix socket that bring open descriptors (SCM_RIGHTS). One call is one message, so
// the socket keeps the bounds of messages (SOCK_SEQPACKET).
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace aiflame {

// Sends `size` bytes with descriptors, of which the receiver gets copies. Whether all were sent;
// else errno says why. Never raises SIGPIPE.
template <size_t kCount>
[[nodiscard]] bool send_with_descriptors(int socket, const void* bytes, size_t size,
                                         const int (&files)[kCount], int flags = 0) {
  iovec part{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(rights), files, sizeof files);
  return sendmsg(socket, &message, MSG_NOSIGNAL | flags) == static_cast<ssize_t>(size);
}

// Receives one message from a sender that is trusted. The result is recvmsg(2)'s. `files` are those
// that came, close-on-exec, or all -1 when there were none, or not as many.
template <size_t kCount>
ssize_t receive_with_descriptors(int socket, void* bytes, size_t size, int (&files)[kCount]) {
  std::fill(files, files + kCount, -1);
  iovec part{bytes, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* const rights = received < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len == CMSG_LEN(sizeof files))
    std::memcpy(files, CMSG_DATA(rights), sizeof files);
  return received;
}

}  // namespace aiflame
