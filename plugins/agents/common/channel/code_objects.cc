/* SPDX-License-Identifier: MIT
 *
 * Code objects: their bytes go to the recorder in a sealed memfd of their own,
 * because they may be many times as large as the ring. The ring then says that the object is on the
 * device, or not any more.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/connection.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/old_calls.h"

namespace aiflame::agent {
namespace {

std::atomic<uint64_t> last_object{0};

bool write_code(agent_ring* to, uint16_t type, uint64_t id, uint32_t device, uint64_t base = 0,
                const char* extension = "") {
  auto* code = reserve_record<agent_code>(to);
  if (code == nullptr) return false;
  code->id = id;
  code->time = monotonic_ns();
  code->device = device;
  code->base = base;
  std::strncpy(code->extension, extension, sizeof code->extension - 1);
  publish(&code->record, sizeof(agent_code), type, 0);
  return true;
}

bool write_all(int fd, const char* content, uint64_t bytes) {
  uint64_t written = 0;
  while (written < bytes) {
    const ssize_t n = write(fd, content + written, static_cast<size_t>(bytes - written));
    if (n <= 0 && errno != EINTR) return false;
    if (n > 0) written += static_cast<uint64_t>(n);
  }
  return true;
}

bool send_object(uint64_t id, const void* content, uint64_t bytes) {
  const int fd = make_memfd("aiflame-object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return false;
  const agent_object object{AGENT_OBJECT_MAGIC, AGENT_VERSION, {}, id, bytes, {}};
  const bool sent =
      write_all(fd, static_cast<const char*>(content), bytes) &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0 &&
      send_object_with(object, fd);
  close(fd);
  return sent;
}

uint64_t load(const void* content, uint64_t bytes, uint32_t device, uint64_t again, uint64_t base,
              const char* extension) {
  agent_ring* to = ring_to_write();
  if (to == nullptr || bytes == 0 || bytes > AGENT_MAX_OBJECT) return 0;
  const int saved_errno = errno;
  const uint64_t id = again != 0 ? again : new_object();
  const bool known =
      send_object(id, content, bytes) && write_code(to, AGENT_LOAD, id, device, base, extension);
  errno = saved_errno;
  return known ? id : 0;
}

}  // namespace

uint64_t new_object() {
  return (hash_of_agent() << 32) + last_object.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t report_load(const void* content, uint64_t bytes, uint32_t device, uint64_t again) {
  return load(content, bytes, device, again, 0, "");
}

uint64_t report_load_at(const void* content, uint64_t bytes, uint32_t device, uint64_t base,
                        const char* extension) {
  return load(content, bytes, device, 0, base, extension);
}

void report_unload(uint64_t object) {
  agent_ring* to = ring_to_write();
  if (to != nullptr && object != 0) write_code(to, AGENT_UNLOAD, object, 0);
}

}  // namespace aiflame::agent
