/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/connection.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/delivery.h"
#include "plugins/agents/common/channel/instances.h"
#include "plugins/agents/common/channel/left_out.h"
#include "plugins/agents/common/channel/loss.h"
#include "plugins/agents/common/channel/mappings.h"
#include "plugins/agents/common/channel/python_frames.h"
#include "plugins/agents/common/channel/rare_lock.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/channel/size_store.h"
#include "plugins/agents/common/channel/stack_store.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/old_calls.h"
#include "plugins/agents/common/python.h"

namespace aiflame::agent {
namespace {

char agent_name[16];
// From AIFLAME_AGENT at the start, because another thread may change the environment later.
RecorderAddress recorder;
bool has_recorder = false;
// A page that the kernel zeroes in a forked child (MADV_WIPEONFORK): one load notices a fork, where
// getpid(2) would be a system call on each launch.
volatile char* same_process = nullptr;

// An agent that starts waits this long for room on the way to the recorder. The recorder reads
// every 20 ms, so only one that is stopped makes a program wait, and then only once.
constexpr uint64_t kWaitNs = 1000000000;

constexpr size_t kMappedBytes = AGENT_HEADER_BYTES + 2 * AGENT_CAPACITY;

// A new recorder, or the one of a forked child, knows nothing of what was sent before.
void forget_what_was_sent() {
  forget_stacks();
  forget_sizes();
  forget_python_frames();
  python_forked();
  forget_mappings();
  last_instance.store(0);
  stalled_tail.store(kNotStalled);
  losses_in_a_row.store(0);
  ends_owed.store(0);
}

agent_ring* map_ring(int fd, uint64_t capacity) {
  // header and data, then the data once more, so that a record never wraps
  const size_t once = AGENT_HEADER_BYTES + capacity;
  void* room = mmap(nullptr, once + capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  void* first = mmap(room, once, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  void* second = mmap(static_cast<char*>(room) + once, capacity, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, fd, AGENT_HEADER_BYTES);
  if (first == MAP_FAILED || second == MAP_FAILED) {
    munmap(room, once + capacity);
    return nullptr;
  }
  return static_cast<agent_ring*>(room);
}

bool send_hello(int ring_fd) {
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, {}, AGENT_CAPACITY, {}, 0};
  std::memcpy(hello.secret, recorder.secret, sizeof hello.secret);
  for (const int key : {AT_SYSINFO_EHDR, AT_BASE, AT_PHDR, AT_EXECFN, AT_ENTRY})
    hello.program =
        (hello.program ^ getauxval(static_cast<unsigned long>(key))) * UINT64_C(0x9e3779b97f4a7c15);
  std::memcpy(hello.agent, agent_name, sizeof hello.agent);
  // The recorder reads the program's files below its root, also when the program has ended: it may
  // be in a container that ends with it.
  const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool sent = deliver(recorder, &hello, sizeof hello, ring_fd, kWaitNs, AGENT_MAGIC, root);
  if (root >= 0) close(root);
  return sent;
}

// Makes a ring and sends it. Null when nobody takes it.
agent_ring* make_ring() {
  const int fd = make_memfd("aiflame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  agent_ring* made = nullptr;
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(AGENT_HEADER_BYTES + AGENT_CAPACITY)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    made = map_ring(fd, AGENT_CAPACITY);
  if (made == nullptr) {
    report_missed(recorder, AGENT_MAGIC);
  } else {
    made->magic = AGENT_MAGIC;
    made->version = AGENT_VERSION;
    made->capacity = AGENT_CAPACITY;
    if (!send_hello(fd)) {
      munmap(made, kMappedBytes);
      made = nullptr;
    }
  }
  if (fd >= 0) close(fd);
  return made;
}

// With rare_lock held. Leaves `ring` null when nobody listens.
void open_channel() {
  forget_what_was_sent();
  if (same_process == nullptr) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK) != 0) return;
    same_process = static_cast<volatile char*>(page);
  }
  *same_process = 1;
  if (!has_recorder) return;
  agent_ring* made = make_ring();
  ring.store(made, std::memory_order_release);
  if (made != nullptr) add_lost_launches(*made, lost_while_connecting.exchange(0));
}

// In a forked child: the parent's ring is not ours to write.
[[gnu::noinline]] void reconnect_in_child() {
  if (is_busy()) return;  // a handler's launch, within this function or around fork(2)
  const int saved_errno = errno;
  rare_lock.unlock();  // may have been copied while a thread held it; that thread is not here
  rare_lock.lock();
  if (*same_process == 0) {
    agent_ring* parents = ring.exchange(nullptr);
    if (parents != nullptr) munmap(parents, kMappedBytes);
    process_generation.fetch_add(1);
    open_channel();
  }
  rare_lock.unlock();
  errno = saved_errno;
}

}  // namespace

bool send_object_with(agent_object object, int passed_fd) {
  if (!has_recorder) return false;
  std::memcpy(object.secret, recorder.secret, sizeof object.secret);
  // does not wait: the program runs already, perhaps between two launches
  return deliver(recorder, &object, sizeof object, passed_fd, 0, AGENT_OBJECT_MAGIC);
}

uint64_t hash_of_agent() {
  return hash_bytes(agent_name, sizeof agent_name);
}

bool connect(const char* name, const void* api_function) {
  const char* address = getenv(AGENT_ENVIRONMENT);
  // A program with more rights than its user has secrets that are not the user's to record.
  RecorderAddress named{};
  const bool is_named =
      address != nullptr && getauxval(AT_SECURE) == 0 && parse_recorder_address(address, named);
  const bool is_same = is_named == has_recorder &&
                       std::memcmp(named.secret, recorder.secret, sizeof named.secret) == 0;
  std::strncpy(agent_name, name, sizeof agent_name - 1);
  recorder = named;
  has_recorder = is_named;
  instances_of_agent = hash_of_agent() << 48;
  own_text = text_around(reinterpret_cast<const void*>(&report_launch));
  api_text = text_around(api_function);
  // the program unloaded the API's library, which does not unload us, and loaded it again
  if (is_same && ring.load() != nullptr && *same_process != 0) return true;
  const int saved_errno = errno;
  rare_lock.lock();
  open_channel();
  rare_lock.unlock();
  look_for_python();
  errno = saved_errno;
  return ring.load() != nullptr;
}

bool begin_report() {
  if (same_process == nullptr) return false;
  if (*same_process == 0) [[unlikely]]
    reconnect_in_child();
  agent_ring* to = ring_to_write();
  if (to == nullptr) [[unlikely]] {
    add_lost_without_ring(1);
    return false;
  }
  return admit_launch(*to);
}

bool has_recording_ended() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  return to != nullptr && has_ended(*to);
}

uint32_t generation() {
  return process_generation.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent
