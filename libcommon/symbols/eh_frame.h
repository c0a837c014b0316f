// SPDX-License-Identifier: MIT
// Reads .eh_frame: the rules by which the caller of a function is found. x86-64 only.
//
// Compilers do not keep a frame pointer by default. To walk a stack one needs to know, for each
// instruction, where the function has saved the return address and the caller's registers. Every
// object with exceptions or unwinding has that in .eh_frame (DWARF 4, section 6.4; Linux Standard
// Base, ".eh_frame" and ".eh_frame_hdr"):
//
// * A frame description entry (FDE) covers one function: its first address, its length and a small
//   program of call frame instructions. A common information entry (CIE) holds what many FDEs
//   share: alignment factors, pointer encodings and the initial instructions.
// * The program describes a table with a row for each range of instructions. A row says how to
//   compute the canonical frame address (CFA, the stack pointer before the call) and, for each
//   register, where its value in the caller is, mostly at an offset from the CFA.
// * .eh_frame_hdr is a sorted table of (function start, FDE) for binary search.
//
// find_entry() finds the FDE of an address, find_row() runs its program up to the address's row.
//
// The object is read as it is mapped, by the loader or as a file. This code runs in profiled
// processes as well, on the path of each launch: it does not allocate, and knows nothing but
// memory. Tables may be damaged or hostile: every read is bounded by the mapping or the entry.
// What compilers and linkers for x86-64 do not write is refused; callers that can afford it ask
// libdw then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace aiflame::eh_frame {

// DWARF register numbers.
constexpr uint64_t kBasePointer = 6, kStackPointer = 7, kReturnAddress = 16;

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

// The rule for the CFA. Callers that want rules of registers derive from it and define
//   Register* find(uint64_t number)
// which returns where to store the rule of that register, or nullptr.
struct Row {
  static constexpr uint64_t kExpression = UINT64_MAX;
  uint64_t base = kExpression - 1;  // the register to which the offset is added
  int64_t offset = 0;
  Expression expression;
};

// A cursor over the bytes of a table; `ok` turns false when they run out.
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
  // DW_EH_PE: the low four bits are the format, the next three what the value is relative to.
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
      case 0x10:  // relative to this field
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

// A mapped object, and its .eh_frame_hdr in the mapping.
struct Object {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  const uint8_t* header = nullptr;
};

// An FDE with its CIE. Addresses are those of the mapping.
struct Entry {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t first_pc = 0, bytes = 0;
  Reader initial{nullptr, nullptr};  // instructions of the CIE
  Reader program{nullptr, nullptr};  // instructions of the FDE
  bool signal_frame = false;
};

// The bytes of an FDE or CIE after its length field, which is at `begin` + `offset`.
inline bool open_entry(const Object& object, int64_t offset, Reader& out) {
  const int64_t size = object.end - object.begin;
  if (offset < 0 || offset > size - 4) return false;
  uint32_t length = 0;
  std::memcpy(&length, object.begin + offset, 4);
  // a terminator, or 64-bit DWARF, which is not in use
  if (length == 0 || length >= 0xfffffff0 || length > size - 4 - offset) return false;
  out = Reader{object.begin + offset + 4, object.begin + offset + 4 + length};
  return true;
}

inline bool parse_common(const Object& object, int64_t offset, Entry& entry,
                         uint8_t& pointer_encoding, bool& has_augmentation) {
  Reader r{nullptr, nullptr};
  if (!open_entry(object, offset, r) || r.fixed<uint32_t>() != 0) return false;
  const auto version = r.fixed<uint8_t>();
  if (version != 1 && version != 3) return false;
  const auto* augmentation = reinterpret_cast<const char*>(r.at);
  const size_t length = strnlen(augmentation, static_cast<size_t>(r.end - r.at));
  r.skip(length + 1);
  entry.code_alignment = r.uleb();
  entry.data_alignment = r.sleb();
  const uint64_t return_register = version == 1 ? r.fixed<uint8_t>() : r.uleb();
  if (return_register != kReturnAddress) return false;
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

// The first bytes of .eh_frame_hdr as GNU ld, gold, lld and mold write it. 1b: relative to the
// field, signed 4 bytes; 03: unsigned 4 bytes; 3b: relative to the header, signed 4 bytes.
constexpr uint8_t kForm[4] = {1, 0x1b, 0x03, 0x3b};

// The entry for `pc`, by binary search in .eh_frame_hdr:
//   version 1, encodings of (eh_frame pointer, count, table), the pointer, the count, and the table
//   of pairs (first pc, entry), 4-byte offsets from the header.
inline bool find_entry(const Object& object, uint64_t pc, Entry& entry) {
  constexpr size_t kTable = 12, kPair = 8;
  const uint8_t* header = object.header;
  const auto left = static_cast<size_t>(object.end - header);
  if (left < kTable || std::memcmp(header, kForm, sizeof kForm) != 0) return false;
  uint32_t count = 0;
  std::memcpy(&count, header + 8, 4);
  if (count > (left - kTable) / kPair) return false;
  const auto number_at = [header](size_t pair, size_t word) {
    int32_t number = 0;
    std::memcpy(&number, header + kTable + pair * kPair + word * 4, 4);
    return number;
  };
  const auto target = static_cast<int64_t>(pc - reinterpret_cast<uint64_t>(header));
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (number_at(middle, 0) <= target)
      low = middle + 1;
    else
      high = middle;
  }
  Reader r{nullptr, nullptr};
  if (low == 0 || !open_entry(object, header - object.begin + number_at(low - 1, 1), r))
    return false;
  const int64_t id_field = r.at - object.begin;
  const auto distance = r.fixed<uint32_t>();
  uint8_t encoding = 0;
  bool has_augmentation = false;
  if (distance == 0 ||
      !parse_common(object, id_field - distance, entry, encoding, has_augmentation))
    return false;
  entry.first_pc = r.encoded(encoding);
  entry.bytes = r.encoded(encoding & 0x0f);
  if (has_augmentation) r.skip(r.uleb());
  entry.program = r;
  return r.ok && pc - entry.first_pc < entry.bytes;
}

// The states that DW_CFA_remember_state can keep.
constexpr int kMaxRemembered = 8;
template <typename Rules>
struct Remembered {
  Rules rows[kMaxRemembered];
};

// Runs call frame instructions up to the row for `pc`; `end` is set to the end of that row. The
// numbers are in DWARF 4, section 7.23.
template <typename Rules>
bool run(Reader r, const Entry& entry, uint64_t pc, Rules& initial, Rules& row, uint64_t& end,
         Remembered<Rules>& remembered) {
  int depth = 0;
  uint64_t at = entry.first_pc;
  const auto set = [&row](uint64_t number, const Register& rule) {
    if (Register* const place = row.find(number)) *place = rule;
  };
  const auto restore = [&](uint64_t number) {
    if (const Register* const rule = initial.find(number)) set(number, *rule);
  };
  const auto scaled = [&entry](uint64_t factored) {
    return static_cast<int64_t>(factored * static_cast<uint64_t>(entry.data_alignment));
  };
  const auto at_offset = [&scaled](uint64_t factored) {
    Register rule;
    rule.rule = Register::Rule::at_offset;
    rule.offset = scaled(factored);
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
        set(low, at_offset(r.uleb()));
        continue;
      case 0xc0:  // restore
        restore(low);
        continue;
      default:
        switch (instruction) {
          case 0x00:  // nop
            continue;
          case 0x01:  // set_loc: no compiler for x86-64 writes it
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
            set(number, at_offset(r.uleb()));
            continue;
          }
          case 0x06:  // restore_extended
            restore(r.uleb());
            continue;
          case 0x07:  // undefined
            rule.rule = Register::Rule::undefined;
            set(r.uleb(), rule);
            continue;
          case 0x08:  // same_value
            set(r.uleb(), rule);
            continue;
          case 0x09: {  // register
            const uint64_t number = r.uleb();
            r.uleb();
            rule.rule = Register::Rule::unsupported;
            set(number, rule);
            continue;
          }
          case 0x0a:  // remember_state
            if (depth == kMaxRemembered) return false;
            remembered.rows[depth++] = row;
            continue;
          case 0x0b:  // restore_state
            if (depth == 0) return false;
            row = remembered.rows[--depth];
            continue;
          case 0x0c:  // def_cfa
            row.base = r.uleb();
            row.offset = static_cast<int64_t>(r.uleb());
            continue;
          case 0x0d:  // def_cfa_register
            row.base = r.uleb();
            continue;
          case 0x0e:  // def_cfa_offset
            row.offset = static_cast<int64_t>(r.uleb());
            continue;
          case 0x0f:  // def_cfa_expression
            row.base = Row::kExpression;
            row.expression = r.block();
            continue;
          case 0x10: {  // expression
            const uint64_t number = r.uleb();
            rule.rule = Register::Rule::at_expression;
            rule.expression = r.block();
            set(number, rule);
            continue;
          }
          case 0x11: {  // offset_extended_sf
            const uint64_t number = r.uleb();
            set(number, at_offset(static_cast<uint64_t>(r.sleb())));
            continue;
          }
          case 0x12:  // def_cfa_sf
            row.base = r.uleb();
            row.offset = scaled(static_cast<uint64_t>(r.sleb()));
            continue;
          case 0x13:  // def_cfa_offset_sf
            row.offset = scaled(static_cast<uint64_t>(r.sleb()));
            continue;
          case 0x16: {  // val_expression
            const uint64_t number = r.uleb();
            r.block();
            rule.rule = Register::Rule::unsupported;
            set(number, rule);
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
    if (at > pc) {
      end = at;
      return true;
    }
  }
  end = entry.first_pc + entry.bytes;
  return r.ok;
}

// The row for `pc`. `room` is for those that are short of stack.
template <typename Rules>
bool find_row(const Entry& entry, uint64_t pc, Rules& row, uint64_t& end, Remembered<Rules>& room) {
  Rules none, initial;
  if (!run(entry.initial, entry, UINT64_MAX, none, initial, end, room)) return false;
  row = initial;
  return run(entry.program, entry, pc, initial, row, end, room);
}
template <typename Rules>
bool find_row(const Entry& entry, uint64_t pc, Rules& row, uint64_t& end) {
  Remembered<Rules> room;
  return find_row(entry, pc, row, end, room);
}

// Whether an entry can be read to its end and names only registers that x86-64 has. libdw allocates
// room for any register number that it meets, gigabytes if need be.
inline bool is_sound(const Entry& entry) {
  constexpr uint64_t kMostRegisters = 255;  // the ABI's numbers end at 130
  struct Numbers : Row {
    uint64_t* largest = nullptr;
    Register* find(uint64_t number) {
      if (number > *largest) *largest = number;
      return nullptr;
    }
  };
  uint64_t largest = 0, end = 0;
  Numbers initial, row;
  initial.largest = row.largest = &largest;
  Remembered<Numbers> room;
  return run(entry.initial, entry, UINT64_MAX, initial, row, end, room) &&
         run(entry.program, entry, UINT64_MAX, initial, row, end, room) &&
         largest <= kMostRegisters;
}

// Whether find_entry() knows the form of the table.
inline bool is_usual(const Object& object) {
  return object.end - object.header >= 4 && std::memcmp(object.header, kForm, sizeof kForm) == 0;
}

}  // namespace aiflame::eh_frame
