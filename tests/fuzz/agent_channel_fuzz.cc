// SPDX-License-Identifier: MIT
// What an agent writes into its ring, a process that lies: through the recorder, whose gpustall(5)
// must be one that stackcollapse-aiflame reads to its end, with as many launches.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"
#include "tools/gpustall-record/capture/agent_host.h"
#include "tools/gpustall-record/join/recorder.h"

using namespace aiflame;
using namespace aiflame::record;

namespace {

constexpr size_t kRing = AGENT_HEADER_BYTES + AGENT_CAPACITY;

// Connects to `host` with a ring that begins with `bytes`.
void connect_with(const AgentHost& host, std::string_view bytes) {
  const int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, kRing) != 0 ||
      pwrite(fd, bytes.data(), bytes.size(), AGENT_HEADER_BYTES) !=
          static_cast<ssize_t>(bytes.size()) ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    abort();
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, host.address().data(), host.address().size());
  address.sun_path[0] = '\0';
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + host.address().size());
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, AGENT_CAPACITY, "fuzz"};
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
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      sendmsg(connection, &message, 0) != static_cast<ssize_t>(sizeof hello))
    abort();
  close(connection);
  close(fd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile recording;
  const std::string_view bytes(reinterpret_cast<const char*>(data), std::min<size_t>(size, 65536));
  constexpr uint64_t kOrigin = 1000000000, kSlice = 10000000;
  recording.set("");
  AgentHost host;
  connect_with(host, bytes);
  Output out(recording.path());
  // an agent may be the source of samples, which have no time of their own then
  const bool by_agent = size % 2 == 1;
  Recorder recorder(out, "gpu-stall", kOrigin, by_agent ? 0 : kSlice, "/nonexistent");
  if (by_agent) recorder.take_samples_of_agents("fuzz");
  recorder.begin({"clock : monotonic"});
  for (uint64_t now = kOrigin; now < kOrigin + 4 * kSlice; now += kSlice) {
    recorder.tick(now);
    host.drain(recorder);
    recorder.write(now, false);
  }
  recorder.write(kOrigin + 4 * kSlice, true);
  recorder.end();
  out.close();
  if (!fuzz::collapse_file(recording.path(), fuzz::all_settings()).empty()) abort();
  return 0;
}
