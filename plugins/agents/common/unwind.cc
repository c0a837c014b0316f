/* SPDX-License-Identifier: MIT
 *
 * Each step from a frame to its caller needs three numbers: where the caller's frame is (the
 * canonical frame address, CFA), where its return address lies, and where its %rbp was saved. The
 * compiler wrote the rules into .eh_frame. Nearly all rules are "CFA = %rsp or %rbp + n,
 * return address at CFA - 8, %rbp at CFA - m or untouched", which packs into one word: that word is
 * kept per return address, so a warm step is a hash, two loads and two adds.
 */
#include "plugins/agents/common/unwind.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "libcommon/symbols/eh_frame.h"
#include "plugins/agents/common/readable.h"

// Where the main thread's stack began: the dynamic linker's, for debuggers and collectors.
extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier)

namespace aiflame::agent {
namespace {

// ---- reading the stack -------------------------------------------------------------------------

// A frame pointer that is more than this above what is known to be stack is not believed: going
// there page by page would take a system call each.
constexpr uint64_t kMaxStep = 256 * kPage;

// The part of the address space around the stack pointer that this walk has found readable, without
// a gap.
struct Memory {
  uint64_t begin = 0, end = 0;

  // False where reading would fault, or is no stack any more. What a wrong frame pointer leads to
  // may be a variable's red zone in an instrumented test: reading it is no fault.
  [[gnu::no_sanitize_address]] bool load(uint64_t address, uint64_t& value) {
    if (address % 8 != 0) return false;
    if (address < begin || address + 8 > end) [[unlikely]] {
      if (!reach(address)) return false;
    }
    value = *reinterpret_cast<const uint64_t*>(address);  // NOLINT(*NullDereference): reach() knows
    return true;
  }

  // Makes the eight bytes at `address` readable for sure, going up from what is known.
  [[gnu::noinline]] bool reach(uint64_t address) {
    if (address < begin || address > UINT64_MAX - 8 || address + 8 > end + kMaxStep) return false;
    while (address + 8 > end) {
      if (!is_readable(end)) return false;
      end += kPage;
    }
    return true;
  }

  // Goes down to `page`. False when there is a gap, a guard page say: that is another stack.
  bool reach_down(uint64_t page) {
    if (page >= begin || begin - page > kMaxStep) return false;
    for (uint64_t at = page; at < begin; at += kPage)
      if (!is_readable(at)) return false;
    begin = page;
    return true;
  }

  // Whether this is the stack that the thread was started on, which stays mapped while it runs:
  // then it goes, without a gap, up to where that begins. A coroutine's may be gone, and another
  // one in its place, at the next walk.
  bool is_of_thread() {
    // glibc puts a thread's control block at the start of its stack; the main thread's is
    // elsewhere, and a coroutine's stack may be mapped right below it
    const bool is_main = syscall(SYS_gettid) == getpid();
    const auto top = is_main ? reinterpret_cast<uint64_t>(__libc_stack_end)
                             : reinterpret_cast<uint64_t>(__builtin_thread_pointer());
    return top >= begin && top < end + kMaxStep / 4 && reach(top & ~uint64_t{7});
  }
};

// ---- rules -------------------------------------------------------------------------------------

using eh_frame::Entry;
using eh_frame::Expression;
using eh_frame::Reader;
using eh_frame::Register;

struct Registers {
  uint64_t pc, sp, bp;
};

// What the agent wants of a row: a function's caller is found by two registers.
struct Row : eh_frame::Row {
  Register bp, ra;
  Register* find(uint64_t number) {
    return number == eh_frame::kBasePointer     ? &bp
           : number == eh_frame::kReturnAddress ? &ra
                                                : nullptr;
  }
};

bool find_entry(uint64_t pc, Entry& entry) {
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0 || found.dlfo_eh_frame == nullptr)
    return false;
  const auto* header = static_cast<const uint8_t*>(found.dlfo_eh_frame);
  return eh_frame::find_entry({static_cast<const uint8_t*>(found.dlfo_map_start),
                               static_cast<const uint8_t*>(found.dlfo_map_end), header},
                              pc, entry);
}

// The operations that occur in PLT stubs, signal frames and functions that realign their stack.
bool evaluate(Memory& memory, Expression expression, const Registers& registers, uint64_t cfa,
              bool push_cfa, uint64_t& value) {
  constexpr int kDepth = 16;
  uint64_t stack[kDepth];
  int top = 0;
  if (push_cfa) stack[top++] = cfa;
  Reader r{expression.begin, expression.end};
  while (r.ok && r.at < r.end) {
    const auto op = r.fixed<uint8_t>();
    if (op >= 0x70 && op <= 0x8f) {  // breg0..31
      const uint64_t number = op - 0x70u;
      const int64_t offset = r.sleb();
      if (top == kDepth) return false;
      uint64_t base = 0;
      if (number == eh_frame::kStackPointer)
        base = registers.sp;
      else if (number == eh_frame::kBasePointer)
        base = registers.bp;
      else if (number == eh_frame::kReturnAddress)
        base = registers.pc;
      else
        return false;
      stack[top++] = base + static_cast<uint64_t>(offset);
      continue;
    }
    if (op >= 0x30 && op <= 0x4f) {  // lit0..31
      if (top == kDepth) return false;
      stack[top++] = op - 0x30u;
      continue;
    }
    if (op == 0x06) {  // deref
      if (top < 1 || !memory.load(stack[top - 1], stack[top - 1])) return false;
      continue;
    }
    if (op == 0x23) {  // plus_uconst
      const uint64_t constant = r.uleb();
      if (top < 1) return false;
      stack[top - 1] += constant;
      continue;
    }
    if (op == 0x08) {  // const1u
      const auto constant = r.fixed<uint8_t>();
      if (top == kDepth) return false;
      stack[top++] = constant;
      continue;
    }
    if (top < 2) return false;
    const uint64_t b = stack[--top];
    uint64_t& a = stack[top - 1];
    switch (op) {
      case 0x1a:  // and
        a &= b;
        break;
      case 0x1c:  // minus
        a -= b;
        break;
      case 0x22:  // plus
        a += b;
        break;
      case 0x24:  // shl
        a = b < 64 ? a << b : 0;
        break;
      case 0x2a:  // ge, signed
        a = static_cast<int64_t>(a) >= static_cast<int64_t>(b) ? 1 : 0;
        break;
      default:
        return false;
    }
  }
  if (!r.ok || top < 1) return false;
  value = stack[top - 1];
  return true;
}

// ---- what was learnt ---------------------------------------------------------------------------

// One word per return address:
//   bit 63 set, bit 62 the walk ends here, bit 61 base is %rbp, bits 60-56 unused,
//   bits 55-32 where %rbp was saved, below the CFA (0 = it was not), bits 31-0 CFA offset
constexpr uint64_t kSet = uint64_t{1} << 63, kEnd = uint64_t{1} << 62, kBaseBp = uint64_t{1} << 61;

bool pack(const Row& row, uint64_t& rule) {
  if (row.ra.rule == Register::Rule::undefined) {
    rule = kSet | kEnd;
    return true;
  }
  if (row.base != eh_frame::kStackPointer && row.base != eh_frame::kBasePointer) return false;
  if (row.ra.rule != Register::Rule::at_offset || row.ra.offset != -8) return false;
  if (row.offset < 8 || row.offset > INT32_MAX) return false;
  uint64_t saved = 0;
  if (row.bp.rule == Register::Rule::at_offset) {
    if (row.bp.offset >= -8 || row.bp.offset < -0xffffff) return false;
    saved = static_cast<uint64_t>(-row.bp.offset);
  } else if (row.bp.rule != Register::Rule::same) {
    return false;
  }
  rule = kSet | (row.base == eh_frame::kBasePointer ? kBaseBp : 0) | saved << 32 |
         static_cast<uint64_t>(row.offset);
  return true;
}

// Direct-mapped, shared by all threads without a lock: `check` is pc ^ rule, so a pair torn by two
// writers matches no pc. 8192 slots of 16 bytes hold every launch path of a large framework.
struct Slot {
  std::atomic<uint64_t> check, rule;
};
constexpr unsigned kSlotBits = 13;
Slot slots[1 << kSlotBits];

Slot& slot_of(uint64_t pc) {
  return slots[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - kSlotBits)];
}

// ---- steps -------------------------------------------------------------------------------------

inline bool step_packed(Memory& memory, uint64_t rule, Registers& registers) {
  const uint64_t cfa = ((rule & kBaseBp) != 0 ? registers.bp : registers.sp) + (rule & 0xffffffff);
  const uint64_t saved = rule >> 32 & 0xffffff;
  // the stack grows down: a caller's frame is above
  if (cfa <= registers.sp) return false;
  uint64_t bp = registers.bp;
  if (saved != 0 && !memory.load(cfa - saved, bp)) return false;
  if (!memory.load(cfa - 8, registers.pc)) return false;
  registers.sp = cfa;
  registers.bp = bp;
  return true;
}

bool find(Memory& memory, const Register& rule, const Registers& registers, uint64_t cfa,
          uint64_t same, uint64_t& value) {
  uint64_t address = 0;
  switch (rule.rule) {
    case Register::Rule::same:
      value = same;
      return true;
    case Register::Rule::at_offset:
      return memory.load(cfa + static_cast<uint64_t>(rule.offset), value);
    case Register::Rule::at_expression:
      return evaluate(memory, rule.expression, registers, cfa, true, address) &&
             memory.load(address, value);
    case Register::Rule::undefined:
    case Register::Rule::unsupported:
      break;
  }
  return false;
}

// A step by a rule that does not pack.
bool step_row(Memory& memory, const Row& row, Registers& registers) {
  uint64_t cfa = 0;
  if (row.base == Row::kExpression) {
    if (!evaluate(memory, row.expression, registers, 0, false, cfa)) return false;
  } else if (row.base != eh_frame::kStackPointer && row.base != eh_frame::kBasePointer) {
    return false;
  } else {
    cfa = (row.base == eh_frame::kBasePointer ? registers.bp : registers.sp) +
          static_cast<uint64_t>(row.offset);
  }
  if (cfa <= registers.sp) return false;
  Registers caller = registers;
  if (!find(memory, row.ra, registers, cfa, 0, caller.pc)) return false;
  // an unknown %rbp is no reason to stop: the next frames may not need it
  if (!find(memory, row.bp, registers, cfa, registers.bp, caller.bp)) caller.bp = 0;
  caller.sp = cfa;
  registers = caller;
  return true;
}

// Is `pc` behind a call? e8 + 4 bytes is a near call; ff /2 an indirect one of 2 to 7 bytes. What
// only looks like a return address may point anywhere, between a sanitizer's variables too.
[[gnu::no_sanitize_address]] bool is_behind_call(uint64_t pc) {
  uint8_t code[7];
  if (pc < kPage || !is_readable(pc - 8)) return false;
  // byte by byte: a sanitizer looks into memcpy()
  const auto* bytes = reinterpret_cast<const volatile uint8_t*>(pc - sizeof code);
  for (size_t i = 0; i < sizeof code; ++i) code[i] = bytes[i];
  if (code[2] == 0xe8) return true;
  for (unsigned length = 2; length <= 7; ++length) {
    const uint8_t* call = code + sizeof code - length;
    if (call[0] == 0xff && (call[1] >> 3 & 7) == 2) return true;
  }
  return false;
}

// Code without tables: push %rbp; mov %rsp,%rbp puts (caller's %rbp, return address) at %rbp.
bool step_frame_pointer(Memory& memory, Registers& registers) {
  Registers caller{};
  if (registers.bp < registers.sp || !memory.load(registers.bp, caller.bp) ||
      !memory.load(registers.bp + 8, caller.pc) || !is_behind_call(caller.pc))
    return false;
  caller.sp = registers.bp + 16;
  registers = caller;
  return true;
}

// The word learnt for `pc`, 0 when there is none.
inline uint64_t known_rule(uint64_t pc) {
  const Slot& slot = slot_of(pc);
  const uint64_t rule = slot.rule.load(std::memory_order_relaxed);
  return (slot.check.load(std::memory_order_relaxed) ^ rule) == pc ? rule : 0;
}

// From the frame `registers` is in to its caller, by the tables. `at_call`: pc is a return address,
// so the instruction that counts is the one before it.
bool step_cold(Memory& memory, Registers& registers, bool& at_call) {
  const uint64_t pc = at_call ? registers.pc - 1 : registers.pc;
  Entry entry;
  if (!find_entry(pc, entry)) {
    at_call = true;
    return step_frame_pointer(memory, registers);
  }
  Row row;
  uint64_t end = 0;
  if (!eh_frame::find_row(entry, pc, row, end)) return false;
  uint64_t rule = 0;
  if (pack(row, rule)) {
    Slot& slot = slot_of(registers.pc);
    slot.rule.store(rule, std::memory_order_relaxed);
    slot.check.store(registers.pc ^ rule, std::memory_order_relaxed);
    at_call = true;
    return (rule & kEnd) == 0 && step_packed(memory, rule, registers);
  }
  // what a signal interrupted was not at a call
  at_call = !entry.signal_frame;
  return step_row(memory, row, registers);
}

// ---- the walk before ---------------------------------------------------------------------------

// A walk is a chain in which each step waits for the one before: where a frame is says where its
// return address is, and that what rule leads on. But a thread that launches again is nearly always
// in the functions that it was in before, so the frames of its last walks tell where to look, and
// all of them can be looked at at once. Nothing is taken from here: a frame counts when it is where
// the rule of the one below puts it, and the return address found there is the one it had.
class LastWalk {
 public:
  // The walk is in the frame at `sp`, as its number `at`. Whether that frame was known.
  bool put(int at, uint64_t pc, uint64_t sp, uint64_t rule) {
    int next = at;
    while (next < size_ && frames_[next].sp < sp) ++next;
    const bool is_there = next < size_ && frames_[next].sp == sp;
    const bool is_known = is_there && frames_[next].pc == pc;
    // what is behind it, and not between, may still be right
    if (is_there) ++next;
    if (next != at + 1) move(next, at + 1);
    frames_[at] = Frame{pc, sp, rule};
    return is_known;
  }

  // From frame `at`, which `registers` are in, through as many as are what they were. The return
  // addresses go to `frames`, at most `capacity`, and where these frames are to `pointers`; returns
  // how many, and `registers` are in the last.
  int follow(int at, Memory& memory, Registers& registers, uint64_t* frames, uint64_t* pointers,
             int capacity) const {
    int count = 0;
    uint64_t bp = registers.bp;
    for (; count < capacity && at + count + 1 < size_; ++count) {
      const Frame& frame = frames_[at + count];
      const Frame& caller = frames_[at + count + 1];
      const uint64_t rule = frame.rule;
      const uint64_t saved = rule >> 32 & 0xffffff;
      const uint64_t cfa = ((rule & kBaseBp) != 0 ? bp : frame.sp) + (rule & 0xffffffff);
      uint64_t pc = 0;
      if (rule == 0 || (rule & kEnd) != 0 || cfa != caller.sp || cfa <= frame.sp) break;
      // by the number that is known, not by the one that was just computed: no waiting
      uint64_t caller_bp = bp;
      if (saved != 0 && !memory.load(caller.sp - saved, caller_bp)) break;
      if (!memory.load(caller.sp - 8, pc) || pc != caller.pc) break;
      bp = caller_bp;
      frames[count] = pc;
      if (pointers != nullptr) pointers[count] = cfa;
    }
    const Frame& last = frames_[at + count];
    registers = Registers{last.pc, last.sp, bp};
    return count;
  }

  // Deeper frames are walked to each time.
  static constexpr int kMax = 128;

 private:
  struct Frame {
    uint64_t pc = 0, sp = 0, rule = 0;
  };

  void move(int from, int to) {
    int count = size_ - from;
    if (count > kMax - to) count = kMax - to;
    if (count > 0)
      std::memmove(frames_ + to, frames_ + from, static_cast<size_t>(count) * sizeof(Frame));
    size_ = to + (count > 0 ? count : 0);
  }

  int size_ = 0;
  Frame frames_[kMax];  // by sp
};

// What a thread knows between walks. Reaching it from a shared object is a function call.
struct ThreadKnows {
  Memory memory;  // of its own stack
  LastWalk last;
  // a signal's handler that launches finds it so in the middle of a walk, and leaves it alone
  bool is_in_use = false;
};
thread_local ThreadKnows thread_knows;

}  // namespace

[[gnu::noinline]] int walk_stack(uint64_t* frames, int capacity, bool& cut, uint64_t* pointers) {
  const int saved_errno = errno;
  Registers registers{};
  asm volatile("lea (%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
               : "=r"(registers.pc), "=r"(registers.sp), "=r"(registers.bp));
  ThreadKnows& known = thread_knows;
  const bool is_ours = !known.is_in_use;
  known.is_in_use = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Memory memory = is_ours ? known.memory : Memory{};
  // what is known readable must hold the stack pointer; on another stack start anew
  const uint64_t page = registers.sp & ~(kPage - 1);
  bool is_kept = true;
  if ((page < memory.begin || page >= memory.end) && !memory.reach_down(page)) {
    memory = Memory{page, page + kPage};
    is_kept = false;
  }
  bool at_call = false;
  int count = 0;
  cut = false;
  for (int at = 0;; ++at) {
    const uint64_t rule = known_rule(registers.pc);
    if (is_ours && at < LastWalk::kMax && known.last.put(at, registers.pc, registers.sp, rule)) {
      const int more =
          known.last.follow(at, memory, registers, frames + count,
                            pointers == nullptr ? nullptr : pointers + count, capacity - count);
      if (more > 0) {
        at_call = true;
        count += more;
        at += more - 1;
        continue;
      }
    }
    if (rule != 0) {
      at_call = true;
      if ((rule & kEnd) != 0 || !step_packed(memory, rule, registers)) break;
    } else if (!step_cold(memory, registers, at_call)) {
      break;
    }
    if (registers.pc == 0) break;
    if (count == capacity) {
      cut = true;
      break;
    }
    if (pointers != nullptr) pointers[count] = registers.sp;
    frames[count++] = registers.pc;
  }
  if (is_ours) {
    if (is_kept || memory.is_of_thread()) known.memory = memory;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    known.is_in_use = false;
  }
  errno = saved_errno;
  return count;
}

}  // namespace aiflame::agent
