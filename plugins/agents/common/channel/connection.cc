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
#include <initializer_list>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/awaited_recorder.h"
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
#include "plugins/agents/common/range_agent.h"

namespace aiflame::agent {
namespace {

char agent_name[16];
// From AIFLAME_AGENT at the start, because another thread may change the environment later.
RecorderAddress recorder;
bool has_recorder = false;
// Whether a recorder may come: `recorder` is a directory.
bool is_awaiting = false;
bool has_memory_request = false;
bool looks_at_launches = false;  // else find_recorder() looks
LookTimer look_timer;
SocketIdentity greeted;  // the socket that was last connected to; with rare_lock held
std::atomic<uint64_t> tail_at_look{0};
std::atomic<uint32_t> recorders{0};  // that came later
// A page that the kernel zeroes in a forked child (MADV_WIPEONFORK): one load notices a fork, where
// getpid(2) would be a system call on each launch.
volatile char* same_process = nullptr;

// An agent that starts waits this long for room on the way to the recorder. The recorder reads
// every 20 ms, so only one that is stopped makes a program wait, and then only once.
constexpr uint64_t kWaitNs = 1000000000;

constexpr size_t kMappedBytes = AGENT_HEADER_BYTES + 2 * AGENT_CAPACITY;

// Where rings are mapped, in turn. When another recorder comes, a thread may be about to write into
// the ring of the one before: so that stays mapped, and only the next one takes its place.
void* places[2];
unsigned place = 0;

// A new recorder, or the one of a forked child, knows nothing of what was sent before. Launches of
// before may still end: their numbers are not used again.
void forget_what_was_sent() {
  forget_stacks();
  forget_sizes();
  forget_python_frames();
  forget_mappings();
  first_instance.store(last_instance.load());
  stalled_tail.store(kNotStalled);
  losses_in_a_row.store(0);
  ends_owed.store(0);
}

agent_ring* map_ring(int fd, uint64_t capacity) {
  // header and data, then the data once more, so that a record never wraps
  const size_t once = AGENT_HEADER_BYTES + capacity;
  void*& room = places[place];
  if (room == nullptr) {
    void* made = mmap(nullptr, once + capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    room = made;
  }
  void* first = mmap(room, once, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  void* second = mmap(static_cast<char*>(room) + once, capacity, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, fd, AGENT_HEADER_BYTES);
  return first == MAP_FAILED || second == MAP_FAILED ? nullptr : static_cast<agent_ring*>(room);
}

// For one that nobody else can be using.
void unmap(void*& room) {
  if (room != nullptr) munmap(room, kMappedBytes);
  room = nullptr;
}

bool send_hello(int ring_fd, uint64_t wait_ns) {
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, {}, AGENT_CAPACITY, {}, 0};
  std::memcpy(hello.secret, recorder.secret, sizeof hello.secret);
  for (const int key : {AT_SYSINFO_EHDR, AT_BASE, AT_PHDR, AT_EXECFN, AT_ENTRY})
    hello.program =
        (hello.program ^ getauxval(static_cast<unsigned long>(key))) * UINT64_C(0x9e3779b97f4a7c15);
  std::memcpy(hello.agent, agent_name, sizeof hello.agent);
  // The recorder reads the program's files below its root, also when the program has ended: it may
  // be in a container that ends with it.
  const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const bool sent = deliver(recorder, &hello, sizeof hello, ring_fd, wait_ns, AGENT_MAGIC, root);
  if (root >= 0) close(root);
  return sent;
}

// Makes a ring and sends it. Null when nobody takes it.
agent_ring* make_ring(uint64_t wait_ns) {
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
    if (!send_hello(fd, wait_ns)) made = nullptr;
  }
  if (fd >= 0) close(fd);
  return made;
}

// With rare_lock held. Leaves `ring` null when nobody listens.
void greet_recorder(uint64_t wait_ns) {
  // nothing may be marked as sent to the ring of before once that is forgotten, see mark_known()
  if (ring.exchange(nullptr) != nullptr) place ^= 1;
  forget_what_was_sent();
  agent_ring* made = make_ring(wait_ns);
  ring.store(made, std::memory_order_release);
  if (made != nullptr) add_lost_launches(*made, lost_while_connecting.exchange(0));
}

// With rare_lock held, in a process without a channel.
void open_channel() {
  if (same_process == nullptr) {
    const size_t bytes = getauxval(AT_PAGESZ);
    void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) != 0) return;
    same_process = static_cast<volatile char*>(page);
  }
  *same_process = 1;
  if (!has_recorder || (is_awaiting && !find_socket(recorder, greeted))) return;
  greet_recorder(kWaitNs);
  if (ring.load() == nullptr) unmap(places[place]);
}

// Whether the recorder reads what is written, as it does every 20 ms.
bool is_being_read(agent_ring& of) {
  const uint64_t tail = load_tail(of);
  const bool has_moved = tail != tail_at_look.exchange(tail, std::memory_order_relaxed);
  return !has_ended(of) &&
         (has_moved || std::atomic_ref<uint64_t>(of.head).load(std::memory_order_relaxed) == tail);
}

// Connects to a recorder that has come since; false when none has.
bool meet_recorder() {
  agent_ring* before = ring.load(std::memory_order_acquire);
  const int saved_errno = errno;
  bool has_met = false;
  SocketIdentity found;
  if (find_socket(recorder, found) && rare_lock.try_lock()) {
    if (!(found == greeted)) {
      greeted = found;
      // does not wait, as this is a launch; what finds no room is counted there
      greet_recorder(0);
      // after the ring is there: what is reported again goes into it
      recorders.fetch_add(1);
      if (before != nullptr) madvise(before, AGENT_HEADER_BYTES + AGENT_CAPACITY, MADV_REMOVE);
      has_met = ring.load() != nullptr;
    }
    rare_lock.unlock();
  }
  errno = saved_errno;
  return has_met;
}

[[gnu::noinline]] void look_for_recorder() {
  agent_ring* before = ring.load(std::memory_order_acquire);
  if (!is_busy() && (before == nullptr || !is_being_read(*before))) meet_recorder();
}

// In a forked child: the parent's ring is not ours to write.
[[gnu::noinline]] void reconnect_in_child() {
  if (is_busy()) return;  // a handler's launch, within this function or around fork(2)
  const int saved_errno = errno;
  rare_lock.unlock();  // may have been copied while a thread held it; that thread is not here
  rare_lock.lock();
  if (*same_process == 0) {
    ring.store(nullptr);
    for (void*& parents : places) unmap(parents);
    process_generation.fetch_add(1);
    python_forked();
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

bool connect(const char* name, const void* api_function, Absent absent) {
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
  has_memory_request = is_named && getenv(AGENT_MEMORY_ENVIRONMENT) != nullptr;
  is_awaiting = is_named && absent != Absent::is_final && is_directory_alone(named);
  looks_at_launches = is_awaiting && absent == Absent::may_come;
  instances_of_agent = hash_of_agent() << 48;
  own_text = text_around(reinterpret_cast<const void*>(&report_launch));
  api_text = text_around(api_function);
  // the program unloaded the API's library, which does not unload us, and loaded it again
  if (is_same && (ring.load() != nullptr || is_awaiting) && same_process != nullptr &&
      *same_process != 0)
    return true;
  const int saved_errno = errno;
  if (is_named) find_range_agent();
  rare_lock.lock();
  open_channel();
  rare_lock.unlock();
  look_for_python();
  errno = saved_errno;
  return ring.load() != nullptr || (is_awaiting && same_process != nullptr);
}

namespace {

// The ring to report to; null when there is none.
agent_ring* begin() {
  if (same_process == nullptr) return nullptr;
  if (*same_process == 0) [[unlikely]]
    reconnect_in_child();
  if (looks_at_launches && look_timer.is_due()) [[unlikely]]
    look_for_recorder();
  return ring_to_write();
}

}  // namespace

bool begin_report() {
  agent_ring* to = begin();
  if (to == nullptr) [[unlikely]] {
    if (same_process != nullptr) add_lost_without_ring(1);
    return false;
  }
  return admit(*to, add_lost_launches);
}

bool begin_call_report() {
  agent_ring* to = begin();
  return to != nullptr && admit(*to, add_lost_calls);
}

bool begin_memory_report() {
  agent_ring* to = begin();
  return to != nullptr && admit(*to, add_lost_memory);
}

bool is_memory_wanted() {
  return has_memory_request;
}

bool find_recorder() {
  if (same_process == nullptr || *same_process == 0) return false;
  return is_awaiting && meet_recorder();
}

bool has_recorder_gone() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  if (to == nullptr || has_ended(*to)) return true;
  SocketIdentity found;
  if (!is_awaiting || !find_socket(recorder, found)) return false;
  rare_lock.lock();
  const bool is_another = !(found == greeted);
  rare_lock.unlock();
  return is_another;
}

bool awaits_recorder() {
  return is_awaiting;
}

void hold_back() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  if (to != nullptr) std::atomic_ref<uint64_t>(to->holds_back).store(1, std::memory_order_relaxed);
}

bool is_rest_awaited() {
  agent_ring* to = ring_to_write();
  return to != nullptr && is_closing(*to);
}

// Release: whoever sees it sees the records, too.
void end_holding_back() {
  agent_ring* to = ring_to_write();
  if (to != nullptr) std::atomic_ref<uint64_t>(to->holds_back).store(0, std::memory_order_release);
}

bool has_recording_ended() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  return to != nullptr && has_ended(*to);
}

uint32_t generation() {
  return process_generation.load(std::memory_order_relaxed) +
         recorders.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent
