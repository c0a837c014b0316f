/* SPDX-License-Identifier: MIT
 *
 * Each step from a frame to its caller needs three numbers: where the caller's frame is (the
 * canonical frame address, CFA), where its return address lies, and where its %rbp was saved. The
 * compiler wrote the rules into .eh_frame; DWARF 4 section 6.4 and the Linux Standard Base
 * (".eh_frame", ".eh_frame_hdr") have the format. Nearly all rules are "CFA = %rsp or %rbp + n,
 * return address at CFA - 8, %rbp at CFA - m or untouched", which packs into one word: that word is
 * kept per return address, so a warm step is a hash, two loads and two adds.
 */
#include "plugins/agent/unwind.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "plugins/agent/readable.h"

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

struct Registers {
  uint64_t pc, sp, bp;
};

struct Expression {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

// How to find the caller's value of one register.
struct Register {
  enum class Rule : uint8_t { same, undefined, at_offset, at_expression, unsupported };
  Rule rule = Rule::same;
  int64_t offset = 0;  // from the CFA
  Expression expression;
};

struct Row {
  enum class Base : uint8_t { sp, bp, expression, unsupported };
  Base base = Base::unsupported;
  int64_t offset = 0;  // CFA = base + offset
  Expression expression;
  Register bp, ra;
};

constexpr uint64_t kDwarfBp = 6, kDwarfSp = 7, kDwarfRa = 16;

// ---- .eh_frame ---------------------------------------------------------------------------------

// A cursor over bytes the compiler and linker wrote; `ok` turns false when they run out.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;
  bool ok = true;

  template <typename T>
  T fixed() {
    T value{};
    if (end - at < static_cast<std::ptrdiff_t>(sizeof value)) {
      ok = false;
      at = end;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0 || !ok) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0 && ok) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }
  // DW_EH_PE: the low four bits say how it is stored, the next three relative to what.
  uint64_t encoded(uint8_t encoding) {
    const auto here = reinterpret_cast<uint64_t>(at);
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = fixed<uint64_t>();
        break;
      case 0x02:
        value = fixed<uint16_t>();
        break;
      case 0x03:
        value = fixed<uint32_t>();
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{fixed<int16_t>()});
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{fixed<int32_t>()});
        break;
      default:
        ok = false;
    }
    switch (encoding & 0x70) {
      case 0x00:
        break;
      case 0x10:  // relative to this very field
        value += here;
        break;
      default:
        ok = false;
    }
    return value;
  }
  Expression block() {
    const uint64_t bytes = uleb();
    if (bytes > static_cast<uint64_t>(end - at)) {
      ok = false;
      return {};
    }
    at += bytes;
    return {at - bytes, at};
  }
  void skip(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end - at)) {
      ok = false;
      bytes = static_cast<uint64_t>(end - at);
    }
    at += bytes;
  }
};

// What a frame description entry says, with its common part.
struct Entry {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t first_pc = 0, bytes = 0;
  Reader initial{nullptr, nullptr};  // instructions of the common part
  Reader program{nullptr, nullptr};  // its own
  bool signal_frame = false;
};

// The entry's or common part's bytes behind its length field.
bool open_entry(const uint8_t* start, Reader& out) {
  uint32_t length = 0;
  std::memcpy(&length, start, 4);
  if (length == 0 || length >= 0xfffffff0) return false;  // terminator, or 64-bit DWARF: not seen
  out = Reader{start + 4, start + 4 + length};
  return true;
}

bool parse_common(const uint8_t* start, Entry& entry, uint8_t& pointer_encoding,
                  bool& has_augmentation) {
  Reader r{nullptr, nullptr};
  if (!open_entry(start, r) || r.fixed<uint32_t>() != 0) return false;
  const auto version = r.fixed<uint8_t>();
  if (version != 1 && version != 3) return false;
  const auto* augmentation = reinterpret_cast<const char*>(r.at);
  const size_t length = strnlen(augmentation, static_cast<size_t>(r.end - r.at));
  r.skip(length + 1);
  entry.code_alignment = r.uleb();
  entry.data_alignment = r.sleb();
  const uint64_t return_register = version == 1 ? r.fixed<uint8_t>() : r.uleb();
  if (return_register != kDwarfRa) return false;
  pointer_encoding = 0;
  has_augmentation = length > 0 && augmentation[0] == 'z';
  if (length > 0 && !has_augmentation) return false;
  if (has_augmentation) {
    const uint64_t bytes = r.uleb();
    Reader data{r.at, r.at};
    r.skip(bytes);
    data.end = r.at;
    for (size_t i = 1; i < length && r.ok; ++i) {
      if (augmentation[i] == 'R')
        pointer_encoding = data.fixed<uint8_t>();
      else if (augmentation[i] == 'L')
        data.fixed<uint8_t>();
      else if (augmentation[i] == 'P')
        data.encoded(static_cast<uint8_t>(data.fixed<uint8_t>() & 0x7f));
      else if (augmentation[i] == 'S')
        entry.signal_frame = true;
      else
        return false;
    }
    if (!data.ok) return false;
  }
  entry.initial = r;
  return r.ok;
}

// The entry for `pc`, by binary search in .eh_frame_hdr:
//   version 1, encodings of (eh_frame pointer, count, table), the pointer, the count, and the table
//   of pairs (first pc, entry), 4-byte offsets from the header.
bool find_entry(uint64_t pc, Entry& entry) {
  dl_find_object object;
  if (_dl_find_object(reinterpret_cast<void*>(pc), &object) != 0 || object.dlfo_eh_frame == nullptr)
    return false;
  const auto* header = static_cast<const uint8_t*>(object.dlfo_eh_frame);
  // 1b: relative to the field, signed 4 bytes; 03: unsigned 4 bytes; 3b: relative to the header,
  // signed 4 bytes. What GNU ld, gold, lld and mold write.
  if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b) return false;
  uint32_t count = 0;
  std::memcpy(&count, header + 8, 4);
  struct Pair {
    int32_t pc, entry;
  };
  const auto* table = reinterpret_cast<const Pair*>(header + 12);
  const auto target = static_cast<int64_t>(pc - reinterpret_cast<uint64_t>(header));
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (table[middle].pc <= target)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  const uint8_t* start = header + table[low - 1].entry;
  Reader r{nullptr, nullptr};
  if (!open_entry(start, r)) return false;
  const uint8_t* id_field = r.at;
  const auto distance = r.fixed<uint32_t>();
  if (distance == 0) return false;
  uint8_t encoding = 0;
  bool has_augmentation = false;
  if (!parse_common(id_field - distance, entry, encoding, has_augmentation)) return false;
  entry.first_pc = r.encoded(encoding);
  entry.bytes = r.encoded(encoding & 0x0f);
  if (has_augmentation) r.skip(r.uleb());
  entry.program = r;
  return r.ok && pc - entry.first_pc < entry.bytes;
}

void set(Row& row, uint64_t number, Register rule) {
  if (number == kDwarfBp) row.bp = rule;
  if (number == kDwarfRa) row.ra = rule;
}

void set_base(Row& row, uint64_t number) {
  row.base = number == kDwarfSp   ? Row::Base::sp
             : number == kDwarfBp ? Row::Base::bp
                                  : Row::Base::unsupported;
}

// Runs call frame instructions up to the row for `pc`. DWARF 4 section 7.23 has the numbers.
bool run(Reader r, const Entry& entry, uint64_t pc, const Row& initial, Row& row) {
  constexpr int kMaxRemembered = 8;
  Row remembered[kMaxRemembered];
  int depth = 0;
  uint64_t at = entry.first_pc;
  const auto at_offset = [&](uint64_t factored) {
    Register rule;
    rule.rule = Register::Rule::at_offset;
    rule.offset = static_cast<int64_t>(factored) * entry.data_alignment;
    return rule;
  };
  while (r.ok && r.at < r.end) {
    const auto instruction = r.fixed<uint8_t>();
    const uint8_t low = instruction & 0x3f;
    uint64_t advance = 0;
    Register rule;
    switch (instruction & 0xc0) {
      case 0x40:  // advance_loc
        advance = low;
        break;
      case 0x80:  // offset
        set(row, low, at_offset(r.uleb()));
        continue;
      case 0xc0:  // restore
        set(row, low, low == kDwarfBp ? initial.bp : initial.ra);
        continue;
      default:
        switch (instruction) {
          case 0x00:  // nop
            continue;
          case 0x01:  // set_loc: no compiler for this machine writes it
            return false;
          case 0x02:
            advance = r.fixed<uint8_t>();
            break;
          case 0x03:
            advance = r.fixed<uint16_t>();
            break;
          case 0x04:
            advance = r.fixed<uint32_t>();
            break;
          case 0x05: {  // offset_extended
            const uint64_t number = r.uleb();
            set(row, number, at_offset(r.uleb()));
            continue;
          }
          case 0x06: {  // restore_extended
            const uint64_t number = r.uleb();
            set(row, number, number == kDwarfBp ? initial.bp : initial.ra);
            continue;
          }
          case 0x07:  // undefined
            rule.rule = Register::Rule::undefined;
            set(row, r.uleb(), rule);
            continue;
          case 0x08:  // same_value
            set(row, r.uleb(), rule);
            continue;
          case 0x09: {  // register
            const uint64_t number = r.uleb();
            r.uleb();
            rule.rule = Register::Rule::unsupported;
            set(row, number, rule);
            continue;
          }
          case 0x0a:  // remember_state
            if (depth == kMaxRemembered) return false;
            remembered[depth++] = row;
            continue;
          case 0x0b:  // restore_state
            if (depth == 0) return false;
            row = remembered[--depth];
            continue;
          case 0x0c:  // def_cfa
            set_base(row, r.uleb());
            row.offset = static_cast<int64_t>(r.uleb());
            continue;
          case 0x0d:  // def_cfa_register
            set_base(row, r.uleb());
            continue;
          case 0x0e:  // def_cfa_offset
            row.offset = static_cast<int64_t>(r.uleb());
            continue;
          case 0x0f:  // def_cfa_expression
            row.base = Row::Base::expression;
            row.expression = r.block();
            continue;
          case 0x10: {  // expression
            const uint64_t number = r.uleb();
            rule.rule = Register::Rule::at_expression;
            rule.expression = r.block();
            set(row, number, rule);
            continue;
          }
          case 0x11: {  // offset_extended_sf
            const uint64_t number = r.uleb();
            set(row, number, at_offset(static_cast<uint64_t>(r.sleb())));
            continue;
          }
          case 0x12:  // def_cfa_sf
            set_base(row, r.uleb());
            row.offset = r.sleb() * entry.data_alignment;
            continue;
          case 0x13:  // def_cfa_offset_sf
            row.offset = r.sleb() * entry.data_alignment;
            continue;
          case 0x16: {  // val_expression
            const uint64_t number = r.uleb();
            r.block();
            rule.rule = Register::Rule::unsupported;
            set(row, number, rule);
            continue;
          }
          case 0x2e:  // GNU_args_size
            r.uleb();
            continue;
          default:
            return false;
        }
    }
    at += advance * entry.code_alignment;
    if (at > pc) return true;
  }
  return r.ok;
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
      if (number == kDwarfSp)
        base = registers.sp;
      else if (number == kDwarfBp)
        base = registers.bp;
      else if (number == kDwarfRa)
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
  if (row.base != Row::Base::sp && row.base != Row::Base::bp) return false;
  if (row.ra.rule != Register::Rule::at_offset || row.ra.offset != -8) return false;
  if (row.offset < 8 || row.offset > INT32_MAX) return false;
  uint64_t saved = 0;
  if (row.bp.rule == Register::Rule::at_offset) {
    if (row.bp.offset >= -8 || row.bp.offset < -0xffffff) return false;
    saved = static_cast<uint64_t>(-row.bp.offset);
  } else if (row.bp.rule != Register::Rule::same) {
    return false;
  }
  rule = kSet | (row.base == Row::Base::bp ? kBaseBp : 0) | saved << 32 |
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
  if (row.base == Row::Base::expression) {
    if (!evaluate(memory, row.expression, registers, 0, false, cfa)) return false;
  } else if (row.base == Row::Base::unsupported) {
    return false;
  } else {
    cfa = (row.base == Row::Base::bp ? registers.bp : registers.sp) +
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
  Row initial, row;
  if (!run(entry.initial, entry, UINT64_MAX, initial, initial)) return false;
  row = initial;
  if (!run(entry.program, entry, pc, initial, row)) return false;
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
