// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/line_program.h"

#include <utility>

#include "libcommon/io/byte_cursor.h"

namespace aiflame {
namespace {

// A row takes one byte in the file and 24 here. A library of a few thousand kernels has a million.
constexpr size_t kMaxRows = size_t{1} << 24;

enum Standard : uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};

enum Extended : uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kDefineFile = 3,
  kInlinedCall = 0x90,
  kSetFunctionName = 0x91,
};

// LEB128: seven bits a byte, the lowest first; the eighth bit says that another byte follows.
uint64_t unsigned_leb(ByteCursor& in) {
  uint64_t out = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = in.take<uint8_t>();
    if (shift < 64) out |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return out;
  }
}

int64_t signed_leb(ByteCursor& in) {
  uint64_t out = 0;
  for (unsigned shift = 0;;) {
    const auto byte = in.take<uint8_t>();
    if (shift < 64) out |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < 64) out |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(out);
  }
}

LineFile read_file(std::string_view name, ByteCursor& in) {
  LineFile file{name, unsigned_leb(in)};
  unsigned_leb(in);  // time of the last change
  unsigned_leb(in);  // length in bytes
  return file;
}

class Program {
 public:
  Program(LineTable& table, size_t& rows_left) : table_(table), rows_left_(rows_left) {}

  // False where the version is not known, or the unit is damaged.
  bool read(std::string_view unit) {
    ByteCursor in(unit);
    const auto version = in.take<uint16_t>();
    if (version < 2 || version > 4) return false;
    const std::string_view header = in.bytes(in.u32());
    if (!in.ok() || !read_header(ByteCursor(header), version)) return false;
    while (in.left() > 0) {
      step(in);
      if (!in.ok() || rows_left_ == 0) return false;
    }
    return true;
  }

 private:
  bool read_header(ByteCursor in, unsigned version) {
    minimum_ = in.take<uint8_t>();
    if (version >= 4) in.take<uint8_t>();  // operations per instruction, for VLIW machines
    in.take<uint8_t>();                    // whether the first rows are statements
    line_base_ = (in.take<uint8_t>() ^ 0x80) - 0x80;  // a signed byte
    line_range_ = in.take<uint8_t>();
    opcode_base_ = in.take<uint8_t>();
    if (!in.ok() || line_range_ == 0 || opcode_base_ == 0) return false;
    lengths_ = in.bytes(opcode_base_ - 1u);
    for (std::string_view name = in.text(); !name.empty(); name = in.text())
      table_.directories.push_back(name);
    for (std::string_view name = in.text(); !name.empty(); name = in.text())
      table_.files.push_back(read_file(name, in));
    if (in.left() == sizeof table_.names) table_.names = in.u32();
    return in.ok();
  }

  void step(ByteCursor& in) {
    const auto opcode = in.take<uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned adjusted = opcode - opcode_base_;
      row_.address += uint64_t{adjusted / line_range_} * minimum_;
      add_line(line_base_ + static_cast<int>(adjusted % line_range_));
      return emit();
    }
    switch (opcode) {
      case kExtended: {
        const std::string_view operation = in.bytes(unsigned_leb(in));
        if (!operation.empty()) extended(ByteCursor(operation));
        break;
      }
      case kCopy:
        return emit();
      case kAdvancePc:
        row_.address += unsigned_leb(in) * minimum_;
        break;
      case kAdvanceLine:
        add_line(signed_leb(in));
        break;
      case kSetFile:
        row_.file = static_cast<uint32_t>(unsigned_leb(in));
        break;
      case kConstAddPc:
        row_.address += uint64_t{(255u - opcode_base_) / line_range_} * minimum_;
        break;
      case kFixedAdvancePc:
        row_.address += in.take<uint16_t>();
        break;
      default:  // an unknown opcode: the header has its number of operands
        for (auto left = static_cast<uint8_t>(lengths_[opcode - 1u]); left > 0; --left)
          unsigned_leb(in);
    }
  }

  void extended(ByteCursor in) {
    switch (in.take<uint8_t>()) {
      case kEndSequence:
        return end_sequence();
      case kSetAddress:
        row_.address = in.u64();
        break;
      case kDefineFile: {
        const std::string_view name = in.text();
        table_.files.push_back(read_file(name, in));
        break;
      }
      case kInlinedCall:
        row_.context = static_cast<uint32_t>(unsigned_leb(in));
        row_.name = static_cast<uint32_t>(unsigned_leb(in));
        break;
      case kSetFunctionName:
        row_.name = static_cast<uint32_t>(unsigned_leb(in));
        break;
      default:
        break;
    }
  }

  void add_line(int64_t by) {
    row_.line = static_cast<uint32_t>(row_.line + static_cast<uint64_t>(by));
  }

  void emit() {
    if (rows_left_ > 0) --rows_left_;
    ordered_ = ordered_ && (rows_.empty() || rows_.back().address <= row_.address);
    if (rows_.empty() || rows_.back() != row_) rows_.push_back(row_);
  }

  void end_sequence() {
    if (!rows_.empty() && ordered_ && rows_.back().address <= row_.address)
      table_.sequences.push_back({std::move(rows_), row_.address});
    rows_.clear();
    ordered_ = true;
    row_ = kFirst;
  }

  static constexpr LineRow kFirst{0, 1, 1, 0, 0};

  LineTable& table_;
  size_t& rows_left_;
  unsigned minimum_ = 0, line_range_ = 0, opcode_base_ = 0;
  int line_base_ = 0;
  std::string_view lengths_;  // the number of operands of each standard opcode
  LineRow row_ = kFirst;
  std::vector<LineRow> rows_;
  bool ordered_ = true;
};

}  // namespace

std::vector<LineTable> read_line_tables(std::string_view debug_line) {
  std::vector<LineTable> out;
  size_t rows_left = kMaxRows;
  for (ByteCursor in(debug_line); in.left() > 0 && rows_left > 0;) {
    const uint32_t length = in.u32();
    // larger numbers announce 64-bit DWARF, which objects of this size never need
    const std::string_view unit = length < 0xfffffff0 ? in.bytes(length) : std::string_view();
    if (!in.ok() || unit.empty()) break;
    LineTable& table = out.emplace_back();
    Program(table, rows_left).read(unit);
  }
  return out;
}

}  // namespace aiflame
