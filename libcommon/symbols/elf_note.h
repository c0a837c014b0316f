// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libcommon/io/byte_cursor.h"

namespace aiflame {

// One entry of a note section, as elf(5) has it:
//   08 00 00 00 04 00 00 00 06 00 00 00 "IntelGT\0" 07 00 0f 03
struct ElfNote {
  std::string_view owner;  // without the NUL at its end
  std::string_view description;
  uint32_t type = 0;
};

// Takes the next note off the front. None at the end, or where a note is cut.
inline std::optional<ElfNote> take_note(std::string_view& notes) {
  // three words, then owner and description, each padded to a word
  const auto padding = [](uint64_t size) { return (4 - size % 4) % 4; };
  ByteCursor cursor(notes);
  const uint64_t owner_size = cursor.u32(), size = cursor.u32();
  ElfNote out;
  out.type = cursor.u32();
  out.owner = cursor.bytes(owner_size);
  cursor.bytes(padding(owner_size));
  out.description = cursor.bytes(size);
  if (!cursor.ok()) return std::nullopt;
  // the last one's padding may be left out
  cursor.bytes(std::min<uint64_t>(padding(size), cursor.left()));
  if (!out.owner.empty() && out.owner.back() == '\0') out.owner.remove_suffix(1);
  notes = cursor.rest();
  return out;
}

}  // namespace aiflame
