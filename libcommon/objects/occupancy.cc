// SPDX-License-Identifier: MIT
#include "libcommon/objects/occupancy.h"

#include <algorithm>

namespace aiflame {
namespace {

constexpr uint64_t kKB = 1024;

uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy occupancy(const UnitLimits& unit, const KernelFacts& facts, const LaunchSize& size) {
  const uint64_t items = size.group_items();
  // no device holds larger groups; these bounds keep the products below small
  constexpr uint64_t kMostItems = 1024, kMostRegisters = 1024;
  if (items == 0 || items > kMostItems || !facts.registers || *facts.registers > kMostRegisters)
    return {};
  const uint64_t warps = (items + unit.lanes - 1) / unit.lanes;
  uint64_t groups = std::min(unit.groups, unit.warps / warps);
  const char* limit = groups * warps < unit.warps ? "group" : "";
  const auto bound = [&](uint64_t most, const char* by) {
    if (most >= groups) return;
    groups = most;
    limit = by;
  };
  const uint64_t each = round_up(std::max<uint64_t>(*facts.registers, 1), unit.register_unit);
  bound(unit.registers / each * unit.parts / warps, "registers");
  const uint64_t local = facts.static_local.value_or(0), dynamic = size.local;
  if (local > unit.local || dynamic > unit.local) return {};
  if (const uint64_t bytes = local + dynamic + unit.local_of_group; bytes > 0)
    bound(unit.local / round_up(bytes, unit.local_unit), "local memory");
  // it could not have been launched: the numbers are not of this device
  if (groups == 0) return {};
  return {groups * warps * 100 / unit.warps, limit};
}

// warps, groups, then kilobytes of shared memory of a multiprocessor. It has 65536 registers, which
// its four parts give to warps in units of 256, 8 for each lane.
std::optional<UnitLimits> nvidia_limits(unsigned architecture) {
  struct Row {
    unsigned architecture, warps, groups, shared, reserved;
  };
  // since 8.0 the system takes 1 KB of each group; the cubins of 9.0 and later count it themselves
  constexpr Row kRows[] = {{70, 64, 32, 96, 0},  {72, 64, 32, 96, 0},  {75, 32, 16, 64, 0},
                           {80, 64, 32, 164, 1}, {86, 48, 16, 100, 1}, {87, 48, 16, 164, 1},
                           {89, 48, 24, 100, 1}, {90, 64, 32, 228, 0}, {100, 64, 32, 228, 0},
                           {120, 48, 24, 100, 0}};
  for (const Row& row : kRows) {
    if (row.architecture != architecture) continue;
    UnitLimits out;
    out.warps = row.warps;
    out.groups = row.groups;
    out.registers = 65536 / 32 / 4;
    out.register_unit = 8;
    out.local = row.shared * kKB;
    out.local_unit = architecture < 80 ? 256 : 128;
    out.local_of_group = row.reserved * kKB;
    return out;
  }
  return std::nullopt;
}

std::optional<UnitLimits> amd_limits(const std::string& processor) {
  UnitLimits out;
  out.lanes = 64;
  out.groups = 32;  // at most 16 or 32 of several waves: never the first limit that matters
  out.local = 64 * kKB;
  if (processor == "gfx90a" || processor == "gfx940" || processor == "gfx941" ||
      processor == "gfx942") {
    out.warps = 32;  // 4 SIMDs of 8
    out.registers = 512;
    out.register_unit = 8;
  } else if (processor == "gfx900" || processor == "gfx906" || processor == "gfx908") {
    out.warps = 40;  // 4 SIMDs of 10
    out.registers = 256;
    out.register_unit = 4;
  } else {
    return std::nullopt;
  }
  return out;
}

Occupancy intel_occupancy(const KernelFacts& facts) {
  if (facts.registers == 128) return {100, ""};
  if (facts.registers == 256) return {50, "registers"};
  return {};
}

}  // namespace aiflame
