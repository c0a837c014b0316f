// SPDX-License-Identifier: MIT
// Reads .eh_frame of x86-64 and AArch64: finds the entry of a function.
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
// find_entry() finds the FDE of an address, find_row() (call_frame_program.h) runs its program up
// to the address's row.
//
// The object is read as it is mapped, by the loader or as a file. This code runs in profiled
// processes as well, on the path of each launch: it does not allocate, and knows nothing but
// memory. Tables may be damaged or hostile: every read is bounded by the mapping or the entry.
// What compilers and linkers for these machines do not write is refused; callers that can afford it
// ask libdw then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libcommon/symbols/call_machine.h"
#include "libcommon/symbols/eh_frame_reader.h"

namespace aiflame::eh_frame {

// A mapped object, its .eh_frame_hdr in the mapping, and its machine's register with the return
// address.
struct Object {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  const uint8_t* header = nullptr;
  uint64_t return_address = kThisMachine.return_address;
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
[[nodiscard]] inline bool open_entry(const Object& object, int64_t offset, Reader& out) {
  const int64_t size = object.end - object.begin;
  if (offset < 0 || offset > size - 4) return false;
  uint32_t length = 0;
  std::memcpy(&length, object.begin + offset, 4);
  // a terminator, or 64-bit DWARF, which is not in use
  if (length == 0 || length >= 0xfffffff0 || length > size - 4 - offset) return false;
  out = Reader{object.begin + offset + 4, object.begin + offset + 4 + length};
  return true;
}

[[nodiscard]] inline bool parse_common(const Object& object, int64_t offset, Entry& entry,
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
  if (return_register != object.return_address) return false;
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
      else if (augmentation[i] == 'B')
        continue;  // AArch64: return addresses are signed with key B, not A
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
[[nodiscard]] inline bool find_entry(const Object& object, uint64_t pc, Entry& entry) {
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

// Whether find_entry() knows the form of the table.
inline bool is_usual(const Object& object) {
  return object.end - object.header >= 4 && std::memcmp(object.header, kForm, sizeof kForm) == 0;
}

}  // namespace aiflame::eh_frame
