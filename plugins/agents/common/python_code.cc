/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/python_code.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/readable.h"

namespace aiflame::agent {
namespace {

using namespace python_object;

// Limits beyond what programs have: bytecode of a code object, characters of a text.
constexpr uint64_t kMaxBytecode = uint64_t{1} << 28;
constexpr uint64_t kMaxCharacters = uint64_t{1} << 40;
constexpr uint64_t kMaxTable = uint64_t{1} << 28;

template <typename T>
T at(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// The characters of a str.
struct Characters {
  uint64_t begin = 0, count = 0;
  unsigned kind = 1;  // bytes each
};

// Whether this is a str with its text right after it. All are, except those of a subclass.
bool is_text(uint64_t object, const PythonTypes& types) {
  return object % 8 == 0 && LiveMemory::holds(object, kState + 4) &&
         at<uint64_t>(object + kType) == types.unicode &&
         (at<uint32_t>(object + kState) & kCompact) != 0 &&
         at<uint64_t>(object + kLength) < kMaxCharacters;
}

Characters characters_of(const PythonLayout& layout, uint64_t text) {
  const auto state = at<uint32_t>(text + kState);
  Characters out;
  out.kind = state >> kKindShift & kKindMask;
  out.begin = text + ((state & kAscii) != 0 ? layout.ascii_text : layout.other_text);
  out.count = at<uint64_t>(text + kLength);
  if (out.kind != 1 && out.kind != 2 && out.kind != 4) out = {};
  return out;
}

// A long text is hashed as far as it is shown.
[[gnu::noinline]] uint64_t hash_of_text(const PythonLayout& layout, uint64_t text) {
  constexpr uint64_t kShown = 16384;
  const Characters all = characters_of(layout, text);
  const uint64_t bytes = all.count * all.kind, part = bytes < kShown ? bytes : kShown;
  if (!LiveMemory::holds(all.begin, part)) return bytes;
  const uint64_t hash = hash_bytes(reinterpret_cast<const void*>(all.begin), part);
  if (part == bytes) return hash;
  const uint64_t tail = all.begin + bytes - part;
  if (!LiveMemory::holds(tail, part)) return bytes;
  return mix(mix(bytes, hash), hash_bytes(reinterpret_cast<const void*>(tail), part));
}

// Python's own hash when it has one, which names of functions do.
uint64_t known_hash(const PythonLayout& layout, uint64_t text, KnownTexts& known) {
  if (text == 0) return 0;
  const auto pythons = at<uint64_t>(text + kHash);
  if (pythons != UINT64_MAX) return pythons;
  const unsigned slot = text >> 4 & (KnownTexts::kSlots - 1);
  if (known.texts[slot] == text) return known.hashes[slot];
  known.texts[slot] = text;
  return known.hashes[slot] = hash_of_text(layout, text);
}

// How many bytes of a location table decide on a line: found by reading the table, then cached by
// table and instruction. A new table at the address of an old one is hashed over the length that
// the old one needed. If it begins with the same bytes, it gives the same line too.
struct Prefix {
  std::atomic<uint64_t> check, bytes;
};
constexpr unsigned kPrefixBits = 12;
Prefix prefixes[1 << kPrefixBits];

uint32_t prefix_of(const PythonPlace& place) {
  const uint64_t key = mix(place.lines, place.unit);
  Prefix& slot = prefixes[key >> (64 - kPrefixBits)];
  const uint64_t known = slot.bytes.load(std::memory_order_relaxed);
  if ((slot.check.load(std::memory_order_relaxed) ^ known) == key && known <= place.line_bytes)
    return static_cast<uint32_t>(known);
  const uint32_t found = find_line(reinterpret_cast<const uint8_t*>(place.lines), place.line_bytes,
                                   place.first_line, place.unit)
                             .prefix;
  slot.bytes.store(found, std::memory_order_relaxed);
  slot.check.store(key ^ found, std::memory_order_relaxed);
  return found;
}

// Each is written without a lock: `check` is the key xor the number, so that of two halves that do
// not belong together the key is another.
struct Remembered {
  std::atomic<uint64_t> check, number;
};
constexpr unsigned kRememberedBits = 13;  // the places of some thousand stacks
Remembered remembered[1 << kRememberedBits];

}  // namespace

uint64_t key_of(const PythonLayout& layout, uint64_t frame, uint64_t interpreter) {
  if (layout.code_version == 0 || !LiveMemory::holds(frame, layout.frame_bytes())) return 0;
  auto code = at<uint64_t>(frame + layout.frame_code);
  if (layout.version >= 0x030e) code &= ~kReferenceMark;
  if (code % 8 != 0 || !LiveMemory::holds(code, layout.code_bytecode)) return 0;
  const uint64_t version = at<uint32_t>(code + layout.code_version);
  if (version == 0) return 0;
  const uint64_t owner = at<unsigned char>(frame + layout.frame_owner);
  const uint64_t place = mix(code, std::rotl(at<uint64_t>(frame + layout.frame_instruction), 17));
  // a program that ends Python and begins it anew has the same numbers: these tell most such apart
  const uint64_t content = mix(version << 32 | at<uint32_t>(code + layout.code_first_line),
                               at<uint64_t>(code + layout.code_lines));
  return mix(std::rotl(mix(place, content), 17), interpreter << 8 | owner);
}

uint64_t remembered_number(uint64_t key) {
  const Remembered& one = remembered[key >> (64 - kRememberedBits)];
  const uint64_t number = one.number.load(std::memory_order_relaxed);
  return key != 0 && (one.check.load(std::memory_order_relaxed) ^ number) == key ? number : 0;
}

void remember_number(uint64_t key, uint64_t number) {
  if (key == 0) return;
  Remembered& one = remembered[key >> (64 - kRememberedBits)];
  one.number.store(number, std::memory_order_relaxed);
  one.check.store(key ^ number, std::memory_order_relaxed);
}

PythonCheck read_place(const PythonLayout& layout, const PythonTypes& types, uint64_t frame,
                       PythonPlace& place) {
  if (!LiveMemory::holds(frame, layout.frame_bytes())) return PythonCheck::failed;
  auto code = at<uint64_t>(frame + layout.frame_code);
  if (layout.version >= 0x030e) code &= ~kReferenceMark;
  const auto instruction = at<uint64_t>(frame + layout.frame_instruction);
  if (code % 8 != 0 || !LiveMemory::holds(code, layout.code_bytecode) ||
      at<uint64_t>(code + kType) != types.code)
    return PythonCheck::failed;
  const auto units = at<uint64_t>(code + kSize);
  const uint64_t bytecode = code + layout.code_bytecode;
  // a frame starts ahead of the first instruction
  if (units > kMaxBytecode || instruction % 2 != 0 || instruction + 2 < bytecode ||
      instruction > bytecode + 2 * units)
    return PythonCheck::failed;
  place.unit = instruction < bytecode ? PythonPlace::kBefore
                                      : static_cast<uint32_t>((instruction - bytecode) / 2);
  const auto traceable = at<int32_t>(code + layout.code_first_traceable);
  constexpr char kOwnedByGenerator = 1;
  if (at<char>(frame + layout.frame_owner) != kOwnedByGenerator &&
      (place.unit == PythonPlace::kBefore || static_cast<int64_t>(place.unit) < traceable))
    return PythonCheck::hidden;
  place.name = at<uint64_t>(code + layout.code_name);
  place.file = at<uint64_t>(code + layout.code_file);
  const auto table = at<uint64_t>(code + layout.code_lines);
  if (table % 8 != 0 || !LiveMemory::holds(table, kBytesText) ||
      at<uint64_t>(table + kType) != types.bytes)
    return PythonCheck::failed;
  place.lines = table + kBytesText;
  place.line_bytes = at<uint64_t>(table + kSize);
  if (place.line_bytes > kMaxTable || !LiveMemory::holds(place.lines, place.line_bytes))
    return PythonCheck::failed;
  place.first_line = at<uint32_t>(code + layout.code_first_line);
  // a subclass of str is rare, but no sign of trouble
  if (!is_text(place.name, types)) place.name = 0;
  if (!is_text(place.file, types)) place.file = 0;
  return PythonCheck::passed;
}

uint64_t number_of(const PythonPlace& place, const PythonLayout& layout, KnownTexts& known) {
  const uint64_t name = known_hash(layout, place.name, known);
  const uint64_t file = known_hash(layout, place.file, known);
  const uint32_t prefix = prefix_of(place);
  const uint64_t lines = hash_bytes(reinterpret_cast<const void*>(place.lines), prefix);
  // mix() is symmetric, so each step rotates what came before
  const uint64_t line = mix(lines, uint64_t{place.first_line} << 32 | place.unit);
  return mix(std::rotl(mix(std::rotl(name, 17), file), 17), line);
}

size_t copy_text(const PythonLayout& layout, uint64_t text, Keep keep, char* out, size_t size) {
  const Characters all = text == 0 ? Characters{} : characters_of(layout, text);
  // more characters than bytes never fit
  const uint64_t seen = all.count < size ? all.count : size;
  const uint64_t first = keep == Keep::end ? all.count - seen : 0;
  if (!LiveMemory::holds(all.begin + first * all.kind, seen * all.kind)) {
    *out = '?';
    return 1;
  }
  return write_python_text({reinterpret_cast<const char*>(all.begin), all.count, all.kind}, keep,
                           out, size);
}

}  // namespace aiflame::agent
