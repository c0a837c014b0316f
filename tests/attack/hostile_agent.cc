// SPDX-License-Identifier: MIT
// hostile_agent ATTACK COUNT [PROCESSES]: a recorded program whose agent wants to harm the
// recorder. It does ATTACK COUNT times in each of PROCESSES processes at once, as fast as it can.
// hostile_agent list prints the attacks. "honest" is no attack: COUNT launches that end, from 16
// stacks, of which none may be lost beside an attack.
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/fakes/agent_ring.h"

namespace {

using aiflame::fakes::AgentRing;

uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

std::string recorder_address() {
  const char* address = std::getenv(AGENT_ENVIRONMENT);
  return address == nullptr ? "" : address;
}

template <typename Record>
Record make(uint16_t type, uint16_t flags = 0) {
  Record record{};
  record.record.bytes = sizeof record;
  record.record.type = type;
  record.record.flags = flags;
  return record;
}

// Writes records as a correct agent does, but waits where that one would drop a launch.
class Agent {
 public:
  Agent() : ring_(recorder_address()) {}

  // `more` follows the record.
  template <typename Record>
  void write(Record record, std::string_view more = {}) {
    std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
    bytes += more;
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const auto size = static_cast<uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &size, sizeof size);
    put(bytes);
  }
  // Puts bytes into the ring as they are. Their first four, the size of a record, come last.
  void put(const std::string& bytes) {
    if (!wait_for_room(bytes.size())) return;
    const uint64_t at = head_ % AGENT_CAPACITY;
    const uint64_t first = std::min<uint64_t>(bytes.size(), AGENT_CAPACITY - at);
    if (first > 4) std::memcpy(ring_.data() + at + 4, bytes.data() + 4, first - 4);
    std::memcpy(ring_.data(), bytes.data() + first, bytes.size() - first);
    uint32_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    last_ = reinterpret_cast<uint32_t*>(ring_.data() + at);
    std::atomic_ref<uint32_t>(*last_).store(size, std::memory_order_release);
    head_ += bytes.size();
  }
  // nullptr where the last `bytes` or fewer before the ring's end are its beginning.
  char* last_record(uint64_t bytes) {
    char* const at = reinterpret_cast<char*>(last_);
    return at + bytes <= ring_.data() + AGENT_CAPACITY ? at : nullptr;
  }
  agent_ring& header() { return ring_.header(); }

 private:
  // False when the recorder has given up this ring.
  bool wait_for_room(uint64_t bytes) {
    const uint64_t deadline = now_ns() + 5000000000;
    const timespec pause{0, 200000};
    while (!given_up_ && head_ + bytes - tail() > AGENT_CAPACITY) {
      given_up_ = now_ns() > deadline;
      nanosleep(&pause, nullptr);
    }
    return !given_up_;
  }
  uint64_t tail() {
    return std::atomic_ref<uint64_t>(ring_.header().tail).load(std::memory_order_acquire);
  }

  AgentRing ring_;
  uint64_t head_ = 0;
  uint32_t* last_ = nullptr;
  bool given_up_ = false;
};

// ---- records -----------------------------------------------------------------------------------

void write_stack(Agent& agent, uint64_t id, const std::string& kernel,
                 const std::vector<uint64_t>& frames) {
  auto stack = make<agent_stack>(AGENT_STACK);
  stack.id = id;
  stack.tid = static_cast<uint32_t>(getpid());
  stack.frame_count = static_cast<uint32_t>(frames.size());
  stack.name_bytes = static_cast<uint32_t>(kernel.size());
  std::strcpy(stack.comm, "hostile");
  agent.write(
      stack, std::string(reinterpret_cast<const char*>(frames.data()), frames.size() * 8) + kernel);
}

void write_launch(Agent& agent, uint64_t id, uint64_t instance, uint64_t time, uint16_t flags = 0,
                  uint64_t queue = 1, uint64_t size = 0) {
  auto launch = make<agent_launch>(AGENT_LAUNCH, flags);
  launch.id = id;
  launch.size = size;
  launch.instance = instance;
  launch.time = time;
  launch.queue = queue;
  agent.write(launch);
}

void write_done(Agent& agent, uint64_t instance, uint64_t begin, uint64_t end) {
  auto done = make<agent_done>(AGENT_DONE);
  done.instance = instance;
  done.begin = begin;
  done.end = end;
  agent.write(done);
}

void write_sample(Agent& agent, uint64_t address, uint32_t count) {
  auto sample = make<agent_sample>(AGENT_SAMPLE);
  sample.address = address;
  sample.count = count;
  agent.write(sample);
}

template <size_t N>
void set_text(char (&field)[N], const std::string& text) {
  std::memcpy(field, text.data(), std::min(N, text.size()));
}

void write_code(Agent& agent, uint16_t type, uint64_t id, uint64_t base) {
  auto code = make<agent_code>(type);
  code.id = id;
  code.time = now_ns();
  code.base = base;
  set_text(code.extension, "cubin");
  agent.write(code);
}

// ---- code objects ------------------------------------------------------------------------------

// An ELF file with one kernel, `bytes` long; `seed` makes its content unlike that of others.
std::string make_object(uint64_t seed, uint64_t bytes) {
  struct Header {
    unsigned char ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, phoff, shoff;
    uint32_t flags;
    uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
  };
  struct Section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t align, entsize;
  };
  const std::string names = std::string("\0.text.k", 8) + std::to_string(seed) + '\0';
  Header header{};
  std::memcpy(header.ident, "\177ELF\2\1\1", 7);
  header.shoff = sizeof header;
  header.shentsize = sizeof(Section);
  header.shnum = 3;
  header.shstrndx = 1;
  Section sections[3]{};
  sections[1] = {0, 3, 0, 0, sizeof header + sizeof sections, names.size(), 0, 0, 1, 0};
  sections[2] = {1, 1, 6, 0, sizeof header + sizeof sections + names.size(), 64, 0, 0, 1, 0};
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out.append(reinterpret_cast<const char*>(sections), sizeof sections);
  out += names;
  out.resize(std::max<uint64_t>(bytes, out.size() + 64));
  return out;
}

constexpr int kAllSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

// Sends `content`, followed by a hole up to `bytes`. Returns the memfd when `keep`.
int send_object(uint64_t id, const std::string& content, uint64_t bytes, int seals = kAllSeals,
                bool keep = false) {
  const int fd = memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || write(fd, content.data(), content.size()) < 0 ||
      ftruncate(fd, static_cast<off_t>(bytes)) != 0)
    abort();
  if (seals != 0 && fcntl(fd, F_ADD_SEALS, seals) != 0) abort();
  AgentRing::send(recorder_address(),
                  agent_object{AGENT_OBJECT_MAGIC, AGENT_VERSION, {}, id, bytes, {}}, fd);
  if (keep) return fd;
  close(fd);
  return -1;
}

void send_and_load(Agent& agent, uint64_t id, uint64_t bytes) {
  const std::string content = make_object(id ^ static_cast<uint64_t>(getpid()) << 32, 0);
  send_object(id, content, std::max<uint64_t>(bytes, content.size()));
  write_code(agent, AGENT_LOAD, id, (id + 1) << 28);
}

// ---- attacks -----------------------------------------------------------------------------------

constexpr uint64_t kFar = uint64_t{1} << 62;

void mappings(Agent& agent, uint64_t count) {
  const std::string path = "/" + std::string(4000, 'm');
  for (uint64_t i = 0; i < count; ++i) {
    auto map = make<agent_map>(AGENT_MAP);
    map.start = i << 12;
    map.end = map.start + 4096;
    agent.write(map, path + std::to_string(i) + '\0');
  }
}

void names(Agent& agent, uint64_t count) {
  const std::string name(4000, 'n');
  for (uint64_t i = 1; i <= count; ++i) {
    write_stack(agent, i, name + std::to_string(i), {0x1000});
    write_launch(agent, i, i, now_ns(), AGENT_UNTIMED);
  }
}

void stacks(Agent& agent, uint64_t count) {
  auto map = make<agent_map>(AGENT_MAP, AGENT_FIRST);
  map.end = UINT64_MAX;
  agent.write(map, std::string("/nowhere\0", 9));
  std::vector<uint64_t> frames(AGENT_MAX_NATIVE_FRAMES);
  for (uint64_t i = 1; i <= count; ++i) {
    for (size_t k = 0; k < frames.size(); ++k) frames[k] = i << 20 | k << 4;
    write_stack(agent, i, "stacks", frames);
    write_launch(agent, i, i, now_ns(), AGENT_UNTIMED);
  }
}

// Each address lies in no mapping, so that the recorder has to look into /proc.
void unmapped(Agent& agent, uint64_t count) {
  for (uint64_t i = 1; i <= count; ++i) {
    write_stack(agent, i, "unmapped", {kFar + i * 4096});
    write_launch(agent, i, i, now_ns(), AGENT_UNTIMED);
  }
}

void launches(Agent& agent, uint64_t count) {
  write_stack(agent, 1, "endless", {0x1000});
  for (uint64_t i = 1; i <= count; ++i) write_launch(agent, 1, i, now_ns(), 0, i);
}

void texts(Agent& agent, uint64_t count) {
  const std::string name(4000, 'p');
  for (uint64_t i = 1; i <= count; ++i) {
    auto text = make<agent_text>(AGENT_TEXT);
    text.id = AGENT_TEXT_FRAME | i;
    text.name_bytes = 4000;
    agent.write(text, name);
  }
}

void devices(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    auto device = make<agent_device>(AGENT_DEVICE);
    device.number = static_cast<uint32_t>(i);
    set_text(device.place, std::to_string(i));
    agent.write(device);
    auto sampling = make<agent_sampling>(AGENT_SAMPLING);
    sampling.device = static_cast<uint32_t>(i);
    sampling.period = i;
    set_text(sampling.name, std::string(64, 'd'));
    agent.write(sampling);
    auto python = make<agent_python>(AGENT_PYTHON);
    python.version = static_cast<uint32_t>(i);
    agent.write(python);
  }
}

void reasons(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    auto reason = make<agent_reason>(AGENT_REASON);
    reason.number = static_cast<uint32_t>(i % AGENT_MAX_REASONS);
    set_text(reason.name, std::to_string(i) + std::string(64, 'r'));
    agent.write(reason);
  }
}

void messages(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    auto message = make<agent_message>(AGENT_MESSAGE);
    set_text(message.text, std::to_string(i) + " \033[2J" + std::string(512, 't'));
    agent.write(message);
  }
}

void lost(Agent& agent, uint64_t count) {
  std::atomic_ref<uint64_t>(agent.header().lost_launches).store(UINT64_MAX);
  std::atomic_ref<uint64_t>(agent.header().lost_samples).store(UINT64_MAX - 1);
  for (uint64_t i = 0; i < count; ++i) {
    auto record = make<agent_lost>(AGENT_LOST);
    record.count = i % 2 == 0 ? AGENT_MAX_LOST - 1 : UINT64_MAX;
    agent.write(record);
  }
}

// Far in the future and in the past; the recording must still be one that its readers take.
void times(Agent& agent, uint64_t count) {
  write_stack(agent, 1, "times", {0x1000});
  const uint64_t chosen[] = {0, 1, now_ns(), now_ns() + 3600000000000, kFar, UINT64_MAX};
  for (uint64_t i = 1; i <= count; ++i) {
    auto size = make<agent_size>(AGENT_SIZE);  // another one for each launch
    size.id = i;
    size.items[0] = UINT64_MAX - i;
    size.group[2] = UINT32_MAX;
    agent.write(size);
    write_launch(agent, 1, i, chosen[i % 6], i % 7 == 0 ? AGENT_UNTIMED : 0, i % 64, i);
    write_done(agent, i, chosen[i % 4], chosen[i % 5 + 1]);
    if (i % 8 != 0) continue;
    auto record = make<agent_launches>(AGENT_LAUNCHES, i % 16 == 0 ? AGENT_FAILED : 0);
    record.id = 1;
    record.time = chosen[i % 6];
    record.count = uint64_t{1} << 32;
    agent.write(record);
  }
}

void sizes(Agent&, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Agent agent;
    std::string record(64, '\xff');
    const uint32_t chosen[] = {UINT32_MAX, 1, 4, AGENT_MAX_RECORD + 8, 64};
    std::memcpy(record.data(), &chosen[i % 5], 4);
    agent.put(record);
  }
}

// Another thread changes the records while the recorder reads them.
void rewriting(Agent& agent, uint64_t count) {
  std::atomic<char*> record{nullptr};
  std::atomic<bool> done{false};
  std::thread changer([&] {
    while (!done)
      if (char* at = record; at != nullptr) {
        auto& field = *reinterpret_cast<uint32_t*>(at + offsetof(agent_stack, frame_count));
        std::atomic_ref<uint32_t>(field).store(UINT32_MAX, std::memory_order_relaxed);
        std::atomic_ref<uint32_t>(field).store(16, std::memory_order_relaxed);
      }
  });
  for (uint64_t i = 1; i <= count; ++i) {
    write_stack(agent, i, "rewriting", std::vector<uint64_t>(16, i));
    record = agent.last_record(sizeof(agent_stack));
  }
  done = true;
  changer.join();
}

void objects(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) send_and_load(agent, i, 0);
}

// Every load is of the same id, of other code at another address.
void same_object(Agent& agent, uint64_t count) {
  const std::string content = make_object(1, 0);
  for (uint64_t i = 0; i < count; ++i) {
    if (i < 64) send_object(1, content, content.size());
    write_code(agent, AGENT_LOAD, 1, (i + 1) << 12);
  }
}

void large_objects(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) send_and_load(agent, i, uint64_t{8} << 20);
}

void sparse_objects(Agent& agent, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) send_and_load(agent, i, AGENT_MAX_OBJECT);
}

// Not sealed, shorter than announced, or never loaded.
void bad_objects(Agent& agent, uint64_t count) {
  const std::string content = make_object(7, 65536);
  for (uint64_t i = 0; i < count; ++i) {
    const int fd = send_object(i, content, content.size(), i % 3 == 0 ? 0 : kAllSeals, true);
    if (i % 3 == 0 && ftruncate(fd, 100) != 0) abort();
    close(fd);
    if (i % 3 != 1) write_code(agent, AGENT_LOAD, i, (i + 1) << 20);
  }
}

void unloads(Agent& agent, uint64_t count) {
  const std::string content = make_object(9, 0);
  for (uint64_t i = 0; i < count; ++i) {
    write_code(agent, AGENT_UNLOAD, i, 0);
    if (i < 64) send_object(i + kFar, content, content.size());
    if (i < 64) write_code(agent, AGENT_LOAD, i + kFar, (i + 1) << 20);
  }
}

void drained(Agent& agent, uint64_t count) {
  write_stack(agent, 1, "held", {0x1000});
  write_launch(agent, 1, 1, now_ns());  // does not end: slices are held back
  for (uint64_t i = 0; i < count; ++i) {
    auto record = make<agent_drained>(AGENT_DRAINED);
    record.time = now_ns();
    agent.write(record);
    if (i % 2 == 0) write_sample(agent, i, 1);
  }
}

void samples(Agent& agent, uint64_t count) {
  write_stack(agent, 1, "held", {0x1000});
  write_launch(agent, 1, 1, now_ns());
  for (uint64_t i = 0; i < count; ++i) write_sample(agent, i * 16, UINT32_MAX);
}

void honest(Agent& agent, uint64_t count) {
  auto map = make<agent_map>(AGENT_MAP, AGENT_FIRST);
  map.start = 0x1000;
  map.end = 0x100000;
  agent.write(map, std::string("/nowhere/honest\0", 16));
  for (uint64_t id = 1; id <= 16; ++id)
    write_stack(agent, id, "honest_kernel", {0x1000 + id * 16, 0x2000, 0x3000});
  const timespec pause{0, 1000000};
  for (uint64_t i = 1; i <= count; ++i) {
    const uint64_t time = now_ns();
    write_launch(agent, i % 16 + 1, i, time);
    write_done(agent, i, time + 1000, time + 2000);
    if (i % 32 == 0) nanosleep(&pause, nullptr);
  }
}

// A program that does nothing but launch.
void busy(Agent& agent, uint64_t count) {
  write_stack(agent, 1, "busy_kernel", {0x1000, 0x2000, 0x3000});
  for (uint64_t i = 1; i <= count; ++i) {
    const uint64_t time = now_ns();
    write_launch(agent, 1, i, time);
    write_done(agent, i, time, time + 100);
  }
}

using Attack = void (*)(Agent&, uint64_t);
const std::map<std::string, Attack> kAttacks{
    {"mappings", mappings},
    {"names", names},
    {"stacks", stacks},
    {"unmapped", unmapped},
    {"launches", launches},
    {"texts", texts},
    {"devices", devices},
    {"reasons", reasons},
    {"messages", messages},
    {"lost", lost},
    {"times", times},
    {"sizes", sizes},
    {"rewriting", rewriting},
    {"objects", objects},
    {"same-object", same_object},
    {"large-objects", large_objects},
    {"sparse-objects", sparse_objects},
    {"bad-objects", bad_objects},
    {"unloads", unloads},
    {"drained", drained},
    {"samples", samples},
    {"honest", honest},
    {"busy", busy},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const auto& [name, attack] : kAttacks) std::puts(name.c_str());
    return argc == 2 ? 0 : 2;
  }
  const auto attack = kAttacks.find(argv[1]);
  if (attack == kAttacks.end()) return 2;
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  const int processes = argc > 3 ? std::atoi(argv[3]) : 1;
  for (int i = 0; i < processes; ++i) {
    if (processes > 1 && fork() != 0) continue;
    Agent agent;
    attack->second(agent, count);
    if (processes > 1) return 0;
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}
