// SPDX-License-Identifier: MIT
// A hand-made agent that does what a correct one never does. It connects to the recorder with a
// ring of any size, any seals and any greeting, and the test writes its data area.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "plugins/abi/agent_channel.h"

namespace aiflame::fakes {

// The defaults are those of a correct agent.
struct RingShape {
  uint64_t bytes = AGENT_HEADER_BYTES + AGENT_CAPACITY;  // of the memfd
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  uint32_t magic = AGENT_MAGIC;
  uint64_t program = 0;  // see agent_hello
};

class AgentRing {
 public:
  // Connects to the recorder that listens at `address` (AgentHost::address()); aborts on failure.
  explicit AgentRing(const std::string& address, const RingShape& shape = {})
      : bytes_(shape.bytes) {
    const int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    check(fd >= 0);
    check(ftruncate(fd, static_cast<off_t>(bytes_)) == 0);
    check(shape.seals == 0 || fcntl(fd, F_ADD_SEALS, shape.seals) == 0);
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED);
    base_ = static_cast<char*>(mapped);
    const agent_hello hello{shape.magic, AGENT_VERSION, bytes_ - AGENT_HEADER_BYTES, "fake",
                            shape.program};
    send(address, hello, fd);
    close(fd);
  }
  ~AgentRing() { munmap(base_, bytes_); }
  AgentRing(const AgentRing&) = delete;
  AgentRing& operator=(const AgentRing&) = delete;

  // The data area, where records begin; it starts as zeros.
  char* data() { return base_ + AGENT_HEADER_BYTES; }
  agent_ring& header() { return *reinterpret_cast<agent_ring*>(base_); }

  // Sends an agent_hello or agent_object with its memfd. `address` is "@name", the name of an
  // abstract socket.
  template <typename Greeting>
  static void send(const std::string& address, Greeting hello, int fd) {
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    check(address.size() <= sizeof to.sun_path);
    std::memcpy(to.sun_path, address.data(), address.size());
    to.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    check(connect(connection, reinterpret_cast<sockaddr*>(&to), length) == 0);
    iovec part{&hello, sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    check(sendmsg(connection, &message, 0) == static_cast<ssize_t>(sizeof hello));
    close(connection);
  }

 private:
  static void check(bool is_fine) {
    if (!is_fine) abort();
  }

  char* base_ = nullptr;
  uint64_t bytes_;
};

}  // namespace aiflame::fakes
