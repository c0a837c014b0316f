// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/hsaco_facts.h"

#include <cstdint>
#include <optional>

#include "libcommon/symbols/elf_note.h"

namespace aiflame {
namespace {

constexpr uint32_t kMetadata = 32;  // NT_AMDGPU_METADATA
constexpr unsigned kDeepest = 16;   // the metadata has four levels

// One value of MessagePack.
struct Value {
  enum class Kind { other, number, text, list, map } kind = Kind::other;
  uint64_t number = 0;  // or the items of a list, the pairs of a map
  std::string_view text;
};

// Reads values from the front of the bytes. All functions are false where these end early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool next(Value& out) {
    uint64_t type = 0;
    if (!number(1, type)) return false;
    out = {};
    if (type < 0x80) return set(out, Value::Kind::number, type);
    if (type < 0x90) return set(out, Value::Kind::map, type & 0xf);
    if (type < 0xa0) return set(out, Value::Kind::list, type & 0xf);
    if (type < 0xc0) return take_text(out, type & 0x1f);
    if (type >= 0xe0) return true;  // a negative number
    switch (type) {
      case 0xc4:
      case 0xc5:
      case 0xc6:  // bytes
        return number(width(1, type - 0xc4), out.number) && skip_bytes(out.number);
      case 0xc7:
      case 0xc8:
      case 0xc9:  // extensions, of a type
        return number(width(1, type - 0xc7), out.number) && skip_bytes(1) && skip_bytes(out.number);
      case 0xca:
      case 0xd2:
        return skip_bytes(4);
      case 0xcb:
      case 0xd3:
        return skip_bytes(8);
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        out.kind = Value::Kind::number;
        return number(width(1, type - 0xcc), out.number);
      case 0xd0:
        return skip_bytes(1);
      case 0xd1:
        return skip_bytes(2);
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return skip_bytes(1 + width(1, type - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return number(width(1, type - 0xd9), out.number) && take_text(out, out.number);
      case 0xdc:
      case 0xdd:
        out.kind = Value::Kind::list;
        return number(width(2, type - 0xdc), out.number);
      case 0xde:
      case 0xdf:
        out.kind = Value::Kind::map;
        return number(width(2, type - 0xde), out.number);
      default:
        return true;  // nothing, false, true
    }
  }

  // What is in a value that was read. Each item has a byte at least, so the bytes bound it.
  bool skip_content(const Value& value, unsigned depth = 0) {
    if (value.kind != Value::Kind::list && value.kind != Value::Kind::map) return true;
    if (depth > kDeepest) return false;
    const unsigned each = value.kind == Value::Kind::map ? 2 : 1;
    for (uint64_t i = 0; i < value.number; ++i)
      for (unsigned part = 0; part < each; ++part) {
        Value inner;
        if (!next(inner) || !skip_content(inner, depth + 1)) return false;
      }
    return true;
  }

 private:
  // The size of each of msgpack's integer types, in bytes: the next type is twice as large.
  static size_t width(size_t first, uint64_t doubled) { return first << (doubled & 7); }

  static bool set(Value& out, Value::Kind kind, uint64_t number) {
    out.kind = kind;
    out.number = number;
    return true;
  }
  // The highest byte first.
  bool number(size_t size, uint64_t& out) {
    if (bytes_.size() < size) return false;
    out = 0;
    for (size_t i = 0; i < size; ++i) out = out << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(size);
    return true;
  }
  bool skip_bytes(uint64_t size) {
    if (bytes_.size() < size) return false;
    bytes_.remove_prefix(size);
    return true;
  }
  bool take_text(Value& out, uint64_t size) {
    if (bytes_.size() < size) return false;
    out.kind = Value::Kind::text;
    out.text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }

  std::string_view bytes_;
};

void take(std::string_view key, uint64_t number, KernelFacts& out) {
  constexpr uint64_t kBytesOfRegister = 4;  // of a lane
  if (key == ".vgpr_count") out.registers = number;
  if (key == ".group_segment_fixed_size") out.static_local = number;
  if (key == ".private_segment_fixed_size") out.scratch = number;
  if (key == ".vgpr_spill_count" && number <= UINT32_MAX) out.spills = kBytesOfRegister * number;
}

// The map of one kernel. False where the bytes end.
bool read_kernel(Reader& reader, const Value& map, std::string_view kernel,
                 std::optional<KernelFacts>& out) {
  KernelFacts facts;
  bool is_it = false;
  for (uint64_t i = 0; i < map.number; ++i) {
    Value key, value;
    if (!reader.next(key) || !reader.skip_content(key) || !reader.next(value)) return false;
    if (value.kind == Value::Kind::number) take(key.text, value.number, facts);
    if (key.text == ".name" && value.kind == Value::Kind::text) is_it = value.text == kernel;
    if (!reader.skip_content(value)) return false;
  }
  if (is_it) out = facts;
  return true;
}

}  // namespace

std::string_view amd_metadata(std::string_view notes) {
  while (const std::optional<ElfNote> note = take_note(notes))
    if (note->type == kMetadata && note->owner == "AMDGPU") return note->description;
  return {};
}

KernelFacts hsaco_facts(std::string_view metadata, std::string_view kernel) {
  Reader reader(metadata);
  Value top;
  std::optional<KernelFacts> out;
  if (!reader.next(top) || top.kind != Value::Kind::map) return {};
  for (uint64_t i = 0; i < top.number && !out; ++i) {
    Value key, value;
    if (!reader.next(key) || !reader.skip_content(key) || !reader.next(value)) break;
    if (key.text != "amdhsa.kernels" || value.kind != Value::Kind::list) {
      if (!reader.skip_content(value)) break;
      continue;
    }
    for (uint64_t each = 0; each < value.number && !out; ++each) {
      Value map;
      if (!reader.next(map) || map.kind != Value::Kind::map ||
          !read_kernel(reader, map, kernel, out))
        return {};
    }
  }
  return out.value_or(KernelFacts());
}

}  // namespace aiflame
