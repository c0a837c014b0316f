// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/code_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "libcommon/process/python_text.h"
#include "libcommon/text/text_hash.h"
#include "plugins/abi/agent_channel.h"

namespace aiflame::record {
namespace {

// Of a place in the map, beside its texts.
constexpr size_t kPlaceBytes = 192;
// Limits beyond what programs have: units of bytecode, bytes of a location table.
constexpr uint64_t kMostUnits = uint64_t{1} << 28, kMostTable = uint64_t{1} << 20;
// Bytes of a name or a file name that are shown, as in the agents' records.
constexpr size_t kMostText = AGENT_MAX_NAME;
// A code object up to its bytecode.
constexpr size_t kCodeBytes = 256;

template <typename T>
T at(const char* bytes, size_t offset) {
  T out;
  std::memcpy(&out, bytes + offset, sizeof out);
  return out;
}

// Whether the object's memory has been given back. Python's allocator then keeps the address of
// another free block, or null, where the count of references was. A count is less; since 3.14 flags
// may stand above it.
bool is_freed(const char* object) {
  const auto count = at<uint64_t>(object, 0);
  return count == 0 || (count >= uint64_t{1} << 32 && count < uint64_t{1} << 48);
}

}  // namespace

const PythonPlace& CodeReader::place(const python_frame& frame) {
  const Key key(frame.code & ~PYTHON_CODE_FLAGS, frame.instruction, frame.file, frame.name,
                frame.lines);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  PythonPlace& out = known_[key];
  out = read_place(frame);
  bytes_ += kPlaceBytes + out.function.size() + out.file.size();
  return out;
}

PythonPlace CodeReader::read_place(const python_frame& frame) const {
  using namespace python_object;
  const PythonLayout& layout = *python_.layout;
  char object[kCodeBytes];
  if (!read_code(frame, object)) return {};
  const uint64_t bytecode = (frame.code & ~PYTHON_CODE_FLAGS) + layout.code_bytecode;
  const auto units = at<uint64_t>(object, kSize);
  // a frame starts ahead of the first instruction
  if (units > kMostUnits || frame.instruction % 2 != 0 || frame.instruction + 2 < bytecode ||
      frame.instruction > bytecode + 2 * units)
    return {};
  const uint32_t unit = frame.instruction < bytecode
                            ? kPythonBefore
                            : static_cast<uint32_t>((frame.instruction - bytecode) / 2);
  PythonPlace out;
  if ((frame.code & PYTHON_OF_GENERATOR) == 0 &&
      (unit == kPythonBefore ||
       static_cast<int64_t>(unit) < at<int32_t>(object, layout.code_first_traceable))) {
    out.check = PythonPlace::Check::hidden;
    return out;
  }
  char table[kBytesText];
  if (!memory_.load(frame.lines, table) || at<uint64_t>(table, kType) != python_.bytes_type)
    return {};
  const auto bytes = at<uint64_t>(table, kSize);
  if (bytes > kMostTable) return {};
  std::vector<uint8_t> lines(bytes);
  if (!memory_.read(frame.lines + kBytesText, lines.data(), bytes)) return {};
  out.line =
      find_line(lines.data(), bytes, at<uint32_t>(object, layout.code_first_line), unit).line;
  out.function = text_at(frame.name, false);
  out.file = text_at(frame.file, true);
  out.number = hash_text(out.function + '\0' + out.file + '\0' + std::to_string(out.line), 0) |
               AGENT_TEXT_FRAME;
  // it still was all the time: what it refers to was, too
  if (read_code(frame, object)) out.check = PythonPlace::Check::passed;
  return out;
}

// The code object up to its bytecode. False when it is not the one that ran.
bool CodeReader::read_code(const python_frame& frame, char* object) const {
  const PythonLayout& layout = *python_.layout;
  return layout.code_bytecode <= kCodeBytes &&
         memory_.read(frame.code & ~PYTHON_CODE_FLAGS, object, layout.code_bytecode) &&
         !is_freed(object) && at<uint64_t>(object, python_object::kType) == python_.code_type &&
         at<uint64_t>(object, layout.code_file) == frame.file &&
         at<uint64_t>(object, layout.code_name) == frame.name &&
         at<uint64_t>(object, layout.code_lines) == frame.lines;
}

// "?" for what is no str, or one of a subclass.
std::string CodeReader::text_at(uint64_t address, bool keep_end) const {
  using namespace python_object;
  const PythonLayout& layout = *python_.layout;
  char object[kState + 4];
  if (!memory_.load(address, object) || at<uint64_t>(object, kType) != python_.unicode_type)
    return "?";
  const auto state = at<uint32_t>(object, kState);
  PythonCharacters text;
  text.count = at<uint64_t>(object, kLength);
  text.kind = state >> kKindShift & kKindMask;
  if ((state & kCompact) == 0 || (text.kind != 1 && text.kind != 2 && text.kind != 4)) return "?";
  // of a long text, the part that is shown, as if it began there
  const uint64_t seen = std::min<uint64_t>(text.count, kMostText + 1);
  const uint64_t first = keep_end ? text.count - seen : 0;
  std::vector<char> characters(seen * text.kind);
  if (text.count > UINT64_MAX / 8 ||
      !memory_.read(address + ((state & kAscii) != 0 ? layout.ascii_text : layout.other_text) +
                        first * text.kind,
                    characters.data(), characters.size()))
    return "?";
  text.begin = characters.data();
  text.count = seen;
  char out[kMostText];
  return {out, write_python_text(text, keep_end ? Keep::end : Keep::beginning, out, sizeof out)};
}

}  // namespace aiflame::record
