// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/perf_data_stacks.h"

#include <linux/perf_event.h>

#include <bit>
#include <cstring>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

// The cache has 64 KiB at first, which take a short recording no time to clear, and up to 1 MiB,
// which stays in the second-level cache. A program has some thousands of hot addresses.
constexpr unsigned kCacheBits = 12, kMaxCacheBits = 16;

// The registers of a machine in samples, by their bits in perf_event_open(2).
struct RecordedMachine {
  const CallMachine& machine;
  std::string_view architecture;
  uint64_t all;
  uint8_t bits[CallMachine::kMostRegisters];
};
constexpr RecordedMachine kRecordedMachines[] = {
    {kAarch64, "aarch64", 0x1ffffffff, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}},
    {kX86_64, "x86_64", 0xff01ff, {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8}}};

// Null where stacks of the recorded machine cannot be unwound. A file that does not say its machine
// tells by the registers: x86-64 has none of bits 24 to 31.
const RecordedMachine* find_recorded_machine(std::string_view architecture, uint64_t registers) {
  for (const RecordedMachine& each : kRecordedMachines)
    if ((architecture.empty() || architecture == each.architecture) &&
        (registers & each.all) == each.all)
      return &each;
  return nullptr;
}

constexpr size_t kMaxUnwound = 127;  // perf's limit

uint64_t hash_of(uint64_t address, uint32_t generation) {
  return (address ^ uint64_t{generation} << 40) * 0x9e3779b97f4a7c15;
}

}  // namespace

uint64_t word_at(std::string_view bytes, size_t index) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

std::optional<uint64_t> time_of(const PerfSample& sample) {
  return sample.time == 0 ? std::nullopt : std::optional<uint64_t>(sample.time);
}

std::string printed_comm(const PerfMachine::Thread& thread) {
  return std::string(trim(printable(thread.comm)));
}

PerfDataStacks::PerfDataStacks(const PerfDataReader& reader, PerfMachine& machine,
                               JitCodes& jit_codes, const FrameRules& frames, SourceRules sources,
                               const ProcessRoots& roots, FrameTables& tables, CpuSamples& cpu)
    : reader_(reader),
      machine_(machine),
      jit_codes_(jit_codes),
      tables_(tables),
      cpu_(cpu),
      rules_(frames),
      roots_(roots),
      frames_(machine_, sources),
      calls_(sources.any()),
      addresses_(frames.addresses),
      cache_bits_(kCacheBits),
      cache_(size_t{1} << kCacheBits),
      address_cache_(sources.any() ? SIZE_MAX : kMaxAddresses),
      namer_(frames_, rules_) {}

// ---- the stack of a sample ---------------------------------------------------------------------

uint32_t PerfDataStacks::root_of(PerfMachine::Thread& thread, int32_t tid) {
  if (thread.tag == 0)
    thread.tag =
        1 + tables_.texts.number(roots_.prefix(reader_.hostname()) +
                                 root_frame(printed_comm(thread), true, thread.pid, tid, rules_));
  return thread.tag - 1;
}

// Without what --root adds: no frame contains ';'.
std::string_view PerfDataStacks::plain_root() const {
  const std::string_view root = tables_.texts.text(root_);
  return root.substr(root.rfind(';') + 1);
}

void PerfDataStacks::make(const PerfAttribute& event, const PerfSample& sample, Space space,
                          bool with_code, uint64_t caller) {
  PerfMachine::Thread& thread = machine_.thread(sample.pid, sample.tid);
  root_ = root_of(thread, sample.tid);
  java_ = plain_root().starts_with("java");
  pid_ = thread.pid;
  jit_codes_.advance(pid_, sample.time);
  user_generation_ = machine_.user_generation(pid_);
  items_.assign(1, root_);
  if (with_code) {
    caller_ = caller;
    if (reader_.events().has_chains() && sample.has_chain)
      add_chain(event, sample);
    else
      add_frame(space, sample.ip, false, false, 0);
    if (reader_.events().has_chains()) add_unwound(event, sample);
    caller_ = 0;
  }
  stack_later_ = LaterStacks::has_later(items_);
  stack_ = stack_later_ ? later_.add(items_) : add_stack(items_);
}

void PerfDataStacks::count(uint64_t count, std::optional<uint64_t> time) {
  if (!stack_later_) {
    cpu_.count(stack_, count, time);
    return;
  }
  later_.count(stack_, count, time);
  if (later_.is_full()) count_later();
}

uint32_t PerfDataStacks::number() {
  if (stack_later_) count_later();
  return stack_;
}

// The probed function's caller follows the first frame of user space, unless the chain has it.
void PerfDataStacks::add_frame(Space space, uint64_t address, bool in_chain, bool is_return,
                               uint64_t next) {
  items_.push_back(frame_at(space, address, in_chain, is_return));
  if (caller_ == 0 || space != Space::user) return;
  if (caller_ != next) items_.push_back(frame_at(space, caller_, in_chain, calls_));
  caller_ = 0;
}

void PerfDataStacks::add_chain(const PerfAttribute& event, const PerfSample& sample) {
  const bool branches = event.has_branch_chain() && !sample.branches.empty();
  Space space = Space::user;
  bool first = true;
  const size_t count = sample.chain.size() / sizeof(uint64_t);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t address = word_at(sample.chain, i);
    if (address < static_cast<uint64_t>(PERF_CONTEXT_MAX)) {
      if (first && space == Space::user && caller_ == 0)
        caller_ = leaf_caller(event, sample, address);
      // each part of the chain begins with the address that was executed, not a return address
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
        // perf, too, takes the whole chain for damaged
        ++damaged_chains_;
        items_.resize(1);
        return;
    }
  }
}

// AArch64: a function that makes no call leaves its return address in x30, and the chain by frame
// pointers lacks its caller. For that, perf records this register alone. It is the return address
// where the code at `address` has not saved it; else it may hold anything. 0: it is not.
uint64_t PerfDataStacks::leaf_caller(const PerfAttribute& event, const PerfSample& sample,
                                     uint64_t address) {
  constexpr uint64_t kLinkBit = uint64_t{1} << kAarch64.return_address;
  if ((event.user_registers & kLinkBit) == 0 || reader_.architecture() != "aarch64" ||
      sample.user_abi != PERF_SAMPLE_REGS_ABI_64 || !sample.user_stack.empty())
    return 0;
  const UserMap* const found = user_map(address);
  if (found == nullptr || !found->is_file) return 0;
  UnwindPlace place;
  AddressCache::Entry& code = code_in_file(found->map, address, true, false);
  if (!find_caller(found->map, address, code, kAarch64, place) ||
      place.rule->kind != CallRule::Kind::plain || place.rule->saves(kAarch64.return_address))
    return 0;
  const auto at = static_cast<size_t>(std::popcount(event.user_registers & (kLinkBit - 1)));
  return word_at(sample.user_words, at) & kAarch64.address_bits;
}

// `--call-graph lbr`: each branch in the record is a call that has not returned. The stack is the
// target of the latest one, then the origin of each. The chain by frame pointers has only the
// kernel's part.
void PerfDataStacks::add_branches(const PerfSample& sample) {
  constexpr size_t kWords = kBranch / sizeof(uint64_t);
  items_.push_back(frame_at(Space::user, word_at(sample.branches, 1), true, false));
  for (size_t i = 0; i < sample.branches.size() / kBranch; ++i)
    items_.push_back(frame_at(Space::user, word_at(sample.branches, i * kWords), true, false));
}

// `--call-graph dwarf`: the sample has a copy of the user's registers and stack, from which the
// user's part of the chain is unwound.
void PerfDataStacks::add_unwound(const PerfAttribute& event, const PerfSample& sample) {
  if (sample.user_abi == 0 || sample.user_stack.empty()) return;  // a kernel thread
  if (event.user_registers != register_mask_) {
    const RecordedMachine* const recorded =
        find_recorded_machine(reader_.architecture(), event.user_registers);
    unwound_ = recorded == nullptr ? nullptr : &recorded->machine;
    register_mask_ = event.user_registers;
    for (size_t i = 0; recorded != nullptr && i < CallMachine::kMostRegisters; ++i) {
      const uint64_t below = (uint64_t{1} << recorded->bits[i]) - 1;
      register_places_[i] = static_cast<uint8_t>(std::popcount(register_mask_ & below));
    }
  }
  if (sample.user_abi != PERF_SAMPLE_REGS_ABI_64 || unwound_ == nullptr)
    throw Error(
        "has dwarf call graphs of another machine than x86-64 and AArch64; they must go through "
        "'perf script --no-inline'");
  UnwindState state;
  state.registers = Registers(*unwound_);
  for (size_t i = 0; i <= unwound_->instruction; ++i)
    state.registers.at[i] = word_at(sample.user_words, register_places_[i]);
  state.stack = sample.user_stack;
  unwind(state, kMaxUnwound, [this](uint64_t address, UnwindPlace& out) {
    const UserMap* found = user_map(address);
    if (out.is_call && unwound_ == &kAarch64 && found != nullptr &&
        machine_.object(found->map.object).name == "[vdso]") {
      items_.push_back(frame_at(Space::user, address, true, false));
      out.rule = &kSignalReturn;
      return true;
    }
    if (found == nullptr || !found->is_file) {
      items_.push_back(frame_at(Space::user, address, true, false));
      return found != nullptr && find_jit_caller(found->map, address, out);
    }
    AddressCache::Entry& code = code_in_file(found->map, address, true, false);
    items_.push_back(code.frame);
    return find_caller(found->map, address, code, *unwound_, out);
  });
}

bool PerfDataStacks::find_caller(const PerfMap& map, uint64_t address, AddressCache::Entry& code,
                                 const CallMachine& machine, UnwindPlace& out) {
  static constexpr CallRule kNowhere;
  // A stub of .plt on AArch64 leaves the stack and x30 as they are.
  static constexpr CallRule kStub = {.kind = CallRule::Kind::plain, .base = kAarch64.stack_pointer};
  if (code.rule == nullptr || code.rule->kind == CallRule::Kind::other) {
    ObjectSymbols& file = frames_.file(map.object);
    const auto vaddr = file.object() == nullptr
                           ? std::nullopt
                           : file.object()->vaddr_of_offset(map.inside(address));
    if (vaddr) out = {&file.call_frames(), *vaddr, nullptr};
    if (code.rule == nullptr) {
      // the file at that path may be another machine's
      const bool is_its_code = vaddr && &out.object->machine() == &machine;
      code.rule = is_its_code ? &out.object->rule_at(*vaddr) : &kNowhere;
      // linkers write no table for AArch64's stubs
      if (&machine == &kAarch64 && code.rule->kind == CallRule::Kind::unknown && vaddr &&
          file.object()->stub_at(*vaddr))
        code.rule = &kStub;
    }
  }
  out.rule = code.rule;
  return code.rule != &kNowhere;
}

// A function in a jitdump, which has its call frame information beside it. perf script has none
// before `perf inject --jit` has written it into objects.
bool PerfDataStacks::find_jit_caller(const PerfMap& map, uint64_t address, UnwindPlace& out) {
  const PerfObject& object = machine_.object(map.object);
  if (object.kind != PerfObject::Kind::code || object.code->unwinding.bytes.empty()) return false;
  const JitCode& code = *object.code;
  if (code.size > UINT64_MAX - 7) return false;
  const uint64_t after_code = (code.size + 7) & ~uint64_t{7};
  CallFrames& frames = jit_frames_
                           .try_emplace(&code, code.unwinding.bytes, code.unwinding.header_size,
                                        after_code, *unwound_)
                           .first->second;
  out = {&frames, map.inside(address), nullptr};
  return true;
}

// ---- the frame at an address -------------------------------------------------------------------

uint32_t PerfDataStacks::frame_at(Space space, uint64_t address, bool in_chain, bool is_return) {
  constexpr uint32_t kNoGeneration = 1;  // never that of a space
  uint32_t generation = kNoGeneration;
  if (space == Space::user) generation = user_generation_;
  if (space == Space::kernel) generation = machine_.kernel_generation();
  generation = generation << 2 | (is_return ? 2 : 0) | (java_ ? 1 : 0);
  CachedFrame& cached = cache_[hash_of(address, generation) >> (64 - cache_bits_)];
  if (cached.address == address && cached.generation == generation) {
    replace_later(cached.frame);
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

// The mapping of the sample's process that holds an address, or nullptr.
const PerfDataStacks::UserMap* PerfDataStacks::user_map(uint64_t address) {
  if (recent_generation_ != user_generation_) {
    recent_generation_ = user_generation_;
    for (UserMap& recent : recent_) recent = {};
  }
  const auto holds = [address](const UserMap& recent) {
    return address - recent.map.start < recent.map.end - recent.map.start;
  };
  // a caller is mostly in the same mapping
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

// The code at an address in a file, with its frame, perhaps a later one.
AddressCache::Entry& PerfDataStacks::code_in_file(const PerfMap& map, uint64_t address,
                                                  bool in_chain, bool is_return) {
  const uint32_t object =
      map.object | (java_ ? uint32_t{1} << 30 : 0) | (is_return ? uint32_t{1} << 31 : 0);
  AddressCache::Entry& code = address_cache_.at(map.inside(address), object);
  if (code.frame != AddressCache::kNone) {
    replace_later(code.frame);
    return code;
  }
  if (addresses_)  // a frame without a name shows its address, which the namer does not know
    code.frame = name(&map, address, in_chain, is_return);
  else
    code.frame = LaterStacks::later(
        namer_.ask(map.object, machine_.object(map.object), code.offset, java_, is_return));
  return code;
}

uint32_t PerfDataStacks::name(const PerfMap* map, uint64_t address, bool in_chain, bool is_return) {
  const auto by_address = [&] {
    frames_.code_at(map, address, in_chain, is_return, code_);
    return tables_.texts.number(fold_code(code_, plain_root(), rules_));
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
  // address_cache_ keeps the frames of files
  if (map == nullptr || frames_.is_file(*map)) return by_address();
  const auto [at, added] = known_[java_ ? 1 : 0].try_emplace(
      {map->inside(address), map->object | (is_return ? uint32_t{1} << 31 : 0)});
  if (added) at->second = by_address();
  return at->second;
}

// ---- names that came later ---------------------------------------------------------------------

// Waits for the names of all frames, and counts the stacks that needed them.
void PerfDataStacks::count_later() {
  namer_.wait();
  while (named_.size() < namer_.texts().size())
    named_.push_back(LaterStacks::checked(tables_.texts.number(namer_.texts()[named_.size()])));
  for (const uint32_t name : namer_.names()) known_later_.push_back(named_[name]);
  namer_.forget();
  const std::vector<uint32_t> stacks =
      later_.give([this](uint32_t& frame) { replace_later(frame); },
                  [this](const std::vector<uint32_t>& items) { return add_stack(items); },
                  [this](uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
                    cpu_.count(stack, count, time);
                  });
  if (stack_later_) stack_ = stacks[stack_];
  stack_later_ = false;
  if (known_later_.size() < kMaxAddresses) return;
  address_cache_.each([&](AddressCache::Entry& code) {
    if (code.frame != AddressCache::kNone) replace_later(code.frame);
  });
  for (CachedFrame& cached : cache_) replace_later(cached.frame);
  known_later_.clear();
  namer_.begin_again();
}

// Replaces a later frame by the number of its text, if that is known.
void PerfDataStacks::replace_later(uint32_t& frame) const {
  if (LaterStacks::is_later(frame) && LaterStacks::number(frame) < known_later_.size())
    frame = known_later_[LaterStacks::number(frame)];
}

}  // namespace aiflame::collapse
