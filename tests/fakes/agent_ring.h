// SPDX-License-Identifier: MIT
// A hand-made agent that does what a correct one never does. It sends the recorder a ring of any
// size, any seals and any greeting, and the test writes its data area.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libcommon/process/descriptor_message.h"
#include "plugins/abi/agent_channel.h"

namespace aiflame::fakes {

// What AIFLAME_AGENT says, see agent_channel.h.
struct Address {
  uint8_t secret[AGENT_SECRET_BYTES] = {};
  unsigned uid = 0;
  int descriptor = -1;
  std::string directory;

  explicit Address(const std::string& text) {
    for (size_t i = 0; i < sizeof secret; ++i)
      secret[i] = static_cast<uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    unsigned long long inode = 0;
    int directory_at = 0;
    if (std::sscanf(text.c_str() + 2 * sizeof secret, ":%u:%d:%llu:%n", &uid, &descriptor, &inode,
                    &directory_at) != 3)
      abort();
    directory = text.substr(2 * sizeof secret + static_cast<size_t>(directory_at));
  }
};

// Connects to a listening socket; -1 = that failed.
inline int connect_to_path(const std::string& path) {
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path) return -1;
  std::memcpy(to.sun_path, path.data(), path.size());
  if (connect(connection, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return connection;
  close(connection);
  return -1;
}

// Sends `bytes` of `what` with a descriptor. Does not wait.
inline bool send_with_descriptor(int socket, const void* what, size_t bytes, int fd) {
  return send_with_descriptors(socket, what, bytes, {fd}, MSG_DONTWAIT);
}

// The same; while the recorder has not read what is under way, tries again for ten seconds.
inline bool send_patiently(int socket, const void* what, size_t bytes, int fd) {
  for (int tries = 0; tries < 10000; ++tries) {
    if (send_with_descriptor(socket, what, bytes, fd)) return true;
    if (errno != EAGAIN && errno != ETOOMANYREFS) return false;
    usleep(1000);
  }
  return false;
}

// The defaults are those of a correct agent.
struct RingShape {
  uint64_t bytes = AGENT_HEADER_BYTES + AGENT_CAPACITY;  // of the memfd
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  uint32_t magic = AGENT_MAGIC;
  uint64_t program = 0;  // see agent_hello
  uint32_t version = AGENT_VERSION;
  bool knows_secret = true;
  bool connects = false;  // to the directory's socket, instead of using the inherited one
};

class AgentRing {
 public:
  // Sends a ring to the recorder of `address` (AgentHost::address()); aborts on failure.
  explicit AgentRing(const std::string& address, const RingShape& shape = {})
      : bytes_(shape.bytes) {
    const int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(fd >= 0);
    check(ftruncate(fd, static_cast<off_t>(bytes_)) == 0);
    check(shape.seals == 0 || fcntl(fd, F_ADD_SEALS, shape.seals) == 0);
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED);
    base_ = static_cast<char*>(mapped);
    const Address to(address);
    agent_hello hello{shape.magic, shape.version, {}, bytes_ - AGENT_HEADER_BYTES,
                      "fake",      shape.program};
    if (shape.knows_secret) std::memcpy(hello.secret, to.secret, sizeof hello.secret);
    const int way =
        shape.connects ? connect_to_path(to.directory + "/" AGENT_SOCKET_NAME) : to.descriptor;
    check(send_patiently(way, &hello, sizeof hello, fd));
    if (shape.connects) close(way);
    close(fd);
  }
  ~AgentRing() { munmap(base_, bytes_); }
  AgentRing(const AgentRing&) = delete;
  AgentRing& operator=(const AgentRing&) = delete;

  // The data area, where records begin; it starts as zeros.
  char* data() { return base_ + AGENT_HEADER_BYTES; }
  agent_ring& header() { return *reinterpret_cast<agent_ring*>(base_); }

  // Sends an agent_object with its memfd, over the inherited socket; fills in the secret.
  static void send(const std::string& address, agent_object object, int fd) {
    const Address to(address);
    std::memcpy(object.secret, to.secret, sizeof object.secret);
    check(send_patiently(to.descriptor, &object, sizeof object, fd));
  }

 private:
  static void check(bool is_fine) {
    if (!is_fine) abort();
  }

  char* base_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace aiflame::fakes
