// SPDX-License-Identifier: MIT
// How the recorder reads agents that may lie.
//
// An agent lives in the recorded program. The program may be hostile, and the recorder may run as
// root. So a record in a ring is untrusted input, like a file from the network, with one more
// difficulty: the writer can change the bytes while they are read. This essay lists what is checked
// and what is bounded when the recorder reads a record.
//
// Who may connect. The socket has an abstract address, and any process in the network namespace can
// connect to one. The address has 128 random bits, so that it cannot be guessed. The kernel gives
// the process id and user of the peer (SO_PEERCRED): another user is refused unless the recorder is
// root, and a process without a number in our pid namespace is refused. All records of a ring count
// as that process's: an agent cannot speak for another.
//
// What is mapped. A connection brings one greeting and one memfd, and is then closed: the recorder
// never waits for an agent. The memfd must have the one size that all agents use, and a seal
// against shrinking: otherwise the program could truncate it, and reading it would raise SIGBUS
// here. At most kMaxRings rings are mapped. Descriptors beyond the first one are closed.
//
// What is read. drain() reads one record at a time:
//   1. Its size is loaded once. It must be a multiple of 8, hold the record's head, and be at most
//      AGENT_MAX_RECORD. Only the reader's own position says where the next record begins, so the
//      ring's `head` and `tail` fields, which the program can overwrite, are never read.
//   2. The record is copied out of the shared memory, and only the copy is checked and used.
//      Otherwise a thread of the program could change a length between the check and the use.
//   3. report_agent_record() checks every count and length in the copy against its size.
// The first failed check ends the reading of this ring: after one wrong size, nothing says where
// the next record begins. The user gets a warning, and the samples and launches so far stay.
//
// What is bounded. One call reads at most two rings full from each agent, so a program that writes
// without end cannot keep the recorder from the others. What records make the recorder keep is
// limited where it is kept: budget/budgets.cc has the budgets of each kind, for a process and
// in all. Code objects on their way are limited by ObjectInbox, and thread numbers by
// ThreadNumbers. Times are not believed beyond a second from now (AgentIntake).
//
// Code objects come outside the ring, each in a memfd of its own. The agent sends the memfd before
// it writes the AGENT_LOAD record that names it. So when the record is read, the object is here
// already, or it waits at the socket to be accepted. It must be sealed against writing, and have
// the size that the agent announced, at most AGENT_MAX_OBJECT.
//
// Several agents in one program, and exec. A program may use OpenCL and Level Zero, and each has an
// agent with a ring of its own. `program` in the greeting is the same for both. After an exec it
// differs: then the old program's rings are read first, since it wrote its records before the new
// one began, and on_connected() makes the listener forget the old program's numbers.
#include "tools/gpustall-record/capture/agent_host.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// Processes with an agent at one time. Each may take 8 MiB of memory.
constexpr size_t kMaxRings = 4096;

// `@name` is an address in the abstract namespace, which leaves no file when the recorder is
// killed.
socklen_t make_address(const std::string& name, sockaddr_un& out) {
  out = sockaddr_un{};
  out.sun_family = AF_UNIX;
  std::memcpy(out.sun_path, name.data(), name.size());
  out.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
}

// The message that an agent sends with a memfd.
union Greeting {
  agent_hello hello;
  agent_object object;
};
static_assert(sizeof(agent_hello) == sizeof(agent_object));

// Reads the greeting and returns the memfd that came with it; -1 when either is missing. Surplus
// descriptors are closed.
int receive_greeting(int connection, Greeting& greeting) {
  iovec part{&greeting, sizeof greeting};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int)) * 2] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t received = recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  int fd = -1;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int passed = -1;
      std::memcpy(&passed, CMSG_DATA(c) + i * sizeof(int), sizeof passed);
      if (fd < 0)
        fd = passed;
      else
        close(passed);
    }
  }
  // both structures begin with magic and version
  const uint32_t magic = greeting.hello.magic;
  if (received == static_cast<ssize_t>(sizeof greeting) &&
      greeting.hello.version == AGENT_VERSION &&
      (magic == AGENT_MAGIC || magic == AGENT_OBJECT_MAGIC))
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

AgentHost::AgentHost() {
  uint64_t random[2] = {};
  if (getrandom(random, sizeof random, 0) != sizeof random) throw Error("cannot get random bytes");
  // not to be guessed: every process in the network namespace may connect to an abstract socket
  address_ = format("@gpustall-record-%d-%016llx%016llx", getpid(),
                    static_cast<unsigned long long>(random[0]),
                    static_cast<unsigned long long>(random[1]));
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address;
  const socklen_t length = make_address(address_, address);
  if (listener_ < 0 || bind(listener_, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(listener_, SOMAXCONN) != 0)
    throw Error(format("cannot listen for agents: %s", std::strerror(errno)));
}

AgentHost::~AgentHost() {
  if (listener_ >= 0) close(listener_);
}

void AgentHost::accept_all() {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    ucred peer{};
    socklen_t length = sizeof peer;
    Greeting greeting{};
    int fd = -1;
    // pid 0: a process outside our pid namespace and those below it
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0 &&
        (peer.uid == geteuid() || geteuid() == 0))
      fd = receive_greeting(connection, greeting);
    close(connection);
    if (fd < 0) continue;
    const auto pid = static_cast<uint32_t>(peer.pid);
    if (greeting.hello.magic == AGENT_OBJECT_MAGIC)
      inbox_.add(pid, greeting.object, fd);
    else
      accept_ring(pid, greeting.hello, fd);
  }
}

void AgentHost::accept_ring(uint32_t pid, const agent_hello& hello, int fd) {
  auto ring = std::make_unique<AgentRing>(pid, hello.program);
  const bool mapped =
      rings_.size() + new_rings_.size() < kMaxRings && ring->map(fd, hello.capacity);
  close(fd);
  if (mapped) new_rings_.push_back(std::move(ring));
}

ObjectContent AgentHost::take_object(uint32_t pid, uint64_t id) {
  ObjectContent content;
  if (inbox_.take(pid, id, content)) return content;
  accept_all();
  inbox_.take(pid, id, content);
  return content;
}

void AgentHost::end() {
  // refuses new connections; those that wait at the socket are still accepted
  shutdown(listener_, SHUT_RDWR);
  accept_all();
  for (const auto& ring : rings_) ring->set_ended();
  for (const auto& ring : new_rings_) ring->set_ended();
}

uint64_t AgentHost::drain_ring(AgentRing& ring, AgentListener& listener) {
  return ring.drain(listener, [&](uint64_t id) { return take_object(ring.pid(), id); });
}

void AgentHost::connect_new_rings(AgentListener& listener) {
  // draining a ring may accept more of them, see take_object()
  while (!new_rings_.empty()) {
    for (auto& ring : std::exchange(new_rings_, {})) {
      bool is_known = false;
      for (auto& old : rings_) {
        if (old->pid() != ring->pid()) continue;
        is_known = is_known || old->program() == ring->program();
        // an exec replaced the old program: its last records come before the new one's
        if (!is_known) drain_ring(*old, listener);
      }
      if (!is_known) {
        ++connected_;
        listener.on_connected(ring->pid());
      }
      rings_.push_back(std::move(ring));
    }
  }
}

bool AgentHost::drain(AgentListener& listener) {
  accept_all();
  connect_new_rings(listener);
  bool is_filling = false;
  for (auto& ring : rings_) {
    // checked before the ring is read, so that the ring has the last records of an ended process
    const bool has_ended = ring->process_has_ended();
    const uint64_t bytes = drain_ring(*ring, listener);
    is_filling = is_filling || bytes > ring->capacity() / 8;
    if (!has_ended && !ring->is_broken()) continue;
    listener.on_gone(ring->pid());
    if (has_ended) inbox_.forget(ring->pid());
    ring.reset();
  }
  std::erase(rings_, nullptr);
  return is_filling;
}

}  // namespace aiflame::record
