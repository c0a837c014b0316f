// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_control.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace aiflame {
namespace {

constexpr int64_t kInstruction = 16;  // bytes

constexpr int64_t sign_extended(uint64_t value, unsigned width) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}

// Where a jump leads, from the instruction behind it, in units of 4 bytes:
//
//   0xfffffff000007947 0x000fc0000383ffff   0x2d0 BRA 0x2d0    up to sm_89: bits 34-81
//   0xfffffffc00fc7947 0x000fc0000383ffff   0x350 BRA 0x350    since sm_90: 16-23 and 34-81
int64_t jump(const SassWord& word, unsigned architecture) {
  constexpr unsigned kSplit = 90;
  const uint64_t upper = word.bits(34, 48);
  const int64_t units = architecture >= kSplit ? sign_extended(upper << 8 | word.bits(16, 8), 56)
                                               : sign_extended(upper, 48);
  return kInstruction + units * 4;
}

// The kinds of instructions, low bits 0-8.
enum Kind : unsigned {
  kDepbar = 0x11a,
  kBsync = 0x141,
  kCallAbsolute = 0x143,
  kCallRelative = 0x144,
  kBssy = 0x145,
  kBra = 0x147,
  kBrx = 0x149,
  kJmp = 0x14a,
  kJmx = 0x14c,
  kExit = 0x14d,
  kRtt = 0x14f,
  kRet = 0x150,
  kBrxu = 0x158,
  kJmxu = 0x159,
  kKill = 0x15b,
  kLdgsts = 0x1ae,
  kLdgdepbar = 0x1af,
};

// As nvdisasm calls them. LDCU is of sm_100 and later.
constexpr struct {
  unsigned kind;
  std::string_view name;
} kOperations[] = {
    {0x028, "DMUL"},
    {0x029, "DADD"},
    {0x02a, "DSETP"},
    {0x02b, "DFMA"},
    {0x037, "IMMA"},
    {0x03a, "MOVM"},
    {0x03b, "LDSM"},
    {0x03c, "HMMA"},
    {0x03f, "DMMA"},
    {0x100, "FLO"},
    {0x101, "BREV"},
    {0x102, "FCHK"},
    {0x104, "F2F"},
    {0x105, "F2I"},
    {0x106, "I2F"},
    {0x107, "FRND"},
    {0x108, "MUFU"},
    {0x109, "POPC"},
    {0x110, "F2F"},
    {0x111, "F2I"},
    {0x112, "I2F"},
    {0x113, "FRND"},
    {0x119, "S2R"},
    {0x11c, "B2R"},
    {0x160, "TEX"},
    {0x161, "TEX"},
    {0x163, "TLD4"},
    {0x164, "TLD4"},
    {0x166, "TLD"},
    {0x167, "TLD"},
    {0x180, "LD"},
    {0x181, "LDG"},
    {0x182, "LDC"},
    {0x183, "LDL"},
    {0x184, "LDS"},
    {0x185, "ST"},
    {0x186, "STG"},
    {0x187, "STL"},
    {0x188, "STS"},
    {0x189, "SHFL"},
    {0x18a, "ATOM"},
    {0x18b, "ATOM"},
    {0x18c, "ATOMS"},
    {0x18d, "ATOMS"},
    {0x18e, "RED"},
    {0x192, "MEMBAR"},
    {0x199, "SULD"},
    {0x19d, "SUST"},
    {0x1a1, "MATCH"},
    {0x1a8, "ATOMG"},
    {0x1a9, "ATOMG"},
    {kLdgsts, "LDGSTS"},
    {kLdgdepbar, "LDGDEPBAR"},
    {0x1ac, "LDCU"},
    {0x1c2, "R2UR"},
    {0x1c3, "S2UR"},
    {0x1c4, "REDUX"},
};

// The form of operands in which a call's target is in the instruction.
constexpr unsigned kImmediate = 4;

constexpr unsigned kTrue = 7;  // PT and UPT, without the bit that negates

// Whether the instruction may do nothing: its guard, and the second predicate that a branch has in
// bits 87-90: `@!P1 BRA !P2, 0xfc0`. Bit 91 says that it has a uniform one (BRA.U UP0) or register
// (BRA.DIV UR8, taken where threads are apart).
bool is_conditional(const SassWord& word) {
  if (word.bits(12, 4) != kTrue) return true;
  if (word.bits(87, 4) != kTrue) return true;
  return word.kind() == kBra && word.bits(91, 1) != 0;
}

}  // namespace

SassWord SassWord::of(std::string_view bytes) {
  SassWord out;
  std::memcpy(&out.low, bytes.data(), sizeof out.low);
  std::memcpy(&out.high, bytes.data() + sizeof out.low, sizeof out.high);
  return out;
}

SassControl sass_control(const SassWord& word) {
  SassControl out;
  const auto field = [&](unsigned first, unsigned count) {
    return static_cast<unsigned>(word.high >> first & ((1U << count) - 1));
  };
  out.stall = field(41, 4);
  out.yield = field(45, 1) != 0;
  out.write = field(46, 3);
  out.read = field(49, 3);
  out.waits = field(52, 6);
  out.reuse = field(58, 4);
  return out;
}

//   0x000080800000791a   DEPBAR.LE SB0, 0x2      38-43: 2, 44-46: 0, 47: .LE
// It may also wait for others until they are at 0: DEPBAR {5,4}; that is not told here.
std::optional<SassDepbar> sass_depbar(const SassWord& word) {
  if (word.kind() != kDepbar || word.bits(47, 1) == 0) return std::nullopt;
  return SassDepbar{static_cast<unsigned>(word.bits(44, 3)),
                    static_cast<unsigned>(word.bits(38, 6))};
}

std::string_view sass_operation(const SassWord& word) {
  const auto* found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](const auto& each) { return each.kind == word.kind(); });
  return found == std::end(kOperations) ? std::string_view() : found->name;
}

bool starts_async_copy(const SassWord& word) {
  return word.kind() == kLdgsts;
}

bool closes_async_group(const SassWord& word) {
  return word.kind() == kLdgdepbar;
}

SassStep sass_step(const SassWord& word, unsigned architecture) {
  SassStep out;
  switch (word.kind()) {
    case kBra:
      out.flow = SassFlow::branch;
      out.target = jump(word, architecture);
      break;
    case kBrx:
    case kBrxu:
    case kJmp:
    case kJmx:
    case kJmxu:
      out.flow = SassFlow::branch;
      break;
    // 0x0000000000e07945 ... BSSY B0, 0x180: the barrier in bits 16-19, the target in 34-63
    case kBssy:
      out.flow = SassFlow::join_point;
      out.barrier = static_cast<unsigned>(word.bits(16, 4));
      out.target = kInstruction + sign_extended(word.bits(34, 30), 30) * 4;
      return out;
    case kBsync:
      out.flow = SassFlow::join;
      out.barrier = static_cast<unsigned>(word.bits(16, 4));
      break;
    case kCallRelative:
      out.flow = SassFlow::call;
      if (word.form() == kImmediate) out.target = jump(word, architecture);
      break;
    case kCallAbsolute:
      out.flow = SassFlow::call;
      break;
    case kRet:
      out.flow = SassFlow::leave;
      break;
    case kExit:
    case kKill:
    case kRtt:
      out.flow = SassFlow::end;
      break;
    default:
      return out;
  }
  out.conditional = is_conditional(word);
  return out;
}

}  // namespace aiflame
