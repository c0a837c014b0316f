/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/python.h"
#include "plugins/agents/common/python_stack.h"
#include "plugins/agents/common/unwind.h"

namespace aiflame::agent {
namespace {

// ---- the connection ----------------------------------------------------------------------------

// A lock for what is rare: its holder is one of our own threads and quick. A forked child takes it
// over as it may have been copied while held.
class RareLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  bool try_lock() { return !taken_.test_and_set(std::memory_order_acquire); }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

RareLock rare_lock;
std::atomic<agent_ring*> ring{nullptr};
char agent_name[16];
// What AIFLAME_AGENT said at the start: later on, another thread may be changing the environment.
char recorder_address[sizeof(sockaddr_un::sun_path)];
// A page that is all zeros in a forked child (MADV_WIPEONFORK): a load tells, where getpid(2) would
// be a system call on each launch.
volatile char* same_process = nullptr;
std::atomic<uint64_t> instances{0};
uint64_t instances_of_agent = 0;
// The tail at which launches were given up because nobody read the ring; ~0 = not given up.
std::atomic<uint64_t> stalled_tail{~uint64_t{0}};
std::atomic<uint32_t> losses_in_a_row{0};
// Launches whose end is still to be told. Room for that is kept: an end that is lost would leave
// its launch running for ever.
std::atomic<int64_t> ends_owed{0};
// So many launches in a row that found the ring full mean that the recorder is gone or stopped:
// from then on they are only counted, until the tail moves.
constexpr uint32_t kGiveUpAfter = 10000;

uint64_t atomic_load(uint64_t& value) {
  return std::atomic_ref<uint64_t>(value).load(std::memory_order_acquire);
}

// On a line that nobody writes to otherwise.
bool is_over(agent_ring& of) {
  return std::atomic_ref<uint64_t>(of.ended).load(std::memory_order_relaxed) != 0;
}

// The ring, where it is read; else null.
agent_ring* ring_to_write() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  return to == nullptr || is_over(*to) ? nullptr : to;
}

char* data_of(agent_ring* at) {
  return reinterpret_cast<char*>(at) + AGENT_HEADER_BYTES;
}

// Hashes of the stacks that the recorder has been told of, direct-mapped: one that was displaced is
// told again. 65536 distinct (thread, kernel, stack) stay known.
constexpr unsigned kKnownBits = 16;
std::atomic<uint64_t> known_stacks[1 << kKnownBits];

// Texts that the recorder has been told of, likewise; a text has two places, so that two that are
// launched from in turn do not displace each other.
constexpr unsigned kTextBits = 15;
std::atomic<uint64_t> known_texts[1 << kTextBits];
std::atomic<bool> python_told{false};

// Executable mappings that the recorder has been told of.
struct Range {
  uint64_t start, end;
};
constexpr int kMaxRanges = 8192;
Range ranges[kMaxRanges];
int range_count = 0;
uint64_t loader_generation = 0;
uint64_t maps_read_at = 0;

void reset() {
  for (auto& known : known_stacks) known.store(0, std::memory_order_relaxed);
  for (auto& known : known_texts) known.store(0, std::memory_order_relaxed);
  python_told.store(false, std::memory_order_relaxed);
  python_forked();
  range_count = 0;
  maps_read_at = 0;
  instances.store(0);
  stalled_tail.store(~uint64_t{0});
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

// Sends `what` with a descriptor, on a connection of its own.
bool send_with(const void* what, size_t bytes, int passed_fd, const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t path_bytes = std::strlen(path);
  if (path_bytes >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path, path_bytes);
  if (path[0] == '@') address.sun_path[0] = '\0';  // the abstract namespace
  // never waits: a full backlog is a failure like any other
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  iovec part{const_cast<void*>(what), bytes};
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
  std::memcpy(CMSG_DATA(rights), &passed_fd, sizeof passed_fd);
  const bool sent =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_bytes)) == 0 &&
      sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
  close(fd);
  return sent;
}

bool send_hello(int ring_fd, const char* path) {
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, AGENT_CAPACITY, {}, 0};
  for (const unsigned long key : {AT_SYSINFO_EHDR, AT_BASE, AT_PHDR, AT_EXECFN, AT_ENTRY})
    hello.program = (hello.program ^ getauxval(key)) * UINT64_C(0x9e3779b97f4a7c15);
  std::memcpy(hello.agent, agent_name, sizeof hello.agent);
  return send_with(&hello, sizeof hello, ring_fd, path);
}

// With rare_lock held. Leaves `ring` null when there is nobody to talk to.
void open_channel() {
  reset();
  if (same_process == nullptr) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK) != 0) return;
    same_process = static_cast<volatile char*>(page);
  }
  *same_process = 1;
  if (recorder_address[0] == '\0') return;
  const int fd = memfd_create("aiflame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return;
  agent_ring* made = nullptr;
  if (ftruncate(fd, static_cast<off_t>(AGENT_HEADER_BYTES + AGENT_CAPACITY)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    made = map_ring(fd, AGENT_CAPACITY);
  if (made != nullptr) {
    made->magic = AGENT_MAGIC;
    made->version = AGENT_VERSION;
    made->capacity = AGENT_CAPACITY;
    if (!send_hello(fd, recorder_address)) {
      munmap(made, AGENT_HEADER_BYTES + 2 * AGENT_CAPACITY);
      made = nullptr;
    }
  }
  close(fd);
  ring.store(made, std::memory_order_release);
}

// ---- records -----------------------------------------------------------------------------------

void count_loss(agent_ring* to, uint64_t launches = 1) {
  std::atomic_ref<uint64_t>(to->lost_launches).fetch_add(launches, std::memory_order_relaxed);
  if (losses_in_a_row.fetch_add(1, std::memory_order_relaxed) + 1 == kGiveUpAfter)
    stalled_tail.store(atomic_load(to->tail), std::memory_order_relaxed);
}

// What other records leave free: for the ends that are owed, and of as many launches as threads may
// be making at this moment.
uint64_t room_for_ends() {
  constexpr int64_t kThreads = 256;
  const int64_t owed = ends_owed.load(std::memory_order_relaxed);
  return static_cast<uint64_t>((owed > 0 ? owed : 0) + kThreads) * sizeof(agent_done);
}

// Room for a record of `bytes` (a multiple of 8) and `more`, or null when the ring is full.
agent_record* reserve(agent_ring* to, uint32_t bytes, uint64_t more) {
  std::atomic_ref<uint64_t> head(to->head);
  uint64_t at = head.load(std::memory_order_relaxed);
  do {
    if (at + bytes + more - atomic_load(to->tail) > AGENT_CAPACITY) return nullptr;
  } while (!head.compare_exchange_weak(at, at + bytes, std::memory_order_relaxed));
  return reinterpret_cast<agent_record*>(data_of(to) + at % AGENT_CAPACITY);
}

void publish(agent_record* record, uint32_t bytes, uint16_t type, uint16_t flags) {
  record->type = type;
  record->flags = flags;
  std::atomic_ref<uint32_t>(record->bytes).store(bytes, std::memory_order_release);
}

constexpr uint32_t round_up(uint32_t bytes) {
  return (bytes + 7) & ~7u;
}

// ---- mappings ----------------------------------------------------------------------------------

bool write_map(agent_ring* to, uint64_t start, uint64_t end, uint64_t offset, const char* path,
               size_t path_bytes, bool first) {
  if (path_bytes > AGENT_MAX_NAME - 1) path_bytes = AGENT_MAX_NAME - 1;
  const uint32_t bytes = round_up(static_cast<uint32_t>(sizeof(agent_map) + path_bytes + 1));
  auto* map = reinterpret_cast<agent_map*>(reserve(to, bytes, room_for_ends()));
  if (map == nullptr) return false;
  map->start = start;
  map->end = end;
  map->file_offset = offset;
  std::memcpy(map + 1, path, path_bytes);  // what follows is zero already
  publish(&map->record, bytes, AGENT_MAP, first ? AGENT_FIRST : 0);
  return true;
}

uint64_t hex(const char*& at, const char* end) {
  uint64_t value = 0;
  for (; at < end; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      value = value << 4 | static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | static_cast<uint64_t>(c - 'a' + 10);
    else
      break;
  }
  return value;
}

// "7f2c9a3a0000-7f2c9a3b2000 r-xp 00003000 fe:00 1234      /usr/lib/libOpenCL.so.1.0.0"
void take_maps_line(agent_ring* to, const char* at, const char* end) {
  const uint64_t start = hex(at, end);
  if (at == end || *at++ != '-') return;
  const uint64_t stop = hex(at, end);
  if (end - at < 6 || at[3] != 'x') return;
  at += 6;
  const uint64_t offset = hex(at, end);
  for (int blanks = 0; at < end && blanks < 3; ++at)
    if (*at == ' ') ++blanks;
  while (at < end && *at == ' ') ++at;
  if (range_count == kMaxRanges) return;
  if (!write_map(to, start, stop, offset, at, static_cast<size_t>(end - at), range_count == 0))
    return;
  ranges[range_count++] = Range{start, stop};
}

void read_maps(agent_ring* to) {
  range_count = 0;
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  static char buffer[32 * 1024];
  size_t filled = 0;
  for (;;) {
    const ssize_t n = read(fd, buffer + filled, sizeof buffer - filled);
    if (n <= 0) break;
    filled += static_cast<size_t>(n);
    const char* line = buffer;
    const char* end = buffer + filled;
    while (const void* newline = std::memchr(line, '\n', static_cast<size_t>(end - line))) {
      take_maps_line(to, line, static_cast<const char*>(newline));
      line = static_cast<const char*>(newline) + 1;
    }
    filled = static_cast<size_t>(end - line);
    std::memmove(buffer, line, filled);
    if (filled == sizeof buffer) filled = 0;  // no line of the kernel's is that long
  }
  close(fd);
}

bool is_known(uint64_t pc) {
  int low = 0, high = range_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ranges[middle].end <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < range_count && ranges[low].start <= pc;
}

// Tells of the mappings that a new stack runs through, when they are not known to be told of.
void report_maps(agent_ring* to, const uint64_t* frames, uint32_t count) {
  uint64_t generation = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &generation);
  // Nobody waits here, with whatever the program holds: where another thread is at it, the recorder
  // looks into /proc for what it is not told.
  if (!rare_lock.try_lock()) return;
  bool read = generation != loader_generation || range_count == 0;
  // JIT compilers make mappings all the time, and those have no name to give: once in 10 ms, the
  // recorder's default interval, is often enough to look
  const uint64_t now = monotonic_ns();
  for (uint32_t i = 0; i < count && !read; ++i)
    read = frames[i] != 0 && (frames[i] & AGENT_TEXT_FRAME) == 0 && !is_known(frames[i]) &&
           now - maps_read_at > 10000000;
  if (read) {
    loader_generation = generation;
    maps_read_at = now;
    read_maps(to);
  }
  rare_lock.unlock();
}

// ---- stacks ------------------------------------------------------------------------------------

// Four at once, as each step of one waits for the one before: a stack of 64 frames would take as
// long as walking it.
uint64_t hash_frames(const uint64_t* frames, uint32_t count) {
  constexpr uint32_t kLanes = 4;
  uint64_t lanes[kLanes] = {count, 1, 2, 3};
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = mix(lanes[lane], frames[i + lane]);
  for (; i < count; ++i) lanes[i % kLanes] = mix(lanes[i % kLanes], frames[i]);
  // mix() takes its two alike
  uint64_t hash = lanes[0];
  for (uint32_t lane = 1; lane < kLanes; ++lane) hash = mix(hash + lane, lanes[lane]);
  return hash;
}

struct ThreadId {
  uint32_t tid = 0;
  uint32_t process_generation = 0;
};
thread_local ThreadId thread_id;
std::atomic<uint32_t> process_generation{1};

uint32_t current_tid() {
  const uint32_t generation = process_generation.load(std::memory_order_relaxed);
  if (thread_id.process_generation != generation)
    thread_id = ThreadId{static_cast<uint32_t>(syscall(SYS_gettid)), generation};
  return thread_id.tid;
}

// Where code lies.
struct Text {
  uint64_t start = 0, end = 0;
  bool holds(uint64_t pc) const { return pc >= start && pc < end; }
};

Text text_around(const void* address) {
  dl_find_object object;
  if (_dl_find_object(const_cast<void*>(address), &object) != 0) return {};
  return Text{reinterpret_cast<uint64_t>(object.dlfo_map_start),
              reinterpret_cast<uint64_t>(object.dlfo_map_end)};
}

Text own_text;  // of the agent itself
Text api_text;  // of the library whose functions the program calls
constexpr int kMaxLeftOut = 4;
Text left_out[kMaxLeftOut];  // of libraries between the two
std::atomic<int> left_out_count{0};

// Of a return address.
bool is_ours_or_the_apis(uint64_t frame) {
  if (own_text.holds(frame - 1) || api_text.holds(frame - 1)) return true;
  const int count = left_out_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i)
    if (left_out[i].holds(frame - 1)) return true;
  return false;
}

uint32_t tid_of(const Launch& launch) {
  return launch.tid != 0 ? launch.tid : current_tid();
}

bool write_stack(agent_ring* to, const Launch& launch, uint64_t id, const uint64_t* frames,
                 uint32_t count, uint32_t flags, const Stack* appended) {
  const uint32_t appended_count = appended == nullptr ? 0 : appended->count;
  const uint32_t bytes =
      round_up(static_cast<uint32_t>(sizeof(agent_stack) + (size_t{count} + appended_count) * 8 +
                                     launch.kernel_name_bytes + launch.front_bytes));
  auto* stack = reinterpret_cast<agent_stack*>(reserve(to, bytes, room_for_ends()));
  if (stack == nullptr) return false;
  stack->id = id;
  stack->kernel_address = launch.kernel_address;
  stack->tid = tid_of(launch);
  stack->frame_count = count;
  stack->name_bytes = launch.kernel_name_bytes;
  stack->device = launch.device;
  stack->object = launch.object;
  stack->appended_count = appended_count;
  stack->front_bytes = launch.front_bytes;
  if (launch.tid != 0)
    std::memcpy(stack->comm, launch.comm, sizeof stack->comm);
  else
    prctl(PR_GET_NAME, stack->comm);
  char* behind = reinterpret_cast<char*>(stack + 1);
  const size_t frame_bytes = size_t{count} * 8;
  std::memcpy(behind, frames, frame_bytes);
  behind += frame_bytes;
  const size_t appended_bytes = size_t{appended_count} * 8;
  if (appended_count > 0) std::memcpy(behind, appended->frames, appended_bytes);
  behind += appended_bytes;
  std::memcpy(behind, launch.kernel_name, launch.kernel_name_bytes);
  behind += launch.kernel_name_bytes;
  if (launch.front_bytes > 0) std::memcpy(behind, launch.front, launch.front_bytes);
  if (appended != nullptr) flags |= appended->flags;
  publish(&stack->record, bytes, AGENT_STACK, static_cast<uint16_t>(flags));
  return true;
}

// ---- the walk ----------------------------------------------------------------------------------

// The calling thread's native frames behind the API function that was entered.
class Walk {
 public:
  // frames()[0] is for the API function; ours and its library's own frames go. `pointers`: as
  // walk_stack() has it, kCapacity of them.
  void take(const void* api_function, uint64_t* pointers) {
    const int walked = walk_stack(room_ + 1, kCapacity, is_cut_, pointers);
    first_ = 0;
    while (first_ < walked && is_ours_or_the_apis(room_[first_ + 1])) ++first_;
    room_[first_] = reinterpret_cast<uint64_t>(api_function);
    count_ = walked - first_ + 1;
    if (count_ > AGENT_MAX_NATIVE_FRAMES) {
      count_ = AGENT_MAX_NATIVE_FRAMES;
      is_cut_ = true;
    }
  }

  const uint64_t* frames() const { return room_ + first_; }
  uint32_t count() const { return static_cast<uint32_t>(count_); }
  // Of walk_stack()'s frames, those that went.
  int first() const { return first_; }
  bool is_cut() const { return is_cut_; }
  uint32_t flags() const { return is_cut_ ? AGENT_CUT : 0; }

  static constexpr int kCapacity = AGENT_MAX_NATIVE_FRAMES + 6;

 private:
  uint64_t room_[kCapacity + 1];
  int first_ = 0, count_ = 0;
  bool is_cut_ = false;
};

// ---- Python ------------------------------------------------------------------------------------

// An interpreter whose frames are not walked, once.
void tell_python(agent_ring* to) {
  if (python_state() != PythonState::unknown || python_told.load(std::memory_order_relaxed)) return;
  auto* told = reinterpret_cast<agent_python*>(reserve(to, sizeof(agent_python), room_for_ends()));
  if (told == nullptr) return;
  python_told.store(true, std::memory_order_relaxed);
  told->version = python_version();
  publish(&told->record, sizeof(agent_python), AGENT_PYTHON, 0);
}

bool write_text(agent_ring* to, uint64_t id, const PythonPlace& place) {
  constexpr size_t kMaxName = 1024;  // a name that is longer is nobody's to read
  char name[kMaxName], file[AGENT_MAX_NAME];
  const size_t name_bytes = copy_name(place, name, sizeof name);
  const size_t file_bytes = copy_file(place, file, sizeof file);
  const uint32_t bytes =
      round_up(static_cast<uint32_t>(sizeof(::agent_text) + name_bytes + file_bytes));
  auto* text = reinterpret_cast<::agent_text*>(reserve(to, bytes, room_for_ends()));
  if (text == nullptr) return false;
  text->id = id;
  text->line = line_of(place);
  text->name_bytes = static_cast<uint16_t>(name_bytes);
  text->file_bytes = static_cast<uint16_t>(file_bytes);
  char* behind = reinterpret_cast<char*>(text + 1);
  std::memcpy(behind, name, name_bytes);
  std::memcpy(behind + name_bytes, file, file_bytes);
  publish(&text->record, bytes, AGENT_TEXT, 0);
  return true;
}

// What a stack's Python frames are told with.
struct Texts {
  agent_ring* to = nullptr;
  bool failed = false;
  KnownTexts known;
};

// What a Python frame is written as; the recorder is told what that stands for, unless it knows.
// Where it cannot be told, as the ring is full, the stack and its launch find it full as well.
uint64_t text_of(void* context, uint64_t frame) {
  Texts& texts = *static_cast<Texts*>(context);
  PythonPlace place;
  const PythonCheck check = read_place(frame, place);
  if (check == PythonCheck::failed) texts.failed = true;
  if (check != PythonCheck::passed) return 0;
  const uint64_t id = number_of(place, texts.known) | AGENT_TEXT_FRAME;
  const uint64_t at = id & ((uint64_t{1} << kTextBits) - 1);
  for (const uint64_t slot : {at, at ^ 1})
    if (known_texts[slot].load(std::memory_order_relaxed) == id) return id;
  if (!write_text(texts.to, id, place)) return id;
  const uint64_t slot = known_texts[at].load(std::memory_order_relaxed) == 0 ? at : at ^ 1;
  known_texts[slot].store(id, std::memory_order_relaxed);
  return id;
}

// As take_stack(), in a thread that may be in Python.
[[gnu::noinline]] void take_python_stack(agent_ring* to, const void* api_function, Stack& out) {
  const int saved_errno = errno;
  uint64_t pointers[Walk::kCapacity];
  Walk walk;
  walk.take(api_function, pointers);
  out.frames[0] = walk.frames()[0];
  out.flags = walk.flags();
  Texts texts{to, false, {}};
  PythonFrames python;
  bool fits = walk_python(python);
  if (fits) {
    const NativeFrames native{walk.frames() + 1, pointers + walk.first(),
                              static_cast<int>(walk.count()) - 1, walk.is_cut()};
    MixedFrames mixed{out.frames + 1, AGENT_MAX_FRAMES - 1, 0, false};
    fits = interleave(native, python, text_of, &texts, is_in_interpreter, mixed) && !texts.failed;
    out.count = mixed.count + 1;
    if (mixed.is_cut) out.flags |= AGENT_CUT;
  }
  if (!fits) {
    out.count = walk.count();
    out.flags = walk.flags() | AGENT_NO_PYTHON;
    std::memcpy(out.frames, walk.frames(), size_t{out.count} * sizeof(uint64_t));
  }
  errno = saved_errno;
}

// ---- stacks that are told ----------------------------------------------------------------------

bool write_code(agent_ring* to, uint16_t type, uint64_t id, uint32_t device, uint64_t base = 0,
                const char* extension = "") {
  auto* code = reinterpret_cast<agent_code*>(reserve(to, sizeof(agent_code), room_for_ends()));
  if (code == nullptr) return false;
  code->id = id;
  code->time = monotonic_ns();
  code->device = device;
  code->base = base;
  std::strncpy(code->extension, extension, sizeof code->extension - 1);
  publish(&code->record, sizeof(agent_code), type, 0);
  return true;
}

// What the recorder is told of a stack, unless it knows; and its id.
uint64_t tell_stack(agent_ring* to, const Launch& launch, const Stack& stack,
                    const Stack* appended) {
  uint64_t id =
      mix(mix(tid_of(launch), stack.hash), launch.object + (uint64_t{launch.device} << 56));
  // a name stays where it is as long as there is a launch of it
  id = mix(id, hash_bytes(launch.kernel_name, launch.kernel_name_bytes));
  if (appended != nullptr) id = mix(id, appended->hash);
  if (launch.front_bytes > 0) id = mix(id, hash_bytes(launch.front, launch.front_bytes));
  std::atomic<uint64_t>& known = known_stacks[id >> (64 - kKnownBits)];
  if (known.load(std::memory_order_relaxed) == id) return id;
  const int saved_errno = errno;
  look_for_python();
  tell_python(to);
  report_maps(to, stack.frames, stack.count);
  if (appended != nullptr) report_maps(to, appended->frames, appended->count);
  if (write_stack(to, launch, id, stack.frames, stack.count, stack.flags, appended))
    known.store(id, std::memory_order_relaxed);
  errno = saved_errno;
  return id;
}

// Of a launch that is reported as it is made.
uint64_t stack_id(const Launch& launch, const uint64_t* frames, uint32_t count) {
  uint64_t id = mix(current_tid(), launch.kernel_address);
  id = mix(id, hash_frames(frames, count));
  id = mix(mix(id, launch.object + (uint64_t{launch.device} << 56)),
           hash_bytes(launch.kernel_name, launch.kernel_name_bytes));
  return launch.front_bytes > 0 ? mix(id, hash_bytes(launch.front, launch.front_bytes)) : id;
}

bool is_known_stack(uint64_t id) {
  return known_stacks[id >> (64 - kKnownBits)].load(std::memory_order_relaxed) == id;
}

[[gnu::noinline]] void tell_launch_stack(agent_ring* to, const Launch& launch, uint64_t id,
                                         const uint64_t* frames, uint32_t count, uint32_t flags) {
  const int saved_errno = errno;
  tell_python(to);
  report_maps(to, frames, count);
  if (write_stack(to, launch, id, frames, count, flags, nullptr))
    known_stacks[id >> (64 - kKnownBits)].store(id, std::memory_order_relaxed);
  errno = saved_errno;
}

Launched write_launch(agent_ring* to, const Launch& launch, uint64_t id) {
  ends_owed.fetch_add(1, std::memory_order_relaxed);
  auto* record =
      reinterpret_cast<agent_launch*>(reserve(to, sizeof(agent_launch), room_for_ends()));
  if (record == nullptr) {
    ends_owed.fetch_sub(1, std::memory_order_relaxed);
    count_loss(to);
    return {0, 0, 0};
  }
  if (losses_in_a_row.load(std::memory_order_relaxed) != 0)
    losses_in_a_row.store(0, std::memory_order_relaxed);
  // the agents of a process do not know of each other: the uppermost bits tell theirs apart
  const uint64_t instance =
      (instances_of_agent | (instances.fetch_add(1, std::memory_order_relaxed) + 1));
  record->id = id;
  record->instance = instance;
  const uint64_t now = monotonic_ns();
  record->time = now;
  record->queue = launch.queue;
  publish(&record->record, sizeof(agent_launch), AGENT_LAUNCH, launch.flags);
  return {instance, now, id};
}

[[gnu::noinline]] Launched report_python_launch(agent_ring* to, const Launch& launch) {
  Stack stack;
  take_python_stack(to, launch.api_function, stack);
  const uint64_t id = stack_id(launch, stack.frames, stack.count);
  if (!is_known_stack(id))
    tell_launch_stack(to, launch, id, stack.frames, stack.count, stack.flags);
  return write_launch(to, launch, id);
}

}  // namespace

uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t monotonic_raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

bool connect(const char* name, const void* api_function) {
  const char* address = getenv(AGENT_ENVIRONMENT);
  if (address == nullptr || std::strlen(address) >= sizeof recorder_address) address = "";
  const bool is_same = std::strcmp(address, recorder_address) == 0;
  std::strncpy(agent_name, name, sizeof agent_name - 1);
  std::strncpy(recorder_address, address, sizeof recorder_address - 1);
  instances_of_agent = hash_bytes(agent_name, sizeof agent_name) << 48;
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

bool active() {
  if (same_process == nullptr) return false;
  if (*same_process == 0) [[unlikely]] {
    // a forked child: the parent's ring is not ours to write
    const int saved_errno = errno;
    rare_lock.unlock();  // may have been copied while a thread held it; that thread is not here
    rare_lock.lock();
    if (*same_process == 0) {
      agent_ring* parents = ring.exchange(nullptr);
      if (parents != nullptr) munmap(parents, AGENT_HEADER_BYTES + 2 * AGENT_CAPACITY);
      process_generation.fetch_add(1);
      open_channel();
    }
    rare_lock.unlock();
    errno = saved_errno;
  }
  agent_ring* to = ring_to_write();
  if (to == nullptr) return false;
  const uint64_t stalled = stalled_tail.load(std::memory_order_relaxed);
  if (stalled == ~uint64_t{0}) return true;
  if (atomic_load(to->tail) == stalled) {
    std::atomic_ref<uint64_t>(to->lost_launches).fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  losses_in_a_row.store(0, std::memory_order_relaxed);
  stalled_tail.store(~uint64_t{0}, std::memory_order_relaxed);
  return true;
}

bool has_recording_ended() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  return to != nullptr && is_over(*to);
}

Launched report_launch(const Launch& launch) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {0, 0, 0};
  if (python_state() == PythonState::known) return report_python_launch(to, launch);
  Walk walk;
  walk.take(launch.api_function, nullptr);
  const uint64_t id = stack_id(launch, walk.frames(), walk.count());
  if (!is_known_stack(id)) {
    const int saved_errno = errno;
    const bool found = look_for_python();
    errno = saved_errno;
    if (found) return report_launch(launch);
    tell_launch_stack(to, launch, id, walk.frames(), walk.count(), walk.flags());
  }
  return write_launch(to, launch, id);
}

void take_stack(const void* api_function, Stack& out) {
  agent_ring* to = ring_to_write();
  if (to != nullptr && python_state() == PythonState::known) {
    take_python_stack(to, api_function, out);
  } else {
    Walk walk;
    walk.take(api_function, nullptr);
    out.count = walk.count();
    out.flags = walk.flags();
    std::memcpy(out.frames, walk.frames(), size_t{out.count} * sizeof(uint64_t));
  }
  out.hash = hash_frames(out.frames, out.count);
}

void take_launch_stack(Stack& out) {
  const int saved_errno = errno;
  look_for_python();
  errno = saved_errno;
  take_stack(nullptr, out);
}

Launched report_launch_of(const Launch& launch, const Stack& stack) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {0, 0, 0};
  const uint64_t id = stack_id(launch, stack.frames, stack.count);
  if (!is_known_stack(id))
    tell_launch_stack(to, launch, id, stack.frames, stack.count, stack.flags);
  return write_launch(to, launch, id);
}

void leave_out(const void* address) {
  const Text text = text_around(address);
  const int count = left_out_count.load(std::memory_order_relaxed);
  if (text.start == 0 || count == kMaxLeftOut) return;
  for (int i = 0; i < count; ++i)
    if (left_out[i].start == text.start) return;
  left_out[count] = text;
  left_out_count.store(count + 1, std::memory_order_release);
}

uint64_t told_stack_id(const Launch& launch, const Stack& stack) {
  agent_ring* to = ring_to_write();
  return to == nullptr ? 0 : tell_stack(to, launch, stack, nullptr);
}

uint32_t thread_number() {
  return current_tid();
}

void report_launches(const Launch& launch, const Stack& stack, const Stack* appended,
                     uint64_t count, uint64_t time, bool failed) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  const uint64_t id = tell_stack(to, launch, stack, appended);
  auto* record =
      reinterpret_cast<agent_launches*>(reserve(to, sizeof(agent_launches), room_for_ends()));
  if (record == nullptr) {
    if (!failed) count_loss(to, count);
    return;
  }
  if (losses_in_a_row.load(std::memory_order_relaxed) != 0)
    losses_in_a_row.store(0, std::memory_order_relaxed);
  record->id = id;
  record->time = time;
  record->count = count;
  publish(&record->record, sizeof(agent_launches), AGENT_LAUNCHES, failed ? AGENT_FAILED : 0);
}

Launched report_launch_at(const Launch& launch, const Stack& stack, const Stack* appended) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {0, 0, 0};
  return write_launch(to, launch, tell_stack(to, launch, stack, appended));
}

void count_lost(uint64_t launches) {
  agent_ring* to = ring_to_write();
  if (to != nullptr)
    std::atomic_ref<uint64_t>(to->lost_launches).fetch_add(launches, std::memory_order_relaxed);
}

namespace {

uint64_t tell_object(const void* content, uint64_t bytes, uint32_t device, uint64_t again,
                     uint64_t base, const char* extension) {
  static std::atomic<uint64_t> objects{0};
  agent_ring* to = ring_to_write();
  if (to == nullptr || bytes == 0 || bytes > AGENT_MAX_OBJECT) return 0;
  const int saved_errno = errno;
  // the agents of a process do not know of each other: the upper half tells theirs apart
  const uint64_t ours = hash_bytes(agent_name, sizeof agent_name) << 32;
  const uint64_t id =
      again != 0 ? again : ours + objects.fetch_add(1, std::memory_order_relaxed) + 1;
  bool told = false;
  const int fd = memfd_create("aiflame-object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0) {
    uint64_t written = 0;
    while (written < bytes) {
      const ssize_t n = write(fd, static_cast<const char*>(content) + written,
                              static_cast<size_t>(bytes - written));
      if (n <= 0 && errno != EINTR) break;
      if (n > 0) written += static_cast<uint64_t>(n);
    }
    const agent_object object{AGENT_OBJECT_MAGIC, AGENT_VERSION, id, bytes, 0};
    told = written == bytes &&
           fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0 &&
           send_with(&object, sizeof object, fd, recorder_address);
    close(fd);
  }
  if (told) told = write_code(to, AGENT_LOAD, id, device, base, extension);
  errno = saved_errno;
  return told ? id : 0;
}

// Room for a record that is all of a structure, or null.
template <typename Record>
Record* reserve_record(agent_ring*& to) {
  to = ring_to_write();
  if (to == nullptr) return nullptr;
  return reinterpret_cast<Record*>(reserve(to, sizeof(Record), room_for_ends()));
}

}  // namespace

uint64_t report_load(const void* content, uint64_t bytes, uint32_t device, uint64_t again) {
  return tell_object(content, bytes, device, again, 0, "");
}

uint64_t report_load_at(const void* content, uint64_t bytes, uint32_t device, uint64_t base,
                        const char* extension) {
  return tell_object(content, bytes, device, 0, base, extension);
}

void report_sampling(uint32_t device, uint64_t period, const char* unit, const char* name) {
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_sampling>(to);
  if (record == nullptr) return;
  record->device = device;
  record->period = period;
  std::strncpy(record->unit, unit, sizeof record->unit - 1);
  std::strncpy(record->name, name, sizeof record->name - 1);
  publish(&record->record, sizeof *record, AGENT_SAMPLING, 0);
}

bool report_reason(uint32_t number, const char* name) {
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_reason>(to);
  if (record == nullptr) return to == nullptr;
  record->number = number;
  std::strncpy(record->name, name, sizeof record->name - 1);
  publish(&record->record, sizeof *record, AGENT_REASON, 0);
  return true;
}

void report_sample(const Sample& sample) {
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_sample>(to);
  if (to == nullptr) return;
  if (record == nullptr) {
    std::atomic_ref<uint64_t>(to->lost_samples).fetch_add(sample.count, std::memory_order_relaxed);
    return;
  }
  record->address = sample.address;
  record->stack = sample.stack;
  record->device = sample.device;
  record->reason = sample.reason;
  record->count = sample.count;
  publish(&record->record, sizeof *record, AGENT_SAMPLE, sample.flags);
}

void report_lost_samples(uint32_t device, uint64_t count) {
  if (count >= AGENT_MAX_LOST) count = UINT64_MAX;
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_lost>(to);
  if (to == nullptr) return;
  if (record == nullptr) {
    std::atomic_ref<uint64_t>(to->lost_samples)
        .fetch_add(count == UINT64_MAX ? 1 : count, std::memory_order_relaxed);
    return;
  }
  record->device = device;
  record->count = count;
  publish(&record->record, sizeof *record, AGENT_LOST, 0);
}

void report_drained(uint64_t time) {
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_drained>(to);
  if (record == nullptr) return;
  record->time = time;
  publish(&record->record, sizeof *record, AGENT_DRAINED, 0);
}

void report_message(const char* text, bool is_hint) {
  agent_ring* to = nullptr;
  auto* record = reserve_record<agent_message>(to);
  if (record == nullptr) return;
  std::strncpy(record->text, text, sizeof record->text - 1);
  publish(&record->record, sizeof *record, AGENT_MESSAGE, is_hint ? AGENT_HINT : 0);
}

void report_unload(uint64_t object) {
  agent_ring* to = ring_to_write();
  if (to != nullptr && object != 0) write_code(to, AGENT_UNLOAD, object, 0);
}

void report_device(uint32_t number, const char* place) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  auto* device =
      reinterpret_cast<agent_device*>(reserve(to, sizeof(agent_device), room_for_ends()));
  if (device == nullptr) return;
  device->number = number;
  std::strncpy(device->place, place, sizeof device->place - 1);
  publish(&device->record, sizeof(agent_device), AGENT_DEVICE, 0);
}

uint32_t generation() {
  return process_generation.load(std::memory_order_relaxed);
}

void report_done(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  ends_owed.fetch_sub(1, std::memory_order_relaxed);
  auto* record = reinterpret_cast<agent_done*>(reserve(to, sizeof(agent_done), 0));
  if (record == nullptr) {
    count_loss(to);
    return;
  }
  record->instance = instance;
  record->begin = begin;
  record->end = end;
  publish(&record->record, sizeof(agent_done), AGENT_DONE, flags);
}

}  // namespace aiflame::agent
