// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/agent_host.h"

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
#include <deque>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/capture/thread_numbers.h"

namespace aiflame::record {
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

// What an agent sends with a memfd.
union Greeting {
  agent_hello hello;
  agent_object object;
};
static_assert(sizeof(agent_hello) == sizeof(agent_object));

// The greeting and the memfd that came with it; -1 when either is missing.
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
  // both begin with the same two
  const uint32_t magic = greeting.hello.magic;
  if (received == static_cast<ssize_t>(sizeof greeting) &&
      greeting.hello.version == AGENT_VERSION &&
      (magic == AGENT_MAGIC || magic == AGENT_OBJECT_MAGIC))
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

// Code objects that have come and whose AGENT_LOAD is still to be read.
struct AgentHost::Objects {
  // One is here for as long as its process takes to write a record, unless that lies.
  static constexpr size_t kMaxWaiting = 256;
  struct Waiting {
    uint32_t pid = 0;
    uint64_t id = 0;
    uint64_t bytes = 0;
    int fd = -1;
  };
  std::deque<Waiting> waiting;

  ~Objects() {
    for (const Waiting& one : waiting) close(one.fd);
  }

  void add(uint32_t pid, const agent_object& object, int fd) {
    if (waiting.size() == kMaxWaiting) {
      close(waiting.front().fd);
      waiting.pop_front();
    }
    waiting.push_back(Waiting{pid, object.id, object.bytes, fd});
  }

  void forget(uint32_t pid) {
    std::erase_if(waiting, [&](const Waiting& one) {
      if (one.pid == pid) close(one.fd);
      return one.pid == pid;
    });
  }

  bool find(uint32_t pid, uint64_t id, std::string& content) {
    for (auto at = waiting.begin(); at != waiting.end(); ++at) {
      if (at->pid != pid || at->id != id) continue;
      read_all(*at, content);
      close(at->fd);
      waiting.erase(at);
      return true;
    }
    return false;
  }

  // Only of a memfd, which is memory: reading another file might take for ever.
  static void read_all(const Waiting& from, std::string& content) {
    struct stat status {};
    const int seals = fcntl(from.fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_WRITE) == 0 || fstat(from.fd, &status) != 0 ||
        from.bytes > AGENT_MAX_OBJECT || status.st_size != static_cast<off_t>(from.bytes))
      return;
    content.resize(from.bytes);
    size_t filled = 0;
    while (filled < content.size()) {
      const ssize_t n = pread(from.fd, content.data() + filled, content.size() - filled,
                              static_cast<off_t>(filled));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      filled += static_cast<size_t>(n);
    }
    content.resize(filled);
  }
};

struct AgentHost::Ring {
  uint32_t pid = 0;
  uint64_t program = 0;
  int pidfd = -1;
  std::unique_ptr<ThreadNumbers> threads;
  char* base = nullptr;
  uint64_t capacity = 0;
  uint64_t tail = 0;
  uint64_t lost_seen = 0, lost_samples_seen = 0;
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

  void tell_end() const {
    std::atomic_ref<uint64_t>(header().ended).store(1, std::memory_order_relaxed);
  }

  bool process_has_ended() const {
    // without a descriptor (too many are open): by its number
    if (pidfd < 0) return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
    pollfd poller{pidfd, POLLIN, 0};
    return poll(&poller, 1, 0) != 0;
  }

  // Takes what is there, but no more than two rings full at a time: a process that writes without
  // end must not keep the recorder from the others.
  void drain(AgentHost& host, AgentListener& listener) {
    char record[AGENT_MAX_RECORD];
    const uint64_t limit = tail + 2 * capacity;
    const AgentRecordOrigin origin{pid, *threads,
                                   [&](uint64_t id) { return host.take_object(pid, id); }};
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
      if (!take_agent_record(origin, listener, record, bytes)) broken = true;
    }
    const uint64_t lost =
        std::atomic_ref<uint64_t>(header().lost_launches).load(std::memory_order_relaxed);
    if (lost > lost_seen) listener.on_lost(pid, lost - lost_seen);
    lost_seen = lost;
    const uint64_t lost_samples =
        std::atomic_ref<uint64_t>(header().lost_samples).load(std::memory_order_relaxed);
    if (lost_samples > lost_samples_seen)
      listener.on_lost_samples(pid, 0, lost_samples - lost_samples_seen);
    lost_samples_seen = lost_samples;
    if (broken) warn("process %u: its agent's records make no sense; ignored from here on", pid);
  }
};

AgentHost::AgentHost() : objects_(std::make_unique<Objects>()) {
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

void AgentHost::accept_all() {
  for (;;) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    ucred peer{};
    socklen_t length = sizeof peer;
    Greeting greeting{};
    int fd = -1;
    // pid 0: a process of a pid namespace that is not below ours
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid > 0 &&
        (peer.uid == geteuid() || geteuid() == 0))
      fd = receive_greeting(connection, greeting);
    close(connection);
    if (fd < 0) continue;
    const auto pid = static_cast<uint32_t>(peer.pid);
    if (greeting.hello.magic == AGENT_OBJECT_MAGIC)
      objects_->add(pid, greeting.object, fd);
    else
      accept_ring(pid, greeting.hello, fd);
  }
}

void AgentHost::accept_ring(uint32_t pid, const agent_hello& hello, int fd) {
  auto ring = std::make_unique<Ring>();
  ring->pid = pid;
  ring->program = hello.program;
  ring->threads = std::make_unique<ThreadNumbers>(pid);
  ring->pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const bool mapped =
      rings_.size() + new_rings_.size() < kMaxRings && ring->map(fd, hello.capacity);
  close(fd);
  if (mapped) new_rings_.push_back(std::move(ring));
}

// The bytes of an object that an AGENT_LOAD names. It was sent before: if it is not here, it waits
// to be accepted.
std::string AgentHost::take_object(uint32_t pid, uint64_t id) {
  std::string content;
  if (objects_->find(pid, id, content)) return content;
  accept_all();
  objects_->find(pid, id, content);
  return content;
}

void AgentHost::end() {
  // refuses connections; those that are there already are accepted all the same
  shutdown(listener_, SHUT_RDWR);
  accept_all();
  for (const auto& ring : rings_) ring->tell_end();
  for (const auto& ring : new_rings_) ring->tell_end();
}

bool AgentHost::drain(AgentListener& listener) {
  accept_all();
  // reading one may accept more, see take_object()
  while (!new_rings_.empty()) {
    for (auto& ring : std::exchange(new_rings_, {})) {
      bool is_known = false;
      for (auto& old : rings_) {
        if (old->pid != ring->pid) continue;
        is_known = is_known || old->program == ring->program;
        // a program that an exec replaced: what it wrote last comes before the new one
        if (!is_known) old->drain(*this, listener);
      }
      if (!is_known) {
        ++connected_;
        listener.on_connected(ring->pid);
      }
      rings_.push_back(std::move(ring));
    }
  }
  bool filling = false;
  for (auto& ring : rings_) {
    // asked before the ring is read: what it wrote last is then in it
    const bool ended = ring->process_has_ended();
    const uint64_t before = ring->tail;
    ring->drain(*this, listener);
    filling = filling || ring->tail - before > ring->capacity / 8;
    if (!ended && !ring->broken) continue;
    listener.on_gone(ring->pid);
    if (ended) objects_->forget(ring->pid);
    ring.reset();
  }
  std::erase(rings_, nullptr);
  return filling;
}

}  // namespace aiflame::record
