// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/agent_sockets.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "libcommon/base/secret.h"
#include "tools/gpustall-record/agents/left_directories.h"

namespace aiflame::record {
namespace {

// A connected agent greets at once, so only a process that is stopped, or does not run for lack of
// processors, takes longer than a millisecond.
constexpr uint64_t kGreetingNs = 10000000000;

// No longer than the name that it gets when somebody listens at it.
static_assert(std::string_view(kUnfinishedSocket).size() < sizeof AGENT_SOCKET_NAME);

// Beyond this many the oldest is cut off, so that connections alone cannot use up the descriptors.
constexpr size_t kMaxConnections = 512;

// Neither way holds AgentSockets::kAll: the backlog has SOMAXCONN (4096), the inherited socket some
// 2700 greetings in kSendBuffer. A process that sends without end thus cannot keep the recorder.
static_assert(AgentSockets::kAll > SOMAXCONN);

// A greeting takes 768 bytes of it. The kernel doubles it, up to net.core.wmem_max.
constexpr int kSendBuffer = 1 << 20;

// The command's descriptor has a high number, so that the program's own stay what they are. A
// number near 1000 would make each fork slower: it copies the table up to the highest number.
constexpr int kDescriptor = 250;

std::string failed(const char* what) {
  return format("cannot %s: %s", what, std::strerror(errno));
}

// Takes the first two descriptors that came with a message, and closes the others.
void take_ancillary(msghdr& message, Arrival& out) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_CREDENTIALS) std::memcpy(&out.from, CMSG_DATA(c), sizeof out.from);
    if (c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int passed = -1;
      std::memcpy(&passed, CMSG_DATA(c) + i * sizeof(int), sizeof passed);
      if (out.fd < 0)
        out.fd = passed;
      else if (out.root < 0)
        out.root = passed;
      else
        close(passed);
    }
  }
}

Arrival::What what_is(const Greeting& greeting, size_t bytes, const uint8_t* secret) {
  // both structures begin with magic, version and secret
  const agent_hello& hello = greeting.hello;
  if (bytes < offsetof(agent_hello, secret) ||
      (hello.magic != AGENT_MAGIC && hello.magic != AGENT_OBJECT_MAGIC))
    return Arrival::What::wrong;
  if (hello.version != AGENT_VERSION) return Arrival::What::other_version;
  if (bytes != sizeof greeting || std::memcmp(hello.secret, secret, AGENT_SECRET_BYTES) != 0)
    return Arrival::What::wrong;
  return Arrival::What::greeting;
}

// False when no message is there. At the end of the connection the arrival is silent.
bool receive_message(int socket, const uint8_t* secret, Arrival& out) {
  iovec part{&out.greeting, sizeof out.greeting};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int)) * 2] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t bytes = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  take_ancillary(message, out);
  // an empty message is no greeting either, and looks like the end
  out.what = bytes <= 0 ? Arrival::What::silent
                        : what_is(out.greeting, static_cast<size_t>(bytes), secret);
  if (out.what == Arrival::What::greeting && out.fd < 0)
    out.what =
        (message.msg_flags & MSG_CTRUNC) != 0 ? Arrival::What::no_memory : Arrival::What::wrong;
  if (out.what != Arrival::What::greeting && out.fd >= 0) {
    close(out.fd);
    out.fd = -1;
  }
  if (out.fd < 0 && out.root >= 0) {
    close(out.root);
    out.root = -1;
  }
  return true;
}

void hand_over(const AgentSockets::Taker& take, const Arrival& arrival) {
  take(arrival);
  if (arrival.root >= 0) close(arrival.root);
}

// Where nobody else can replace a directory of ours: the user's own, or one with the sticky bit.
bool is_safe_parent(const char* path) {
  struct stat status {};
  if (path == nullptr || *path != '/' || stat(path, &status) != 0) return false;
  return (status.st_uid == geteuid() && (status.st_mode & 022) == 0) ||
         (status.st_uid == 0 && (status.st_mode & S_ISVTX) != 0);
}

}  // namespace

AgentSockets::AgentSockets(std::shared_ptr<const ListenDirectory> listen, const std::string& told)
    : kept_(std::move(listen)) {
  if (kept_) {
    // another user's process must not choose where files are made and removed
    if (!told.empty() && !kept_->was_told(told))
      throw Error(format("'%s' has another secret", kept_->path().c_str()));
    kept_->keep_others_out();
    kept_->copy_secret(secret_);
    directory_ = kept_->path();
    listen_in_directory();
    address_ = agent_address(secret_, directory_);  // nothing is inherited
    return;
  }
  fill_with_secret(secret_, sizeof secret_);
  const ino_t inode = make_pair();
  if (make_directory())
    listen_in_directory();
  else
    warn(
        "cannot make a directory for agents: programs that close the descriptors that they inherit "
        "are not recorded");
  address_ = agent_address(secret_, directory_, inherited_, inode);
}

// Returns the inode number of the end that the command inherits.
ino_t AgentSockets::make_pair() {
  int pair[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    throw Error(failed("make a socket for agents"));
  receiver_ = pair[0];
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int lowest = files.rlim_cur > kDescriptor + 8 ? kDescriptor : pair[1];
  inherited_ = fcntl(pair[1], F_DUPFD_CLOEXEC, lowest);
  const int on = 1;
  struct stat status {};
  const bool is_ready = inherited_ >= 0 && fstat(inherited_, &status) == 0 &&
                        setsockopt(receiver_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
  close(pair[1]);
  if (!is_ready) throw Error(failed("make a socket for agents"));
  setsockopt(inherited_, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  return status.st_ino;
}

AgentSockets::~AgentSockets() {
  for (const Connection& connection : connections_) close(connection.fd);
  for (const int fd : {receiver_, inherited_, listener_, missed_})
    if (fd >= 0) close(fd);
  remove_directory();
}

bool AgentSockets::make_directory() {
  for (const char* parent : {static_cast<const char*>(std::getenv("XDG_RUNTIME_DIR")), "/tmp"}) {
    if (!is_safe_parent(parent)) continue;
    remove_left_directories(parent);
    std::string path = format("%s/%sXXXXXX", parent, kListenPrefix);
    if (path.size() > ListenDirectory::kMaxPath || mkdtemp(path.data()) == nullptr) continue;
    directory_ = path;
    return true;
  }
  return false;
}

// An agent that looks for a recorder tries a socket once, so it must not see one that nobody
// listens at yet.
void AgentSockets::listen_in_directory() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = file(kUnfinishedSocket);
  std::memcpy(address.sun_path, path.data(), path.size());
  if (kept_) remove_files();  // of a recorder that was killed
  listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  missed_ = open(file(AGENT_MISSED_NAME).c_str(),
                 O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (missed_ >= 0) hold_directory(missed_);
  if (listener_ >= 0 && missed_ >= 0 &&
      bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      chmod(path.c_str(), 0600) == 0 && listen(listener_, SOMAXCONN) == 0 &&
      rename(path.c_str(), file(AGENT_SOCKET_NAME).c_str()) == 0)
    return;
  const std::string why = failed("listen for agents");
  remove_directory();
  throw Error(why);
}

std::string AgentSockets::file(const char* name) const {
  return kept_ ? kept_->file(name) : directory_ + "/" + name;
}

void AgentSockets::remove_files() const {
  for (const char* name : kListenFiles) unlink(file(name).c_str());
}

void AgentSockets::remove_directory() {
  if (directory_.empty()) return;
  remove_files();
  if (!kept_) rmdir(directory_.c_str());
  directory_.clear();
}

size_t AgentSockets::accept_some(const Taker& take, size_t most) {
  size_t count = 0;
  for (; listener_ >= 0 && count < most; ++count) {
    Connection connection;
    connection.fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection.fd < 0) break;
    socklen_t length = sizeof connection.from;
    getsockopt(connection.fd, SOL_SOCKET, SO_PEERCRED, &connection.from, &length);
    connection.deadline = monotonic_ns() + kGreetingNs;
    Arrival arrival;
    arrival.what = Arrival::What::connection;
    arrival.from = connection.from;
    if (!take(arrival)) {
      close(connection.fd);
      continue;
    }
    if (greet(connection, take)) continue;
    if (connections_.size() >= kMaxConnections) {
      connections_.front().deadline = 0;
      if (greet(connections_.front(), take)) connections_.erase(connections_.begin());
    }
    connections_.push_back(connection);
  }
  return count;
}

// True when the connection is done with, and closed.
bool AgentSockets::greet(Connection& connection, const Taker& take) {
  Arrival arrival;
  if (!receive_message(connection.fd, secret_, arrival)) {
    if (monotonic_ns() < connection.deadline) return false;
    arrival.what = Arrival::What::silent;
  }
  close(connection.fd);
  arrival.from = connection.from;
  hand_over(take, arrival);
  return true;
}

size_t AgentSockets::receive_inherited(const Taker& take, size_t most) {
  size_t count = 0;
  for (; count < most; ++count) {
    Arrival arrival;
    arrival.inherited = true;
    if (receiver_ < 0 || !receive_message(receiver_, secret_, arrival)) break;
    // after end() the socket has ended once it is empty; an empty message has a sender
    if (arrival.what == Arrival::What::silent && arrival.from.pid == 0) break;
    if (arrival.what == Arrival::What::silent) arrival.what = Arrival::What::wrong;
    hand_over(take, arrival);
  }
  return count;
}

size_t AgentSockets::receive_connections(const Taker& take, size_t most) {
  const size_t before = connections_.size();
  std::erase_if(connections_, [&](Connection& connection) { return greet(connection, take); });
  const size_t greeted = before - connections_.size();
  return greeted + accept_some(take, most);
}

size_t AgentSockets::receive(const Taker& take, size_t most) {
  return receive_inherited(take, most) + receive_connections(take, most);
}

void AgentSockets::end(const Taker& take) {
  // refuses new messages and connections; those that wait at the sockets are still taken
  if (receiver_ >= 0) shutdown(receiver_, SHUT_RD);
  if (listener_ >= 0) shutdown(listener_, SHUT_RDWR);
  receive(take, kAll);
  for (Connection& connection : connections_) connection.deadline = 0;
  std::erase_if(connections_, [&](Connection& connection) { return greet(connection, take); });
  connections_.clear();
  remove_directory();
}

std::vector<agent_missed> AgentSockets::missed(uint64_t& total) const {
  constexpr size_t kShown = 64;
  std::vector<agent_missed> first(kShown);
  struct stat status {};
  total = 0;
  ssize_t bytes = 0;
  if (missed_ >= 0 && fstat(missed_, &status) == 0) {
    total = static_cast<uint64_t>(status.st_size) / sizeof(agent_missed);
    bytes = pread(missed_, first.data(), kShown * sizeof(agent_missed), 0);
  }
  first.resize(bytes > 0 ? static_cast<size_t>(bytes) / sizeof(agent_missed) : 0);
  return first;
}

}  // namespace aiflame::record
