/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/delivery.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/process/descriptor_message.h"
#include "plugins/agents/common/channel/awaited_recorder.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/old_calls.h"

namespace aiflame::agent {
namespace {

enum class Delivery { sent, full, absent };

// Between two attempts. The recorder reads every 20 ms, and every 5 ms when much arrives.
constexpr timespec kPause{0, 2000000};

// Whether the recorder is at the other end of a socket. It is not when it was killed and another
// user has put a socket in its place. It may see what this program does if it is root or of the
// same user: the program may have been started by su(1) below another user's recorder.
bool leads_to(const RecorderAddress& to, int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  if (peer.uid != to.uid && peer.uid != uid_seen_here(to.uid)) return false;
  return to.uid == 0 || peer.uid == 0 || peer.uid == geteuid();
}

// The path of a file in the recorder's directory; `name` begins with a '/'.
template <size_t kName, size_t kPath>
void put_path(const RecorderAddress& to, const char (&name)[kName], char (&path)[kPath]) {
  static_assert(kPath >= sizeof to.directory - 1 + kName);
  const size_t length = strnlen(to.directory, sizeof to.directory - 1);
  std::memcpy(path, to.directory, length);
  std::memcpy(path + length, name, kName);
}

// What is sent; `second_fd` -1 = none.
struct Message {
  const void* what;
  size_t bytes;
  int passed_fd, second_fd;
};

bool send_once(int socket, const Message& one) {
  if (one.second_fd < 0)
    return send_with_descriptors(socket, one.what, one.bytes, {one.passed_fd}, MSG_DONTWAIT);
  return send_with_descriptors(socket, one.what, one.bytes, {one.passed_fd, one.second_fd},
                               MSG_DONTWAIT);
}

Delivery send_over(int socket, const Message& message) {
  if (send_once(socket, message)) return Delivery::sent;
  // ETOOMANYREFS: the user has more descriptors under way than a process may have open
  const bool is_full = errno == EAGAIN || errno == ETOOMANYREFS || errno == ENOBUFS ||
                       errno == ENOMEM || errno == EINTR;
  return is_full ? Delivery::full : Delivery::absent;
}

// The program may have closed the descriptor, and opened a file of its own under the number.
Delivery send_inherited(const RecorderAddress& to, const Message& message) {
  struct stat status {};
  if (status_of(to.descriptor, status) != 0 || !S_ISSOCK(status.st_mode) ||
      status.st_ino != to.inode || !leads_to(to, to.descriptor))
    return Delivery::absent;
  return send_over(to.descriptor, message);
}

Delivery send_connected(const RecorderAddress& to, const Message& message) {
  if (to.directory[0] == '\0') return Delivery::absent;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  put_path(to, "/" AGENT_SOCKET_NAME, address.sun_path);
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection < 0) return Delivery::absent;
  Delivery how = Delivery::absent;
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    how = errno == EAGAIN || errno == EINTR ? Delivery::full : Delivery::absent;
  else if (leads_to(to, connection))
    how = send_over(connection, message);
  close(connection);
  return how;
}

}  // namespace

bool find_socket(const RecorderAddress& of, SocketIdentity& out) {
  char path[sizeof of.directory + sizeof "/" AGENT_SOCKET_NAME];
  put_path(of, "/" AGENT_SOCKET_NAME, path);
  const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status {};
  const bool is_socket = status_of(fd, status) == 0 && S_ISSOCK(status.st_mode);
  close(fd);
  out = {status.st_dev, status.st_ino,
         static_cast<uint64_t>(status.st_ctim.tv_sec) * 1000000000u +
             static_cast<uint64_t>(status.st_ctim.tv_nsec)};
  return is_socket;
}

bool deliver(const RecorderAddress& to, const void* what, size_t bytes, int passed_fd,
             uint64_t wait_ns, uint32_t magic, int second_fd) {
  const Message message{what, bytes, passed_fd, second_fd};
  const uint64_t begin = monotonic_ns();
  for (;;) {
    const Delivery first = send_inherited(to, message);
    if (first == Delivery::sent) return true;
    const Delivery second = send_connected(to, message);
    if (second == Delivery::sent) return true;
    // a recorder that has gone takes nothing, and counts nothing
    if (first == Delivery::absent && second == Delivery::absent) return false;
    if (monotonic_ns() - begin >= wait_ns) break;
    nanosleep(&kPause, nullptr);
  }
  report_missed(to, magic);
  return false;
}

void report_missed(const RecorderAddress& to, uint32_t magic) {
  if (to.directory[0] == '\0') return;
  char path[sizeof to.directory + sizeof "/" AGENT_MISSED_NAME];
  put_path(to, "/" AGENT_MISSED_NAME, path);
  const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  struct stat status {};
  // somebody else's file, or a link to one, may lie there after the recorder was killed
  if (status_of(fd, status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
      (status.st_uid == to.uid || status.st_uid == uid_seen_here(to.uid))) {
    agent_missed missed{magic, static_cast<uint32_t>(getpid()), {}};
    prctl(PR_GET_NAME, missed.comm);
    [[maybe_unused]] const ssize_t written = write(fd, &missed, sizeof missed);
  }
  close(fd);
}

}  // namespace aiflame::agent
