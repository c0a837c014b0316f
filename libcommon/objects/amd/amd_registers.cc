// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/amd_registers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/text/text_match.h"

namespace aiflame {
namespace {

constexpr uint32_t kVcc = 106, kTtmp = 108, kM0 = 124, kExec = 126, kFlatScratch = 102;
constexpr uint32_t kMaxRegister = 1023;

std::optional<uint32_t> take_register(std::string_view& text) {
  const auto out = take_number(text);
  return out && *out <= kMaxRegister ? out : std::nullopt;
}

// `12` or `[12:15]`
std::optional<RegisterRange> numbered(RegisterKind kind, uint32_t base, std::string_view text) {
  const bool several = take_prefix(text, "[");
  const auto first = take_register(text);
  if (!first) return std::nullopt;
  uint32_t count = 1;
  if (several && take_prefix(text, ":")) {
    const auto last = take_register(text);
    if (!last || *last < *first) return std::nullopt;
    count = *last - *first + 1;
  }
  return RegisterRange{kind, base + *first, count};
}

// `v[2:3]`, `-v1`, `|s2|`, `vcc`; nothing of what is no register.
std::optional<RegisterRange> register_of(std::string_view text) {
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view before : {"-", "|", "[v", "neg(", "abs(", "sext("})
      if (before == "[v" ? text.starts_with(before) && take_prefix(text, "[")
                         : take_prefix(text, before))
        more = true;
  }
  constexpr struct {
    std::string_view name;
    uint32_t first, count;
  } kNamed[] = {{"vcc_lo", kVcc, 1},   {"vcc_hi", kVcc + 1, 1},          {"vcc", kVcc, 2},
                {"exec_lo", kExec, 1}, {"exec_hi", kExec + 1, 1},        {"exec", kExec, 2},
                {"m0", kM0, 1},        {"flat_scratch", kFlatScratch, 2}};
  for (const auto& each : kNamed)
    if (std::string_view rest = text; take_prefix(rest, each.name))
      return RegisterRange{RegisterKind::uniform, each.first, each.count};
  if (take_prefix(text, "ttmp")) return numbered(RegisterKind::uniform, kTtmp, text);
  if (text.size() < 2 || !(is_digit(text[1]) || text[1] == '[')) return std::nullopt;
  const std::string_view number = text.substr(1);
  switch (text[0]) {
    case 'v':
      return numbered(RegisterKind::general, 0, number);
    case 'a':
      return numbered(RegisterKind::accumulator, 0, number);
    case 's':
      return numbered(RegisterKind::uniform, 0, number);
    default:
      return std::nullopt;
  }
}

// Atomics give back what was there only if asked to: glc, since gfx940 sc0, since gfx12 th.
bool returns_value(std::string_view operands) {
  return contains_any(operands, {" glc", " sc0", "ATOMIC_RETURN"});
}

bool is_store(std::string_view name) {
  return contains_any(name, {"_store"}) || name.starts_with("ds_write");
}

// Instructions of LDS that give back nothing are those that neither load nor say so.
bool is_ds_without_result(std::string_view name) {
  return name.starts_with("ds_") &&
         !contains_any(
             name, {"_rtn", "read", "load", "permute", "swizzle", "consume", "append", "ordered"});
}

// How many of the operands are written; they come first.
size_t destinations(std::string_view name, std::string_view operands) {
  if (is_store(name) || is_ds_without_result(name)) return 0;
  if (contains_any(name, {"_atomic"})) return returns_value(operands) ? 1 : 0;
  if (starts_with_any(name, {"s_cmp",        "s_bitcmp",     "s_wait",    "s_branch", "s_cbranch",
                             "s_nop",        "s_barrier",    "s_endpgm",  "s_sleep",  "s_setprio",
                             "s_sendmsg",    "s_setpc",      "s_setreg",  "s_inst_",  "s_dcache",
                             "s_clause",     "s_delay",      "s_trap",    "s_icache", "s_set_gpr",
                             "s_rfe",        "s_code",       "s_version", "s_ttrace", "s_decperf",
                             "s_incperf",    "s_sethalt",    "v_nop",     "exp",      "s_prefetch",
                             "s_round_mode", "s_denorm_mode"}))
    return 0;
  if (contains_any(name, {"_inv", "wbl2", "global_wb", "prefetch"})) return 0;
  if (starts_with_any(name, {"buffer_load", "global_load_lds"}) &&
      (contains_any(operands, {" lds"}) || contains_any(name, {"_lds_"})))
    return 0;
  if (starts_with_any(name, {"v_div_scale", "v_add_co", "v_sub_co", "v_subrev_co", "v_addc_co",
                             "v_subb_co", "v_subbrev_co", "v_add_co_ci", "v_sub_co_ci",
                             "v_subrev_co_ci", "v_mad_u64", "v_mad_i64", "v_mad_co", "v_swap"}))
    return 2;
  return 1;
}

// Whether the destination's old value is read, too.
bool reads_destination(std::string_view name) {
  return contains_any(name, {"fmac"}) ||
         starts_with_any(name, {"v_mac_", "v_dot2c", "v_dot4c", "v_dot8c", "v_swap", "v_smfmac",
                                "s_cmov", "s_bitset"});
}

bool writes_scc(std::string_view name) {
  if (!name.starts_with("s_")) return false;
  name.remove_prefix(2);
  if (contains_any(name, {"saveexec", "wrexec"}) || starts_with_any(name, {"cmp", "bitcmp"}))
    return true;
  return starts_with_any(name,
                         {"add_", "addk", "sub_", "addc", "subb", "min_", "max_", "and_",
                          "or_",  "xor_", "andn", "orn",  "nand", "nor_", "xnor", "not_",
                          "lshl", "lshr", "ashr", "bfe",  "abs",  "bcnt", "wqm",  "quadmask"}) &&
         !contains_any(name, {"_f32", "_f16"});
}

bool reads_scc(std::string_view name) {
  return starts_with_any(name, {"s_addc", "s_subb", "s_cselect", "s_cmov", "s_cbranch_scc",
                                "s_add_co_ci", "s_sub_co_ci"});
}

void use_one(std::string_view name, std::string_view operands, RegisterUse& out) {
  if (!starts_with_any(name, {"v_", "s_", "ds_", "global_", "flat_", "buffer_", "tbuffer_",
                              "scratch_", "image_", "exp", "lds_"})) {
    out.known = false;
    return;
  }
  size_t left = destinations(name, operands);
  // before gfx10 it writes a scalar, too: v_cmpx_gt_u32_e32 vcc, v0, v1
  const bool is_cmpx = name.starts_with("v_cmpx");
  if (is_cmpx && register_of(operands) && register_of(operands)->kind != RegisterKind::uniform)
    left = 0;
  // and an addition names its carry: v_add_u32_e32 v0, vcc, v1, v2
  if (left == 1 && contains_any(name, {"add", "sub"}) && contains_any(operands, {", vcc, v"}))
    left = 2;
  const bool reads_too = reads_destination(name);
  while (!operands.empty()) {
    const size_t comma = operands.find(", ");
    std::string_view piece = operands.substr(0, comma);
    operands.remove_prefix(std::min(piece.size() + 2, operands.size()));
    if (name.starts_with("exp") && piece.find(' ') != std::string_view::npos && piece[0] != 'v')
      piece.remove_prefix(piece.find(' ') + 1);  // mrt0 v0
    const auto found = register_of(piece.substr(0, piece.find(' ')));
    const bool written = left > 0;
    if (written) --left;
    if (!found) continue;
    if (!written || reads_too) out.reads.push_back(*found);
    if (written) out.writes.push_back(*found);
  }
  const RegisterRange exec = {RegisterKind::uniform, kExec, 2};
  if (is_cmpx || contains_any(name, {"saveexec", "wrexec"})) out.writes.push_back(exec);
  if (contains_any(name, {"saveexec", "wrexec", "_execz", "_execnz"})) out.reads.push_back(exec);
  if (starts_with_any(name, {"v_div_fmas", "s_cbranch_vcc"}))
    out.reads.push_back({RegisterKind::uniform, kVcc, 2});
  if (reads_scc(name)) out.reads.push_back({RegisterKind::flags, 0, 1});
  if (writes_scc(name)) out.writes.push_back({RegisterKind::flags, 0, 1});
}

}  // namespace

RegisterUse amd_registers(std::string_view mnemonic, std::string_view operands) {
  RegisterUse out;
  out.known = true;
  // v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v3, v4
  constexpr std::string_view kAnd = " :: ";
  const size_t second = operands.find(kAnd);
  use_one(mnemonic, operands.substr(0, second), out);
  if (second != std::string_view::npos) {
    operands.remove_prefix(second + kAnd.size());
    const size_t blank = std::min(operands.find(' '), operands.size());
    use_one(operands.substr(0, blank), operands.substr(std::min(blank + 1, operands.size())), out);
  }
  // one lane, or one half of the register
  out.conditional = mnemonic.starts_with("v_writelane") ||
                    contains_any(mnemonic, {"_d16", "_sdwa"}) || contains_any(mnemonic, {"s_cmov"});
  return out;
}

Operation amd_operation(std::string_view name) {
  if (name.empty()) return Operation::unknown;
  const bool is_lds = starts_with_any(name, {"ds_", "lds_"});
  const bool is_vector =
      starts_with_any(name, {"global_", "flat_", "buffer_", "tbuffer_", "scratch_", "image_"});
  if (starts_with_any(name,
                      {"s_load", "s_buffer_load", "s_scratch_load", "s_memtime", "s_memreal"}))
    return Operation::constant_load;
  if (starts_with_any(name, {"s_barrier", "s_dcache", "s_icache", "s_gl"}))
    return Operation::barrier;
  if (starts_with_any(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_rfe",
                             "s_endpgm", "s_wait", "s_nop", "s_sleep", "s_sendmsg", "s_clause",
                             "s_delay", "s_trap", "s_code"}))
    return Operation::control;
  if (is_vector && contains_any(name, {"_inv", "wbl2", "_wb"})) return Operation::barrier;
  if (contains_any(name, {"_atomic"})) return Operation::atomic;
  if (is_store(name) || name.starts_with("exp")) return Operation::store;
  if (is_vector) return Operation::load;
  if (is_lds) {
    if (starts_with_any(name, {"ds_nop", "ds_gws"})) return Operation::barrier;
    return contains_any(name, {"read", "load", "permute", "swizzle"}) ? Operation::local_load
                                                                      : Operation::atomic;
  }
  if (starts_with_any(
          name, {"v_rcp", "v_rsq", "v_sqrt", "v_exp", "v_log", "v_sin", "v_cos", "v_div", "v_mfma",
                 "v_smfmac", "v_wmma", "v_swmmac", "s_sqrt", "v_s_"}))
    return Operation::slow_arithmetic;
  return starts_with_any(name, {"v_", "s_"}) ? Operation::arithmetic : Operation::unknown;
}

}  // namespace aiflame
