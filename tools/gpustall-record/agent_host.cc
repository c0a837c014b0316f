// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agent_host.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "libcommon/program.h"

namespace aiflame {
namespace {

// Processes with an agent at one time. Each may hold 8 MiB of memory.
constexpr size_t kMaxRings = 4096;

// `@name`: the abstract namespace, which leaves nothing behind when the recorder is killed.
socklen_t make_address(const std::string& name, sockaddr_un& out) {
  out = sockaddr_un{};
  out.sun_family = AF_UNIX;
  std::memcpy(out.sun_path, name.data(), name.size());
  out.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
}

// The hello and the memfd that came with it; -1 when either is missing.
int receive_hello(int connection, agent_hello& hello) {
  iovec part{&hello, sizeof hello};
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
  if (received == static_cast<ssize_t>(sizeof hello) && hello.magic == AGENT_MAGIC &&
      hello.version == AGENT_VERSION)
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

struct AgentHost::Ring {
  uint32_t pid = 0;
  int pidfd = -1;
  char* base = nullptr;
  uint64_t capacity = 0;
  uint64_t tail = 0;
  uint64_t lost_seen = 0;
  bool broken = false;

  ~Ring() {
    if (base != nullptr) munmap(base, AGENT_HEADER_BYTES + 2 * capacity);
    if (pidfd >= 0) close(pidfd);
  }

  agent_ring& header() const { return *reinterpret_cast<agent_ring*>(base); }
  char* data() const { return base + AGENT_HEADER_BYTES; }

  // Maps the memfd as the agent does. A size that could change under us would be a SIGBUS: the
  // seals rule that out.
  bool map(int fd, uint64_t wanted) {
    struct stat status {};
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &status) != 0) return false;
    // one size for all: nothing is gained by a choice
    if (wanted != AGENT_CAPACITY ||
        status.st_size != static_cast<off_t>(AGENT_HEADER_BYTES + AGENT_CAPACITY))
      return false;
    const size_t once = AGENT_HEADER_BYTES + wanted;
    void* room = mmap(nullptr, once + wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    base = static_cast<char*>(room);
    capacity = wanted;
    return mmap(base, once, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
           mmap(base + once, wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                AGENT_HEADER_BYTES) != MAP_FAILED;
  }

  bool process_has_ended() const {
    // without a descriptor (too many are open): by its number
    if (pidfd < 0) return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
    pollfd poller{pidfd, POLLIN, 0};
    return poll(&poller, 1, 0) != 0;
  }

  // Takes what is there, but no more than two rings full at a time: a process that writes without
  // end must not keep the recorder from the others.
  void drain(AgentListener& listener) {
    char record[AGENT_MAX_RECORD];
    const uint64_t limit = tail + 2 * capacity;
    while (!broken && tail < limit) {
      char* at = data() + tail % capacity;
      const uint32_t bytes = std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(at))
                                 .load(std::memory_order_acquire);
      if (bytes == 0) break;
      if (bytes % 8 != 0 || bytes < sizeof(agent_record) || bytes > sizeof record) {
        broken = true;
        break;
      }
      // a copy: what is checked here must be what is used
      std::memcpy(record, at, bytes);
      std::memset(at, 0, bytes);
      tail += bytes;
      std::atomic_ref<uint64_t>(header().tail).store(tail, std::memory_order_release);
      if (!take(listener, record, bytes)) broken = true;
    }
    const uint64_t lost =
        std::atomic_ref<uint64_t>(header().lost_launches).load(std::memory_order_relaxed);
    if (lost > lost_seen) listener.on_lost(pid, lost - lost_seen);
    lost_seen = lost;
    if (broken) warn("process %u: its agent's records make no sense; ignored from here on", pid);
  }

  bool take(AgentListener& listener, const char* record, uint32_t bytes) const {
    agent_record head;
    std::memcpy(&head, record, sizeof head);
    switch (head.type) {
      case AGENT_MAP: {
        agent_map map;
        if (bytes <= sizeof map) return false;
        std::memcpy(&map, record, sizeof map);
        const char* path = record + sizeof map;
        if (map.start >= map.end) return false;
        listener.on_map(pid, map.start, map.end, map.file_offset,
                        std::string_view(path, strnlen(path, bytes - sizeof map)),
                        (head.flags & AGENT_FIRST) != 0);
        return true;
      }
      case AGENT_STACK: {
        agent_stack stack;
        if (bytes < sizeof stack) return false;
        std::memcpy(&stack, record, sizeof stack);
        const uint64_t behind = bytes - sizeof stack;
        if (stack.frame_count > AGENT_MAX_FRAMES || stack.name_bytes > AGENT_MAX_NAME ||
            uint64_t{stack.frame_count} * 8 + stack.name_bytes > behind)
          return false;
        AgentListener::Stack out;
        out.id = stack.id;
        out.kernel_address = stack.kernel_address;
        out.tid = stack.tid;
        out.device = stack.device;
        out.comm = std::string_view(stack.comm, strnlen(stack.comm, sizeof stack.comm));
        out.frames.resize(stack.frame_count);
        if (stack.frame_count > 0)
          std::memcpy(out.frames.data(), record + sizeof stack, out.frames.size() * 8);
        out.kernel =
            std::string_view(record + sizeof stack + out.frames.size() * 8, stack.name_bytes);
        listener.on_stack(pid, out);
        return true;
      }
      case AGENT_LAUNCH: {
        agent_launch launch;
        if (bytes < sizeof launch) return false;
        std::memcpy(&launch, record, sizeof launch);
        listener.on_launch(pid, launch);
        return true;
      }
      case AGENT_DONE: {
        agent_done done;
        if (bytes < sizeof done) return false;
        std::memcpy(&done, record, sizeof done);
        listener.on_done(pid, done);
        return true;
      }
      default:
        return true;  // of a newer agent
    }
  }
};

AgentHost::AgentHost() {
  uint64_t random[2] = {};
  if (getrandom(random, sizeof random, 0) != sizeof random) throw Error("cannot get random bytes");
  // unguessable, as everybody in the network namespace may connect to an abstract socket
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

void AgentHost::accept_all(AgentListener& listener) {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    ucred peer{};
    socklen_t length = sizeof peer;
    agent_hello hello{};
    int fd = -1;
    // pid 0: a process of a pid namespace that is not below ours
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0 &&
        (peer.uid == geteuid() || geteuid() == 0) && rings_.size() < kMaxRings)
      fd = receive_hello(connection, hello);
    close(connection);
    if (fd < 0) continue;
    auto ring = std::make_unique<Ring>();
    ring->pid = static_cast<uint32_t>(peer.pid);
    ring->pidfd = static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0));
    const bool mapped = ring->map(fd, hello.capacity);
    close(fd);
    if (!mapped) continue;
    ++connected_;
    // a program that an exec replaced: what it wrote last comes before the new one
    for (auto& old : rings_)
      if (old->pid == ring->pid) old->drain(listener);
    listener.on_connected(ring->pid);
    rings_.push_back(std::move(ring));
  }
}

bool AgentHost::drain(AgentListener& listener) {
  accept_all(listener);
  bool filling = false;
  for (auto& ring : rings_) {
    // asked before the ring is read: what it wrote last is then in it
    const bool ended = ring->process_has_ended();
    const uint64_t before = ring->tail;
    ring->drain(listener);
    filling = filling || ring->tail - before > ring->capacity / 8;
    if (!ended && !ring->broken) continue;
    listener.on_gone(ring->pid);
    ring.reset();
  }
  std::erase(rings_, nullptr);
  return filling;
}

}  // namespace aiflame
