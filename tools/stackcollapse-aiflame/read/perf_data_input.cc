// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/perf_data_input.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/attribute/launch_events.h"

namespace aiflame::collapse {
namespace {

// Of 64 KiB at first, which a short recording clears in no time, up to 1 MiB, which stays in the
// second-level cache; a program's hot addresses are some thousands.
constexpr unsigned kCacheBits = 12, kMaxCacheBits = 16;

// Where perf_event_open(2) has them.
constexpr unsigned kRegisterBits[Registers::kCount] = {0,  3,  2,  1,  4,  5,  6,  7, 16,
                                                       17, 18, 19, 20, 21, 22, 23, 8};
constexpr uint64_t kAllRegisters = 0xff01ff;
constexpr size_t kMaxUnwound = 127;  // as perf has it

uint64_t word_at(std::string_view bytes, size_t index) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

uint64_t hash_of(uint64_t address, uint32_t generation) {
  return (address ^ uint64_t{generation} << 40) * 0x9e3779b97f4a7c15;
}

std::optional<uint64_t> time_of(const PerfSample& sample) {
  return sample.time == 0 ? std::nullopt : std::optional<uint64_t>(sample.time);
}

// as perf script prints it
std::string comm_of(const PerfMachine::Thread& thread) {
  return std::string(trim_right(trim_left(printable(thread.comm))));
}

void add_lost(uint64_t& sum, uint64_t more) {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

}  // namespace

void PerfDataInput::read() {
  cache_bits_ = kCacheBits;
  cache_.resize(size_t{1} << cache_bits_);
  reader_.read([this](const PerfDataRecord& record) { take(record); });
  count_later();
  report();
  frames_.report();
  jit_codes_.report();
}

void PerfDataInput::report() const {
  const char* name = reader_.name().c_str();
  const auto tell = [name](uint64_t count, const char* what) {
    if (count > 0) warn("%s: %llu %s", name, static_cast<unsigned long long>(count), what);
  };
  if (reader_.cut()) warn("%s: recording is cut short; read what is whole", name);
  tell(lost_records_, "records lost while recording");
  tell(lost_samples_, "samples lost while recording");
  tell(unknown_, "samples of unknown events ignored");
  tell(guests_, "samples of virtual machines ignored");
  tell(damaged_chains_, "samples with a damaged call graph drawn without it");
  tell(reader_.late(), "records were not in order");
}

void PerfDataInput::take(const PerfDataRecord& record) {
  while (build_ids_ < reader_.build_ids().size())
    machine_.take_build_id(reader_.build_ids()[build_ids_++]);
  ByteCursor cursor(record.body);
  switch (record.type) {
    case PERF_RECORD_SAMPLE:
      take_sample(record);
      break;
    case PERF_RECORD_LOST:
      cursor.u64();
      add_lost(lost_records_, cursor.u64());
      break;
    case PERF_RECORD_LOST_SAMPLES:
      add_lost(lost_samples_, cursor.u64());
      break;
    default:
      machine_.take(record);
      if (machine_.has_kernel() && reader_.events().has_kernel()) frames_.expect_kernel();
      jit_codes_.take(record, reader_.events().has_clock());
      break;
  }
}

void PerfDataInput::take_sample(const PerfDataRecord& record) {
  const PerfEvents& events = reader_.events();
  const size_t event = events.of(record);
  if (event == PerfEvents::kNone) {
    ++unknown_;
    return;
  }
  PerfSample sample;
  if (!parse_sample(events[event], record.body, sample)) throw Error("malformed sample");
  Space space = Space::none;
  switch (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
      space = Space::kernel;
      break;
    case PERF_RECORD_MISC_USER:
      space = Space::user;
      break;
    case PERF_RECORD_MISC_GUEST_KERNEL:
    case PERF_RECORD_MISC_GUEST_USER:
      ++guests_;
      return;
    default:
      break;
  }
  stacked_ = false;
  if (sample.has_read)
    take_values(events[event], sample, space);
  else
    give(event, sample.period, sample, space);
}

// A group's leader is sampled, and says what each member has counted; what it counted since the
// last time is the period of a sample of that member.
void PerfDataInput::take_values(const PerfAttribute& event, const PerfSample& sample, Space space) {
  const uint64_t shape = event.read_format;
  const bool group = (shape & PERF_FORMAT_GROUP) != 0;
  const auto bit = [shape](uint64_t mask) { return (shape & mask) != 0 ? size_t{1} : size_t{0}; };
  const size_t times =
      group ? 0 : bit(PERF_FORMAT_TOTAL_TIME_ENABLED) + bit(PERF_FORMAT_TOTAL_TIME_RUNNING);
  const bool has_id = bit(PERF_FORMAT_ID) != 0;
  const size_t step = 1 + bit(PERF_FORMAT_ID) + bit(uint64_t{1} << 4);  // lost
  for (uint64_t i = 0; i < sample.read_count; ++i) {
    const uint64_t value = word_at(sample.read, i * step);
    const uint64_t id = has_id ? word_at(sample.read, i * step + 1 + times) : sample.id;
    const size_t counted = reader_.events().find_id(id);
    if (counted == PerfEvents::kNone) {
      ++unknown_;
      continue;
    }
    uint64_t& before = values_[id];
    const uint64_t period = value - before;
    before = value;
    if (period != 0) give(counted, period, sample, space);
  }
}

void PerfDataInput::give(size_t event, uint64_t period, const PerfSample& sample, Space space) {
  const PerfAttribute& attribute = reader_.events()[event];
  if (sink_.is_launch(attribute.name)) {
    give_launch(event, sample, space);
    return;
  }
  if (!sink_.wants(attribute.name)) return;
  if (sink_.filters() && !passes(sample)) return;
  if (!stacked_) {
    make_stack(event, sample, space, reader_.events().prints_code(event));
    stacked_ = true;
  }
  count(attribute.is_tracepoint() ? 1 : std::max<uint64_t>(period, 1), time_of(sample));
}

void PerfDataInput::count(uint64_t count, std::optional<uint64_t> time) {
  if (!stack_later_) {
    sink_.count(stack_, count, time);
    return;
  }
  later_.count(stack_, count, time);
  if (later_.is_full()) count_later();
}

// Now all frames that were asked for are named.
void PerfDataInput::count_later() {
  namer_.wait();
  while (named_.size() < namer_.texts().size())
    named_.push_back(LaterStacks::checked(sink_.frame(namer_.texts()[named_.size()])));
  for (const uint32_t name : namer_.names()) told_.push_back(named_[name]);
  namer_.forget();
  const auto tell_frame = [this](uint32_t& frame) { tell(frame); };
  const std::vector<uint32_t> stacks = later_.give(sink_, tell_frame);
  if (stack_later_) stack_ = stacks[stack_];
  stack_later_ = false;
  if (told_.size() < kMaxFileCodes) return;
  codes_of_files_.each([&](AddressCache::Entry& code) {
    if (code.frame != AddressCache::kNone) tell(code.frame);
  });
  for (CachedFrame& cached : cache_) tell(cached.frame);
  told_.clear();
  namer_.begin_again();
}

// Puts a frame's own number in the place of that which it was asked for under, once it is known.
void PerfDataInput::tell(uint32_t& frame) const {
  if (LaterStacks::is_later(frame) && LaterStacks::number(frame) < told_.size())
    frame = told_[LaterStacks::number(frame)];
}

void PerfDataInput::tell_whole() {
  if (whole_told_ || !sink_.filters()) return;
  sink_.tell_whole(reader_.name(), reader_.first_sample(), reader_.last_sample());
  whole_told_ = true;
}

bool PerfDataInput::passes(const PerfSample& sample) {
  tell_whole();
  const PerfMachine::Thread& thread = machine_.thread(sample.pid, sample.tid);
  const std::string comm = comm_of(thread);
  return sink_.passes({comm, thread.pid, sample.tid, time_of(sample)});
}

void PerfDataInput::give_launch(size_t event, const PerfSample& sample, Space space) {
  const PerfAttribute& attribute = reader_.events()[event];
  TraceFormats* arguments = formats(attribute, sample);
  if (!stacked_) {
    // At the entry of a function its frame pointer is still its caller's: without this argument,
    // the return address, the chain lacks the caller.
    if (arguments != nullptr)
      caller_ = arguments->word(attribute.config, sample.raw, kCallerArgument).value_or(0);
    make_stack(event, sample, space, true);
    caller_ = 0;
    stacked_ = true;
  }
  tell_whole();
  PerfDataLaunch launch;
  launch.input = reader_.name();
  launch.event = attribute.name;
  const std::string comm = comm_of(machine_.thread(sample.pid, sample.tid));
  launch.origin = {comm, pid_, sample.tid, time_of(sample)};
  launch.monotonic = attribute.uses_clock() && attribute.clock == CLOCK_MONOTONIC;
  for (const char* field : kKernelArguments)
    if (arguments != nullptr && launch.kernel.empty())
      launch.kernel = arguments->text(attribute.config, sample.raw, field).value_or("");
  if (stack_later_) count_later();
  launch.stack = stack_;
  sink_.launch(launch);
}

// Of a sample's arguments; nullptr where there are none, or nothing tells their form.
TraceFormats* PerfDataInput::formats(const PerfAttribute& event, const PerfSample& sample) {
  if (!event.is_tracepoint() || sample.raw.empty() || reader_.tracing_data().empty())
    return nullptr;
  if (formats_ == nullptr) formats_ = std::make_unique<TraceFormats>(reader_.tracing_data());
  return formats_.get();
}

// The user's half of the call chain of `--call-graph dwarf`: a copy of registers and stack.
void PerfDataInput::add_unwound(const PerfAttribute& event, const PerfSample& sample) {
  if (sample.user_abi == 0 || sample.user_stack.empty()) return;  // a thread of the kernel
  if (sample.user_abi != PERF_SAMPLE_REGS_ABI_64 || !reader_.is_x86_64() ||
      (event.user_registers & kAllRegisters) != kAllRegisters)
    throw Error(
        "has dwarf call graphs of another machine than x86-64; they must go through 'perf script "
        "--no-inline'");
  if (event.user_registers != register_mask_) {
    register_mask_ = event.user_registers;
    for (size_t i = 0; i < Registers::kCount; ++i) {
      const uint64_t below = (uint64_t{1} << kRegisterBits[i]) - 1;
      register_places_[i] = static_cast<uint8_t>(std::popcount(register_mask_ & below));
    }
  }
  UnwindState state;
  for (size_t i = 0; i < Registers::kCount; ++i)
    state.registers.at[i] = word_at(sample.user_words, register_places_[i]);
  state.stack = sample.user_stack;
  unwind(state, kMaxUnwound, [this](uint64_t address, UnwindPlace& out) {
    const UserMap* found = user_map(address);
    if (found == nullptr || !found->is_file) {
      items_.push_back(frame_at(Space::user, address, true, false));
      return false;
    }
    AddressCache::Entry& code = code_in_file(found->map, address, true, false);
    items_.push_back(code.frame);
    return find_caller(found->map, address, code, out);
  });
}

bool PerfDataInput::find_caller(const PerfMap& map, uint64_t address, AddressCache::Entry& code,
                                UnwindPlace& out) {
  static constexpr CallRule kNowhere;
  if (code.rule == nullptr || code.rule->kind == CallRule::Kind::other) {
    ObjectSymbols& file = frames_.file(map.object);
    const auto vaddr = file.object() == nullptr
                           ? std::nullopt
                           : file.object()->vaddr_of_offset(map.inside(address));
    if (vaddr) out = {&file.call_frames(), *vaddr, nullptr};
    if (code.rule == nullptr) code.rule = vaddr ? &out.object->rule_at(*vaddr) : &kNowhere;
  }
  out.rule = code.rule;
  return code.rule != &kNowhere;
}

void PerfDataInput::make_stack(size_t event, const PerfSample& sample, Space space,
                               bool with_code) {
  PerfMachine::Thread& thread = machine_.thread(sample.pid, sample.tid);
  if (thread.tag == 0) thread.tag = sink_.root(comm_of(thread), thread.pid, sample.tid) + 1;
  root_ = thread.tag - 1;
  java_ = sink_.is_java(root_);
  pid_ = thread.pid;
  jit_codes_.advance(pid_, sample.time);
  user_generation_ = machine_.user_generation(pid_);
  items_.assign(1, root_);
  if (with_code) {
    if (reader_.events().has_chains() && sample.has_chain)
      add_chain(reader_.events()[event], sample);
    else
      add_frame(space, sample.ip, false, false, 0);
    if (reader_.events().has_chains()) add_unwound(reader_.events()[event], sample);
  }
  stack_later_ = LaterStacks::has_later(items_);
  stack_ = stack_later_ ? later_.add(items_) : sink_.stack(items_);
}

// Behind the first frame of user space comes the caller that is known otherwise.
void PerfDataInput::add_frame(Space space, uint64_t address, bool in_chain, bool is_return,
                              uint64_t next) {
  items_.push_back(frame_at(space, address, in_chain, is_return));
  if (caller_ == 0 || space != Space::user) return;
  if (caller_ != next) items_.push_back(frame_at(space, caller_, in_chain, calls_));
  caller_ = 0;
}

void PerfDataInput::add_chain(const PerfAttribute& event, const PerfSample& sample) {
  const bool branches = event.has_branch_chain() && !sample.branches.empty();
  Space space = Space::user;
  bool first = true;
  const size_t count = sample.chain.size() / sizeof(uint64_t);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t address = word_at(sample.chain, i);
    if (address < static_cast<uint64_t>(PERF_CONTEXT_MAX)) {
      // the kernel's and the user's part begin with where the code was
      add_frame(space, address, true, calls_ && !first,
                i + 1 < count ? word_at(sample.chain, i + 1) : 0);
      first = false;
      continue;
    }
    first = true;
    switch (address) {
      case static_cast<uint64_t>(PERF_CONTEXT_HV):
        space = Space::none;
        break;
      case static_cast<uint64_t>(PERF_CONTEXT_KERNEL):
        space = Space::kernel;
        break;
      case static_cast<uint64_t>(PERF_CONTEXT_USER):
        space = Space::user;
        if (branches) {
          add_branches(sample);
          return;
        }
        break;
      default:
        // perf takes the whole chain for damaged
        ++damaged_chains_;
        items_.resize(1);
        return;
    }
  }
}

// `--call-graph lbr`: each branch of the stack is a call that has not returned. Where the latest
// one went to, then where each came from; the chain by frame pointers goes no further than the
// kernel.
void PerfDataInput::add_branches(const PerfSample& sample) {
  constexpr size_t kWords = kBranch / sizeof(uint64_t);
  items_.push_back(frame_at(Space::user, word_at(sample.branches, 1), true, false));
  for (size_t i = 0; i < sample.branches.size() / kBranch; ++i)
    items_.push_back(frame_at(Space::user, word_at(sample.branches, i * kWords), true, false));
}

// Where an address of the process at hand is, or nullptr.
const PerfDataInput::UserMap* PerfDataInput::user_map(uint64_t address) {
  if (recent_generation_ != user_generation_) {
    recent_generation_ = user_generation_;
    for (UserMap& recent : recent_) recent = {};
  }
  const auto holds = [address](const UserMap& recent) {
    return address - recent.map.start < recent.map.end - recent.map.start;
  };
  // a caller is in the same, as a rule
  if (holds(recent_[last_recent_])) return &recent_[last_recent_];
  for (uint32_t i = 0; i < kRecent; ++i) {
    if (!holds(recent_[i])) continue;
    last_recent_ = i;
    return &recent_[i];
  }
  const PerfMap* map = machine_.find_user(pid_, address);
  if (map == nullptr) return nullptr;
  last_recent_ = (last_recent_ + 1) % kRecent;
  recent_[last_recent_] = {*map, frames_.is_file(*map)};
  return &recent_[last_recent_];
}

// Of an address in a file: its frame is known from here on.
AddressCache::Entry& PerfDataInput::code_in_file(const PerfMap& map, uint64_t address,
                                                 bool in_chain, bool is_return) {
  const uint32_t object =
      map.object | (java_ ? uint32_t{1} << 30 : 0) | (is_return ? uint32_t{1} << 31 : 0);
  AddressCache::Entry& code = codes_of_files_.at(map.inside(address), object);
  if (code.frame != AddressCache::kNone) {
    tell(code.frame);
    return code;
  }
  if (addresses_)  // what has no name has its own in its frame, which the namer does not know
    code.frame = name(&map, address, in_chain, is_return);
  else
    code.frame = LaterStacks::later(
        namer_.ask(map.object, machine_.object(map.object), code.offset, java_, is_return));
  return code;
}

uint32_t PerfDataInput::name(const PerfMap* map, uint64_t address, bool in_chain, bool is_return) {
  const auto by_address = [&] {
    frames_.code_at(map, address, in_chain, is_return, code_);
    return sink_.frame(code_, root_);
  };
  if (!calls_) {
    const auto number = frames_.number_at(map, address);
    if (number && (*number != PerfDataFrames::kNoName || !addresses_)) {
      const CodeAddress key{*number, map == nullptr ? UINT32_MAX : map->object};
      const auto [at, added] = functions_[java_ ? 1 : 0].try_emplace(key);
      if (added) at->second = by_address();
      return at->second;
    }
  }
  // what a file has is known elsewhere
  if (map == nullptr || frames_.is_file(*map)) return by_address();
  const auto [at, added] = known_[java_ ? 1 : 0].try_emplace(
      {map->inside(address), map->object | (is_return ? uint32_t{1} << 31 : 0)});
  if (added) at->second = by_address();
  return at->second;
}

uint32_t PerfDataInput::frame_at(Space space, uint64_t address, bool in_chain, bool is_return) {
  constexpr uint32_t kNoGeneration = 1;  // never a space's own
  uint32_t generation = kNoGeneration;
  if (space == Space::user) generation = user_generation_;
  if (space == Space::kernel) generation = machine_.kernel_generation();
  generation = generation << 2 | (is_return ? 2 : 0) | (java_ ? 1 : 0);
  CachedFrame& cached = cache_[hash_of(address, generation) >> (64 - cache_bits_)];
  if (cached.address == address && cached.generation == generation) {
    tell(cached.frame);
    return cached.frame;
  }
  if (++misses_ > cache_.size() && cache_bits_ < kMaxCacheBits) {
    misses_ = 0;
    cache_bits_ += 2;
    cache_.assign(size_t{1} << cache_bits_, {});
  }

  uint32_t frame = 0;
  if (const UserMap* user = space == Space::user ? user_map(address) : nullptr; user == nullptr) {
    const PerfMap* map = space == Space::kernel ? machine_.find_kernel(address) : nullptr;
    frame = name(map, address, in_chain, is_return);
  } else if (user->is_file) {
    frame = code_in_file(user->map, address, in_chain, is_return).frame;
  } else {
    frame = name(&user->map, address, in_chain, is_return);
  }
  cache_[hash_of(address, generation) >> (64 - cache_bits_)] = {address, generation, frame};
  return frame;
}

}  // namespace aiflame::collapse
