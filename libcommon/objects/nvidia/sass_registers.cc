// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_registers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcommon/objects/nvidia/sass_table.h"

namespace aiflame {
namespace {

using namespace sass;

constexpr unsigned kRz = 255;  // RZ
constexpr unsigned kTrue = 7;  // PT and UPT
constexpr uint32_t kUp0 = 8;   // UP0 among the predicates

// Kinds of operations, bits 0-8.
enum Kind : unsigned {
  kP2r = 0x003,
  kR2p = 0x004,
  kCs2r = 0x005,
  kMov = 0x002,
  kSel = 0x007,
  kImma = 0x037,
  kLdsm = 0x03b,
  kHmma = 0x03c,
  kDmma = 0x03f,
  kUmov = 0x082,
  kLdcUniform = 0x0b9,
  kCs2ur = 0x0cb,
  kBar = 0x11d,
  kCallAbsolute = 0x143,
  kCallRelative = 0x144,
  kBra = 0x147,
  kWarpsync = 0x148,
  kBrx = 0x149,
  kLepc = 0x14e,
  kRet = 0x150,
  kBmovFrom = 0x155,
  kBmovTo = 0x156,
  kBrxu = 0x158,
  kLdg = 0x181,
  kSt = 0x185,
  kShfl = 0x189,
  kCctl = 0x18f,
  kSuld = 0x199,
  kLdcu = 0x1ac,
};

// Collects what one instruction reads and writes.
class Reader {
 public:
  Reader(const SassWord& word, unsigned architecture) : word_(word), architecture_(architecture) {}

  unsigned field(unsigned first, unsigned count) const {
    return static_cast<unsigned>(word_.bits(first, count));
  }
  bool bit(unsigned at) const { return field(at, 1) != 0; }
  unsigned architecture() const { return architecture_; }

  void read(unsigned at, unsigned count = 1) { add(out.reads, at, count); }
  void write(unsigned at, unsigned count = 1) { add(out.writes, at, count); }
  void read_uniform(unsigned at, unsigned count = 1) { add_uniform(out.reads, at, count); }
  void write_uniform(unsigned at, unsigned count = 1) { add_uniform(out.writes, at, count); }
  void read_predicate(unsigned at, bool uniform) { add_predicate(out.reads, at, uniform); }
  void write_predicate(unsigned at, bool uniform) { add_predicate(out.writes, at, uniform); }

  // The predicate in front: 7 is PT, and 15 !PT.
  void guard(bool uniform) {
    if (field(12, 4) == kTrue) return;
    out.conditional = true;
    read_predicate(12, uniform);
  }

  RegisterUse out;

 private:
  void add(std::vector<RegisterRange>& to, unsigned at, unsigned count) const {
    const unsigned first = field(at, 8);
    if (first != kRz && count > 0)
      to.push_back({RegisterKind::general, first, std::min(count, kRz - first)});
  }
  // Up to sm_90 URZ is 63, since sm_100 it is 255.
  void add_uniform(std::vector<RegisterRange>& to, unsigned at, unsigned count) const {
    const unsigned urz = architecture_ >= 100 ? 255 : 63;
    const unsigned first = field(at, 8) & urz;
    if (first != urz) to.push_back({RegisterKind::uniform, first, std::min(count, urz - first)});
  }
  void add_predicate(std::vector<RegisterRange>& to, unsigned at, bool uniform) const {
    const unsigned first = field(at, 3);
    if (first != kTrue) to.push_back({RegisterKind::predicate, first + (uniform ? kUp0 : 0), 1});
  }

  const SassWord& word_;
  unsigned architecture_;
};

// Where the sources of a form are: 32-63 hold the second or the third one, as a register of the
// operation's own kind, a uniform one, or none.
struct Form {
  bool known = false, is_third = false;
  enum { own, uniform, none } what = none;
};

Form form_of(unsigned form) {
  switch (form) {
    case 1:
      return {true, false, Form::own};
    case 2:
    case 3:
      return {true, true, Form::none};
    case 4:
    case 5:
      return {true, false, Form::none};
    case 6:
      return {true, false, Form::uniform};
    case 7:
      return {true, true, Form::uniform};
    default:
      return {};
  }
}

// Bit 80 says that they have 64 bits: MOV.64 R8, UR4 and UMOV.64 since sm_120.
bool has_bit_80(unsigned kind) {
  return kind == kMov || kind == kUmov || kind == kCs2r || kind == kCs2ur;
}

// Reads the sources that a row says. False where the operation has no such form.
bool read_sources(Reader& reader, const Row& row, unsigned number) {
  constexpr uint32_t kSources = a | b | c | flexible;
  if ((row.has & kSources) == 0) return true;
  const Form form = form_of(number);
  const bool own_uniform = (row.has & u) != 0;
  const bool pairs_of = (row.has & pairs) != 0 || (has_bit_80(row.kind) && reader.bit(80));
  const bool wide_third = (row.has & c2) != 0;
  const auto take = [&](unsigned at, bool wide) {
    const unsigned count = pairs_of || wide ? 2 : 1;
    own_uniform ? reader.read_uniform(at, count) : reader.read(at, count);
  };
  const auto take_flexible = [&](bool wide) {
    const unsigned count = pairs_of || wide ? 2 : 1;
    if (form.what == Form::own) take(32, wide);
    if (form.what == Form::uniform) reader.read_uniform(32, count);
  };
  if (!form.known) return false;
  if ((row.has & a) != 0) take(24, false);
  if ((row.has & flexible) != 0) {
    take_flexible(false);
    return number == 1 || form.is_third;
  }
  const bool has_b = (row.has & b) != 0, has_c = (row.has & c) != 0;
  if (form.is_third) {
    if (has_c) take_flexible(wide_third);
    if (has_b) take(64, false);
    return has_c;
  }
  if (has_b) take_flexible(false);
  if (has_c) take(64, wide_third);
  return has_b || number == 1;
}

void use_predicates(Reader& reader, const Row& row) {
  const bool uniform = (row.has & u) != 0;
  if ((row.has & p81) != 0) reader.write_predicate(81, uniform);
  if ((row.has & p84) != 0) reader.write_predicate(84, uniform);
  if ((row.has & p87) != 0) reader.read_predicate(87, uniform && (row.has & not_p) == 0);
  if ((row.has & p77) != 0) reader.read_predicate(77, uniform);
  // PLOP3 P0, PT, PT, PT, UP0: bit 67
  if ((row.has & p68) != 0) reader.read_predicate(68, uniform || reader.bit(67));
  if ((row.has & p68_if_72) != 0 && reader.bit(72)) reader.read_predicate(68, uniform);
}

bool use_row(Reader& reader, const Row& row, unsigned form) {
  constexpr unsigned kEight = 3;  // the logarithm of bytes
  const bool uniform = (row.has & u) != 0;
  if ((row.has & sizes) != 0) {
    const unsigned from = reader.field(84, 2) == kEight ? 2 : 1;
    if (form == 1) reader.read(32, from);
    if (form == 6) reader.read_uniform(32, from);
    reader.write(16, reader.field(75, 2) == kEight ? 2 : 1);
    return true;
  }
  use_predicates(reader, row);
  // sm_120: MOV.64 and UMOV.64 with 64 bits of a number, and SEL.64 with 32, have form 2; SEL.64
  // R22, R22, R6, P1 has form 3
  const bool is_64 = (form == 2 && (row.kind == kMov || row.kind == kUmov)) ||
                     ((form == 2 || form == 3) && row.kind == kSel);
  if ((row.has & d) != 0) {
    unsigned count = is_64 || (row.has & (pairs | d2)) != 0 ? 2 : 1;
    if (has_bit_80(row.kind) && reader.bit(80)) count = 2;
    uniform || (row.has & to_uniform) != 0 ? reader.write_uniform(16, count)
                                           : reader.write(16, count);
  }
  if (!is_64) return read_sources(reader, row, form);
  if (row.kind == kSel) reader.read(24, 2);
  if (row.kind == kSel && form == 3) reader.read(32, 2);
  return true;
}

// 8 and 16 bits are in a register of 32
unsigned registers_of_size(unsigned size) {
  if (size == 5) return 2;
  return size >= 6 ? 4 : 1;
}

// U32, S32, U64, F32, F16x2, S64, F64
unsigned registers_of_atomic(unsigned type) {
  return type == 2 || type == 5 || type == 6 ? 2 : 1;
}

bool use_memory(Reader& reader, const SassWord& word, const Memory& its) {
  const bool counts_by_type = its.operation == Operation::atomic;
  const unsigned size = reader.field(73, 3);
  const unsigned count = counts_by_type ? registers_of_atomic(size) : registers_of_size(size);
  const bool has_uniform = reader.bit(91);
  // LDGSTS has that bit elsewhere, and was never seen with an address of 32 bits
  const bool wide = its.does == Memory::copy ||
                    (its.is_global && reader.bit(72) && (!has_uniform || reader.bit(90)));
  reader.read(24, wide ? 2 : 1);
  // where a swap, which has data there, has its uniform register is not known
  const bool is_known = !(has_uniform && its.does == Memory::swap);
  if (has_uniform && is_known)
    reader.read_uniform(its.does == Memory::load ? 32 : 64, its.is_global ? 2 : 1);
  switch (its.does) {
    case Memory::load:
      reader.write(16, count);
      break;
    case Memory::store:  // ST [R6+0x8], R4 has the offset there
      reader.read(its.kind == kSt && word.form() == 1 ? 64 : 32, count);
      break;
    case Memory::atomic:
      reader.read(32, count);
      reader.write(16, count);
      break;
    case Memory::swap:  // compares with the one, writes the other
      reader.read(32, count);
      reader.read(64, count);
      reader.write(16, count);
      break;
    case Memory::copy:
      reader.read(16);  // where to, in shared memory
      break;
  }
  const bool has_predicate = its.kind == kLdg || (counts_by_type && its.is_global);
  if (has_predicate && its.does != Memory::store) reader.write_predicate(81, false);
  return is_known;
}

// Registers of the operands of a matrix instruction D = A * B + C, of each thread; D has those of
// C.
struct MatrixSizes {
  unsigned a = 0, b = 0, c = 0;
};

// By what ptxas 13.0 makes of each shape of the PTX instruction mma.sync.
MatrixSizes matrix_sizes(const Reader& reader, unsigned kind) {
  switch (kind) {
    case kHmma: {  // .1684 has bit 78; .1688, .16816 bit 75; TF32 is type 2; C of F32 bit 76
      const bool tf32 = reader.field(82, 2) == 2;
      const bool large = tf32 ? !reader.bit(78) : reader.bit(75);
      return {large ? 4u : 2u, large ? 2u : 1u, reader.bit(76) ? 4u : 2u};
    }
    case kImma: {  // .8816, .8832; .16816, .16832, .16864 have bit 86; types of 4 bits 83 and 84
      if (!reader.bit(86)) return {1, 1, 2};
      const bool large = reader.field(83, 2) == 3 ? reader.bit(85) : reader.bit(75);
      return {large ? 4u : 2u, large ? 2u : 1u, 4};
    }
    default: {  // DMMA.884, and since sm_90 .1684, .1688, .16816
      const unsigned shape = reader.field(76, 2);
      return shape == 0 ? MatrixSizes{2, 2, 4} : MatrixSizes{2u << shape, 1u << shape, 8};
    }
  }
}

bool use_matrix(Reader& reader, const SassWord& word) {
  // before sm_75 there were other shapes, and sparse ones read a register more (bit 73)
  if (reader.architecture() < 75 || (word.kind() != kDmma && reader.bit(73))) return false;
  const MatrixSizes sizes = matrix_sizes(reader, word.kind());
  reader.read(24, sizes.a);
  reader.read(32, sizes.b);
  reader.read(64, sizes.c);
  reader.write(16, sizes.c);
  return word.form() == 1;
}

// TEX, TLD4 and TLD, with their textures in a constant and in a register.
bool is_texture(unsigned kind) {
  return kind == 0x160 || kind == 0x161 || kind == 0x163 || kind == 0x164 || kind == 0x166 ||
         kind == 0x167;
}

// They have two destinations; how many coordinates there are is not known.
bool use_texture(Reader& reader) {
  // each channel that bits 72-75 choose has a register, the first two behind 16, the others 64
  const unsigned channels = static_cast<unsigned>(__builtin_popcount(reader.field(72, 4)));
  reader.write(16, std::min(channels, 2u));
  if (channels > 2) reader.write(64, channels - 2);
  reader.read(24);
  reader.read(32);
  return false;
}

// Those that are as no other.
bool use_other(Reader& reader, const SassWord& word) {
  const unsigned form = word.form();
  if (is_texture(word.kind())) return use_texture(reader);
  switch (word.kind()) {
    case kHmma:
    case kImma:
    case kDmma:
      return use_matrix(reader, word);
    case kLdsm:
      reader.read(24);
      if (reader.bit(91)) reader.read_uniform(32);
      reader.write(16, 1u << reader.field(72, 2));
      return form == 4;
    case kLepc:
      reader.write(16, 2);
      return true;
    case kCctl:  // of all lines; of one the address' size is not known
      return reader.field(24, 8) == kRz;
    case kP2r:  // P2R R0, PR, R1, 0x7f
      for (unsigned i = 0; i < kTrue; ++i)
        if (reader.bit(32 + i)) reader.out.reads.push_back({RegisterKind::predicate, i, 1});
      reader.read(24);
      reader.write(16);
      return form == 4;
    case kR2p:
      for (unsigned i = 0; i < kTrue; ++i)
        if (reader.bit(32 + i)) reader.out.writes.push_back({RegisterKind::predicate, i, 1});
      reader.read(24);
      return form == 4;
    case kShfl:  // forms 1, 2, 4, 7: whether the lane and the mask are registers
      reader.read(24);
      if (form == 1 || form == 2) reader.read(32);
      if (form == 1 || form == 4) reader.read(64);
      reader.write(16);
      reader.write_predicate(81, false);
      return form == 1 || form == 2 || form == 4 || form == 7;
    case kLdcUniform:  // ULDC UR4, c[0x0][0x118]
      reader.write_uniform(16, registers_of_size(reader.field(73, 3)));
      return true;
    case kLdcu:
      reader.read_uniform(24);
      reader.write_uniform(16, registers_of_size(reader.field(73, 3)));
      return true;
    case kBar:  // BAR.RED adds or ands a predicate
      if (form == 1) reader.read(32);
      if (reader.field(77, 2) == 2) reader.read_predicate(87, false);
      return true;
    case kBra:  // BRA.U UP0; BRA.DIV UR4
      reader.read_predicate(87, false);
      if (!reader.bit(91)) return true;
      form == 2 ? reader.read_predicate(24, true) : reader.read_uniform(24);
      return true;
    case kCallAbsolute:
    case kCallRelative:
      if (form == 1) reader.read(24, 2);
      reader.read_predicate(87, false);
      return form == 1 || form == 4;
    case kBrx:
    case kRet:
      reader.read(24, 2);
      reader.read_predicate(87, false);
      return true;
    case kBrxu:
      reader.read_uniform(24, 2);
      return true;
    case kWarpsync:
      if (form == 1) reader.read(reader.bit(86) ? 24 : 32);
      return true;
    case kBmovFrom:
      reader.write(16);
      return form == 1;
    case kBmovTo:
      reader.read(32);
      return form == 1;
    default:
      return false;
  }
}

}  // namespace

RegisterUse sass_registers(const SassWord& word, unsigned architecture) {
  Reader reader(word, architecture);
  const Row* row = row_of(word.kind(), architecture);
  reader.guard((row != nullptr && (row->has & u) != 0) || word.kind() == kLdcUniform ||
               word.kind() == kLdcu);
  if (const Memory* memory = memory_of(word.kind()); memory != nullptr)
    reader.out.known = use_memory(reader, word, *memory);
  else if (row != nullptr)
    reader.out.known = use_row(reader, *row, word.form());
  else
    reader.out.known = use_other(reader, word);
  return std::move(reader.out);
}

Operation sass_operation_kind(const SassWord& word, unsigned architecture) {
  if (const Memory* memory = memory_of(word.kind()); memory != nullptr) return memory->operation;
  if (const Row* row = row_of(word.kind(), architecture); row != nullptr) return row->operation;
  if (is_texture(word.kind())) return Operation::load;
  switch (word.kind()) {
    case kHmma:
    case kImma:
    case kDmma:
    case kShfl:
      return Operation::slow_arithmetic;
    case kP2r:
    case kR2p:
    case kBmovFrom:
    case kBmovTo:
      return Operation::arithmetic;
    case kLdcUniform:
    case kLdcu:
      return Operation::constant_load;
    case kSuld:
      return Operation::load;
    case kLdsm:
      return Operation::local_load;
    case kBar:
    case kWarpsync:
      return Operation::barrier;
    default:
      return sass_step(word, architecture).flow == SassFlow::next ? Operation::unknown
                                                                  : Operation::control;
  }
}

}  // namespace aiflame
