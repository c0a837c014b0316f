// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_event.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// From later kernels than the installed headers.
constexpr uint64_t kBranchCounters = uint64_t{1} << 19;
constexpr uint64_t kReadLost = uint64_t{1} << 4;
constexpr size_t kMaxEvents = 65536;
constexpr size_t kMaxNames = size_t{16} << 20;  // bytes, of all events
constexpr size_t kMaxIds = size_t{4} << 20;     // one for each event, CPU and thread

constexpr const char* kHardware[] = {"cycles",
                                     "instructions",
                                     "cache-references",
                                     "cache-misses",
                                     "branches",
                                     "branch-misses",
                                     "bus-cycles",
                                     "stalled-cycles-frontend",
                                     "stalled-cycles-backend",
                                     "ref-cycles"};
constexpr const char* kSoftware[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

// `cycles:u`: the levels (user, kernel, hypervisor) that are not excluded, if any is excluded.
std::string modifiers(uint64_t flags) {
  const bool user = (flags >> 4 & 1) != 0, kernel = (flags >> 5 & 1) != 0,
             hypervisor = (flags >> 6 & 1) != 0;
  if (!user && !kernel && !hypervisor) return "";
  std::string out = ":";
  if (!kernel) out += 'k';
  if (!user) out += 'u';
  if (!hypervisor) out += 'h';
  return out;
}

// The name that `perf script` gives an event without a name in the file.
std::string made_up_name(const PerfAttribute& attribute) {
  const std::string levels = modifiers(attribute.flags);
  if (attribute.type == PERF_TYPE_HARDWARE && attribute.config < std::size(kHardware))
    return kHardware[attribute.config] + levels;
  if (attribute.type == PERF_TYPE_SOFTWARE && attribute.config < std::size(kSoftware))
    return kSoftware[attribute.config] + levels;
  const auto config = static_cast<unsigned long long>(attribute.config);
  if (attribute.type == PERF_TYPE_RAW) return format("raw 0x%llx", config) + levels;
  if (attribute.type == PERF_TYPE_TRACEPOINT) return format("tracepoint %llu", config);
  return format("type %u config 0x%llx", attribute.type, config) + levels;
}

size_t count_words(uint64_t sample_type, uint64_t of) {
  return static_cast<size_t>(std::popcount(sample_type & of));
}

uint64_t word_at(std::string_view bytes, size_t index) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

// The counts of the event, or of each event of its group.
void parse_read(uint64_t shape, ByteCursor& cursor, PerfSample& out) {
  const bool group = (shape & PERF_FORMAT_GROUP) != 0;
  const size_t times =
      count_words(shape, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
  const size_t words = 1 + count_words(shape, PERF_FORMAT_ID | kReadLost);
  out.has_read = true;
  if (group) {
    out.read_count = cursor.u64();
    cursor.bytes(times, sizeof(uint64_t));
    out.read = cursor.bytes(out.read_count, words * sizeof(uint64_t));
  } else {
    // value, times, id, lost: the reader of `read` skips the times
    out.read_count = 1;
    out.read = cursor.bytes(words + times, sizeof(uint64_t));
  }
}

// The copy of the stack, of which the kernel has filled the first part.
bool parse_user_stack(ByteCursor& cursor, PerfSample& out) {
  const uint64_t size = cursor.u64();
  if (size == 0) return true;
  const std::string_view stack = cursor.bytes(size);
  const uint64_t dumped = cursor.u64();
  if (dumped > size) return false;
  out.user_stack = stack.substr(0, dumped);
  return true;
}

// The last fields of a sample, which are not used.
void skip_unused(const PerfAttribute& attribute, ByteCursor& cursor) {
  if (attribute.has(PERF_SAMPLE_WEIGHT_TYPE)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_DATA_SRC)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_TRANSACTION)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_REGS_INTR) && cursor.u64() != 0)
    cursor.bytes(count_words(attribute.interrupt_registers, UINT64_MAX), sizeof(uint64_t));
  for (const uint64_t one : {PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_CGROUP, PERF_SAMPLE_DATA_PAGE_SIZE,
                             PERF_SAMPLE_CODE_PAGE_SIZE})
    if (attribute.has(one)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_AUX)) cursor.bytes(cursor.u64());
}

}  // namespace

bool PerfAttribute::is_dummy() const {
  return type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_DUMMY;
}

bool PerfAttribute::is_tracepoint() const {
  return type == PERF_TYPE_TRACEPOINT;
}

bool PerfAttribute::has_branch_chain() const {
  return has(PERF_SAMPLE_BRANCH_STACK) && has(PERF_SAMPLE_CALLCHAIN) &&
         (branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) != 0;
}

bool parse_attribute(std::string_view bytes, PerfAttribute& out) {
  ByteCursor cursor(bytes);
  out = PerfAttribute();
  out.type = cursor.u32();
  const uint32_t size = cursor.u32();
  // 0 means the size of the first version, 64; fields of later versions are not needed
  if (size != 0 && (size < PERF_ATTR_SIZE_VER0 || size > bytes.size())) return false;
  const size_t known = size == 0 ? PERF_ATTR_SIZE_VER0 : size;
  if (bytes.size() < known) return false;
  cursor = ByteCursor(bytes.substr(0, known));
  cursor.u64();
  out.config = cursor.u64();
  out.period = cursor.u64();
  out.sample_type = cursor.u64();
  out.read_format = cursor.u64();
  out.flags = cursor.u64();
  cursor.bytes(PERF_ATTR_SIZE_VER0 - 48);  // wakeup to config1
  if (!cursor.ok()) return false;
  cursor.u64();  // config2
  out.branch_sample_type = cursor.u64();
  out.user_registers = cursor.u64();
  cursor.u32();  // size of the stack copy
  out.clock = cursor.take<int32_t>();
  out.interrupt_registers = cursor.u64();
  out.name = made_up_name(out);
  return true;
}

bool parse_sample(const PerfAttribute& attribute, std::string_view body, PerfSample& out) {
  ByteCursor cursor(body);
  out = PerfSample();
  out.period = attribute.period;
  if (attribute.has(PERF_SAMPLE_IDENTIFIER)) out.id = cursor.u64();
  if (attribute.has(PERF_SAMPLE_IP)) out.ip = cursor.u64();
  if (attribute.has(PERF_SAMPLE_TID)) {
    out.pid = cursor.take<int32_t>();
    out.tid = cursor.take<int32_t>();
  }
  if (attribute.has(PERF_SAMPLE_TIME)) out.time = cursor.u64();
  if (attribute.has(PERF_SAMPLE_ADDR)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_ID)) out.id = cursor.u64();
  if (attribute.has(PERF_SAMPLE_STREAM_ID)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_CPU)) cursor.u64();
  if (attribute.has(PERF_SAMPLE_PERIOD)) out.period = cursor.u64();
  if (attribute.has(PERF_SAMPLE_READ)) parse_read(attribute.read_format, cursor, out);
  if (attribute.has(PERF_SAMPLE_CALLCHAIN)) {
    out.has_chain = true;
    out.chain = cursor.bytes(cursor.u64(), sizeof(uint64_t));
  }
  if (attribute.has(PERF_SAMPLE_RAW)) out.raw = cursor.bytes(cursor.u32());
  if (attribute.has(PERF_SAMPLE_BRANCH_STACK)) {
    const uint64_t branches = cursor.u64();
    if ((attribute.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0) cursor.u64();
    out.branches = cursor.bytes(branches, kBranch);
    if ((attribute.branch_sample_type & kBranchCounters) != 0) cursor.bytes(branches, 8);
  }
  if (attribute.has(PERF_SAMPLE_REGS_USER)) {
    out.user_abi = cursor.u64();
    if (out.user_abi != 0)
      out.user_words =
          cursor.bytes(count_words(attribute.user_registers, UINT64_MAX), sizeof(uint64_t));
  }
  if (attribute.has(PERF_SAMPLE_STACK_USER) && !parse_user_stack(cursor, out)) return false;
  skip_unused(attribute, cursor);
  return cursor.ok();
}

void PerfEvents::check_count(uint64_t events) {
  if (events > kMaxEvents) throw Error("more than 65536 events");
}

size_t PerfEvents::add(PerfAttribute attribute) {
  check_count(events_.size() + 1);
  ids_ += attribute.ids.size();
  if (ids_ > kMaxIds) throw Error("more than 4194304 event ids");
  for (const uint64_t id : attribute.ids) by_id_.try_emplace(id, events_.size());
  attribute.ids.clear();
  const bool chain = attribute.has(PERF_SAMPLE_CALLCHAIN);
  chains_ |= chain;
  tracepoint_chains_ |= chain && attribute.is_tracepoint();
  // the first event of a class decides for all of them
  const size_t own_class = class_of(attribute);
  if (!attribute.is_dummy() && !class_seen_[own_class]) {
    class_seen_[own_class] = true;
    class_code_[own_class] = attribute.has(PERF_SAMPLE_IP);
  }
  events_.push_back(std::move(attribute));
  return events_.size() - 1;
}

void PerfEvents::rename(size_t index, std::string_view name) {
  if (index >= events_.size() || name.empty()) return;
  name_bytes_ += name.size();
  if (name_bytes_ > kMaxNames) throw Error("names of events of more than 16 MiB");
  events_[index].name = name;
}

size_t PerfEvents::find_id(uint64_t id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? kNone : at->second;
}

size_t PerfEvents::of(const PerfDataRecord& record) const {
  if (events_.empty()) return kNone;
  if (events_.size() == 1) return 0;
  const PerfAttribute& first = events_.front();
  const bool sample = record.type == PERF_RECORD_SAMPLE;
  if (!sample && !first.sample_id_all()) return 0;
  // All events of a file have their id at the same position. PERF_SAMPLE_IDENTIFIER puts it first
  // (in samples) or last; PERF_SAMPLE_ID follows fields that are then the same for all events.
  const size_t words = record.body.size() / sizeof(uint64_t);
  size_t at = kNone;
  if (first.has(PERF_SAMPLE_IDENTIFIER)) {
    at = sample ? 0 : words - 1;
  } else if (first.has(PERF_SAMPLE_ID)) {
    if (sample)
      at = count_words(first.sample_type,
                       PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
    else
      at = words - 1 - count_words(first.sample_type, PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID);
  }
  if (at == kNone) return 0;
  if (at >= words) return kNone;
  const uint64_t id = word_at(record.body, at);
  // perf writes 0 into records that it synthesizes
  if (id == 0) return 0;
  const size_t found = find_id(id);
  if (found == kNone && !first.sample_id_all()) return 0;
  return found;
}

uint64_t PerfEvents::time_of(const PerfDataRecord& record) const {
  const size_t index = of(record);
  if (index == kNone) return 0;
  const PerfAttribute& event = events_[index];
  if (!event.has(PERF_SAMPLE_TIME)) return 0;
  const size_t words = record.body.size() / sizeof(uint64_t);
  size_t at = 0;
  if (record.type == PERF_RECORD_SAMPLE) {
    at = count_words(event.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
  } else {
    if (!event.sample_id_all()) return 0;
    at = words - 1 -
         count_words(event.sample_type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                            PERF_SAMPLE_IDENTIFIER);
  }
  if (at >= words) return 0;
  const uint64_t time = word_at(record.body, at);
  return time == UINT64_MAX ? 0 : time;
}

size_t PerfEvents::class_of(const PerfAttribute& event) {
  return std::min<size_t>(event.type, kClasses - 1);
}

bool PerfEvents::has_kernel() const {
  return std::any_of(events_.begin(), events_.end(), [](const PerfAttribute& event) {
    return !event.is_dummy() && !event.excludes_kernel();
  });
}

bool PerfEvents::prints_code(size_t index) const {
  const PerfAttribute& event = events_[index];
  return event.is_tracepoint() ? tracepoint_chains_ : class_code_[class_of(event)];
}

}  // namespace aiflame
