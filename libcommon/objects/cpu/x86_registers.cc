// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/x86_registers.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/text/text_match.h"

namespace aiflame {
namespace {

constexpr uint32_t kWord = 8, kVectors = 128, kVector = 64;
constexpr RegisterRange kFlags = {RegisterKind::flags, 0, 1};

constexpr RegisterRange whole(uint32_t number) {
  return {RegisterKind::general, number * kWord, kWord};
}
enum Number : uint32_t { kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR11 = 11 };

// xmm3, ymm3, zmm3, k3
std::optional<RegisterRange> vector_named(std::string_view name) {
  uint32_t size = 0;
  if (take_prefix(name, "xmm"))
    size = 16;
  else if (take_prefix(name, "ymm"))
    size = 32;
  else if (take_prefix(name, "zmm"))
    size = 64;
  else if (!take_prefix(name, "k"))
    return std::nullopt;
  const auto number = parse_number<uint32_t>(name);
  if (!number || *number > 31) return std::nullopt;
  if (size == 0) return RegisterRange{RegisterKind::predicate, *number, 1};
  return RegisterRange{RegisterKind::general, kVectors + *number * kVector, size};
}

// rax, eax, ax, al, ah; sil; r8, r8d, r8w, r8b
std::optional<RegisterRange> register_named(std::string_view name) {
  constexpr std::string_view kLetters[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
  if (const auto vector = vector_named(name); vector) return vector;
  for (uint32_t i = 0; i < std::size(kLetters); ++i) {
    const std::string_view letters = kLetters[i];
    const auto bytes = [&](uint32_t from, uint32_t count) {
      return RegisterRange{RegisterKind::general, i * kWord + from, count};
    };
    if (name == letters) return bytes(0, 2);
    if (name.size() == 3 && name.substr(1) == letters) {
      if (name[0] == 'r') return bytes(0, 8);
      if (name[0] == 'e') return bytes(0, 4);
    }
    if (name.size() == 2 && i < 4 && name[0] == letters[0] && (name[1] == 'l' || name[1] == 'h'))
      return bytes(name[1] == 'h' ? 1 : 0, 1);
    if (name.size() == 3 && i >= 4 && name.substr(0, 2) == letters && name[2] == 'l')
      return bytes(0, 1);
  }
  if (!take_prefix(name, "r") || name.empty()) return std::nullopt;
  uint32_t size = kWord;
  const size_t suffix = std::string_view("bwd").find(name.back());
  if (suffix != std::string_view::npos) {
    size = 1u << suffix;
    name.remove_suffix(1);
  }
  const auto number = parse_number<uint32_t>(name);
  if (!number || *number < 8 || *number > 15) return std::nullopt;
  return RegisterRange{RegisterKind::general, *number * kWord, size};
}

struct Operand {
  bool is_memory = false, merges = false;
  std::vector<RegisterRange> registers;  // itself, or the address'
  std::vector<RegisterRange> masks;
};

Operand read_operand(std::string_view text) {
  Operand out;
  out.is_memory = contains(text, "[") || contains(text, "(");
  const size_t brace = text.find('{');
  out.merges = contains(text, "{%k") || contains(text, "{k");
  if (contains(text, "{z}")) out.merges = false;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || (text[end] >= 'a' && text[end] <= 'z')))
      ++end;
    if (const auto found = register_named(text.substr(at, end - at)); found)
      (at > brace ? out.masks : out.registers).push_back(*found);
    at = std::max(end, at + 1);
  }
  return out;
}

// The destination first. At most 8, so that no text makes many.
std::vector<Operand> read_operands(std::string_view text) {
  constexpr size_t kMost = 8;
  const bool is_att = contains(text, "%");
  std::vector<Operand> out;
  while (!text.empty() && out.size() < kMost) {
    const size_t comma = text.find(", ");
    out.push_back(read_operand(text.substr(0, comma)));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
  }
  if (is_att) std::reverse(out.begin(), out.end());
  return out;
}

bool is_jump(std::string_view name) {
  return name.starts_with('j') || name.starts_with("loop");
}

bool is_return(std::string_view name) {
  return name.starts_with("ret") || name.starts_with("iret");
}

bool writes_nothing(std::string_view name) {
  return is_jump(name) || is_return(name) ||
         starts_with_any(name,
                         {"ucomis", "comis",    "vucomis", "vcomis",  "ptest",  "vtestp",  "push",
                          "call",   "prefetch", "nop",     "clflush", "clwb",   "kortest", "ktest",
                          "out",    "int",      "ud",      "hlt",     "mfence", "lfence",  "sfence",
                          "pause",  "endbr",    "ldmxcsr", "vldmxcsr"}) ||
         is_one_of(name, {"cmp", "test", "bt", "vptest"});
}

// Whether the destination's old value does not matter.
bool only_writes(std::string_view name, size_t operands) {
  if (starts_with_any(
          name, {"vfm", "vfnm", "vpdp", "vpternlog", "vdpbf", "vpmadd52", "vpermt2", "vpermi2",
                 "vgather", "vpgather", "vpshldv", "vpshrdv", "vpcompress", "vcompress"}))
    return false;
  if (name.starts_with('v') || name.starts_with('k')) return true;
  // they keep the other half
  if (starts_with_any(name, {"cmov", "movhl", "movlh", "movhp", "movlp"})) return false;
  return starts_with_any(
             name, {"fnstsw", "fstsw",  "mov",       "lea",      "cvt",     "sqrt",    "rcp",
                    "rsqrt",  "pshufd", "pshufl",    "pshufh",   "pmov",    "pabs",    "set",
                    "pop",    "bsf",    "bsr",       "tzcnt",    "lzcnt",   "popcnt",  "andn",
                    "bextr",  "bls",    "bzhi",      "pdep",     "pext",    "rorx",    "sarx",
                    "shlx",   "shrx",   "mulx",      "rd",       "lddqu",   "extract", "pextr",
                    "st",     "ldd",    "broadcast", "pcmpestr", "pcmpistr"}) ||
         (name == "imul" && operands == 3);
}

bool writes_flags(std::string_view name) {
  return is_one_of(name, {"add",   "sub",     "and",   "or",    "xor",   "cmp",    "test", "inc",
                          "dec",   "neg",     "adc",   "sbb",   "imul",  "mul",    "div",  "idiv",
                          "xadd",  "cmpxchg", "andn",  "bextr", "bzhi",  "cmc",    "clc",  "stc",
                          "sahf",  "popf",    "popfq", "tzcnt", "lzcnt", "popcnt", "bsf",  "bsr",
                          "ptest", "vptest",  "bt",    "bts",   "btr",   "btc"}) ||
         starts_with_any(name,
                         {"shl", "shr",    "sar",    "sal",     "rol",     "ror",     "rcl",
                          "rcr", "ucomis", "comis",  "vucomis", "vcomis",  "kortest", "ktest",
                          "bls", "vtestp", "fucomi", "fcomi",   "fucompi", "fcompi",  "cmpxchg"});
}

bool reads_flags(std::string_view name) {
  if (is_jump(name))
    return !is_one_of(name, {"jmp", "jrcxz", "jecxz", "loop"}) && !name.starts_with("jmp");
  return starts_with_any(name, {"cmov", "set", "rcl", "rcr", "fcmov"}) ||
         is_one_of(name, {"adc", "sbb", "lahf", "pushf", "pushfq", "cmc"});
}

// xor eax, eax; vpxor ymm0, ymm1, ymm1
bool is_zero(std::string_view name, const std::vector<Operand>& operands) {
  if (!is_one_of(name, {"xor", "sub", "pxor", "xorps", "xorpd", "vpxor", "vxorps", "vxorpd",
                        "vpxord", "vpxorq"}) ||
      operands.size() < 2)
    return false;
  const Operand &one = operands[operands.size() - 2], &other = operands.back();
  if (one.is_memory || other.is_memory || one.registers.empty() || other.registers.empty())
    return false;
  return one.registers[0].first == other.registers[0].first;
}

void add(std::vector<RegisterRange>& to, const std::vector<RegisterRange>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Registers that the text does not name.
void add_implicit(std::string_view name, std::string_view prefix, size_t operands,
                  RegisterUse& out) {
  if (writes_flags(name)) out.writes.push_back(kFlags);
  if (reads_flags(name)) out.reads.push_back(kFlags);
  const bool divides = name == "div" || name == "idiv";
  if (divides || name == "mul" || (name == "imul" && operands == 1)) {
    out.reads.push_back(whole(kRax));
    if (divides) out.reads.push_back(whole(kRdx));
    add(out.writes, {whole(kRax), whole(kRdx)});
  }
  if (is_one_of(name, {"cdq", "cqo", "cwd"})) {
    out.reads.push_back(whole(kRax));
    out.writes.push_back(whole(kRdx));
  }
  if (is_one_of(name, {"cdqe", "cwde", "cbw"})) {
    out.reads.push_back(whole(kRax));
    out.writes.push_back(whole(kRax));
  }
  if (name == "mulx") out.reads.push_back(whole(kRdx));
  if (name == "cmpxchg") {
    out.reads.push_back(whole(kRax));
    out.writes.push_back(whole(kRax));
  }
  if (is_one_of(name, {"rdtsc", "rdtscp", "cpuid", "xgetbv"}))
    add(out.writes, {whole(kRax), whole(kRdx)});
  if (is_one_of(name, {"cpuid", "rdtscp"})) out.writes.push_back(whole(kRcx));
  if (name == "cpuid") out.writes.push_back(whole(kRbx));
  if (prefix.starts_with("rep")) {
    out.reads.push_back(whole(kRcx));
    out.writes.push_back(whole(kRcx));
  }
  if (is_one_of(name, {"jrcxz", "jecxz"}) || name.starts_with("loop"))
    out.reads.push_back(whole(kRcx));
  if (name == "syscall") add(out.writes, {whole(kRax), whole(kRcx), whole(kR11)});
  if (name.starts_with("call")) {
    for (const uint32_t each : {kRax, kRcx, kRdx, kRsi, kRdi}) out.writes.push_back(whole(each));
    out.writes.push_back({RegisterKind::general, 8 * kWord, 4 * kWord});  // r8 to r11
    out.writes.push_back({RegisterKind::general, kVectors, 32 * kVector});
    add(out.writes, {{RegisterKind::predicate, 0, 8}, kFlags});
  }
}

// The low 32 bits clear the upper ones, and so do VEX and EVEX with what is above the vector.
RegisterRange as_written(RegisterRange range, std::string_view name) {
  if (range.kind != RegisterKind::general) return range;
  if (range.first < kVectors && range.count == 4) range.count = kWord;
  if (range.first >= kVectors && name.starts_with('v')) range.count = kVector;
  return range;
}

// `rep stosq`, `lock xadd`, `bnd jmp`
std::pair<std::string_view, std::string_view> split(std::string_view mnemonic) {
  const size_t blank = mnemonic.rfind(' ');
  if (blank == std::string_view::npos) return {"", mnemonic};
  return {mnemonic.substr(0, blank), mnemonic.substr(blank + 1)};
}

bool is_known(std::string_view name) {
  // x87 and MMX have registers of their own; what a call reads is not in it
  return !name.empty() && !name.starts_with('f') && !name.starts_with("call") &&
         name != "syscall" && name != "emms" && !starts_with_any(name, {"xsave", "xrstor", "fx"});
}

}  // namespace

RegisterUse x86_registers(std::string_view mnemonic, std::string_view text) {
  const auto [prefix, name] = split(mnemonic);
  const std::vector<Operand> operands = read_operands(text);
  RegisterUse out;
  out.known =
      is_known(name) && !text.starts_with("mm") && !contains(text, " mm") && !contains(text, "%mm");
  const bool zero = is_zero(name, operands), exchanges = is_one_of(name, {"xchg", "xadd"});
  const bool one_reads = operands.size() == 1 && !starts_with_any(name, {"pop", "set", "rd"}) &&
                         !is_one_of(name, {"inc", "dec", "neg", "not"});
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& each = operands[i];
    const bool shifts_one = one_reads && starts_with_any(name, {"sh", "sa", "ro", "rc", "bswap"});
    const bool writes = (i == 0 && !writes_nothing(name) && (!one_reads || shifts_one)) ||
                        (i == 1 && (exchanges || name == "mulx"));
    const bool reads = each.is_memory || !writes || each.merges || exchanges ||
                       (i == 0 && !only_writes(name, operands.size()));
    add(out.reads, each.masks);
    if (reads && !(zero && !each.is_memory)) add(out.reads, each.registers);
    if (!writes || each.is_memory || each.registers.empty()) continue;
    out.writes.push_back(as_written(each.registers.front(), name));
  }
  // movs, stos, scas and the like move the registers that their operands name
  const bool copies = operands.size() == 2 && operands[0].is_memory && operands[1].is_memory;
  if (copies || starts_with_any(name, {"stos", "lods", "scas"}))
    for (const Operand& each : operands)
      if (each.is_memory) add(out.writes, each.registers);
  add_implicit(name, prefix, operands.size(), out);
  out.conditional = name.starts_with("cmov");
  return out;
}

Operation x86_operation(std::string_view mnemonic, std::string_view text) {
  const auto [prefix, name] = split(mnemonic);
  if (name.empty()) return Operation::unknown;
  if (is_jump(name) || is_return(name) ||
      starts_with_any(name, {"call", "syscall", "pause", "ud", "hlt"}))
    return Operation::control;
  if (is_one_of(name, {"mfence", "lfence", "sfence"})) return Operation::barrier;
  const std::vector<Operand> operands = read_operands(text);
  const bool in_memory = !operands.empty() && operands.front().is_memory;
  if (contains(prefix, "lock") || (name == "xchg" && contains(text, "["))) return Operation::atomic;
  const bool names_memory =
      !starts_with_any(name, {"lea", "nop", "prefetch", "clflush", "clwb", "endbr"}) &&
      std::any_of(operands.begin(), operands.end(),
                  [](const Operand& each) { return each.is_memory; });
  if (names_memory && in_memory && !writes_nothing(name) && operands.size() > 1)
    return Operation::store;
  if (names_memory) return Operation::load;
  if (starts_with_any(name,
                      {"div", "idiv", "vdiv", "sqrt", "vsqrt", "rcp", "vrcp", "rsqrt", "vrsqrt"}))
    return Operation::slow_arithmetic;
  if (name.starts_with("push")) return Operation::store;
  if (name.starts_with("pop") && !name.starts_with("popcnt")) return Operation::load;
  return Operation::arithmetic;
}

}  // namespace aiflame
