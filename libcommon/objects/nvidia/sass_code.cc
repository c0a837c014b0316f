// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_code.h"

#include <algorithm>
#include <array>
#include <optional>

namespace aiflame {
namespace {

constexpr uint32_t kInstruction = 16;   // bytes
constexpr unsigned kJoinBarriers = 16;  // B0 to B15

// The index of the instruction at an offset, or nothing.
std::optional<uint32_t> index_of(int64_t offset, size_t instructions) {
  if (offset < 0 || offset % kInstruction != 0) return std::nullopt;
  const int64_t index = offset / kInstruction;
  if (index >= static_cast<int64_t>(instructions)) return std::nullopt;
  return static_cast<uint32_t>(index);
}

SassWord word_at(std::string_view code, uint32_t index) {
  return SassWord::of(code.substr(size_t{index} * kInstruction, kInstruction));
}

// Threads that were apart go on together below BSYNC, where BSSY says. That is nearly always the
// next instruction.
void add_joins(const std::vector<FlowEdge>& joins,
               const std::array<std::vector<uint32_t>, kJoinBarriers>& points, Flow& flow) {
  constexpr size_t kMaxPoints = 64;  // else every join of hostile code leads everywhere
  for (const auto& [from, barrier] : joins) {
    const std::vector<uint32_t>& to = points[barrier];
    if (to.empty() || std::find(to.begin(), to.end(), from + 1) != to.end()) {
      flow.falls_through[from] = true;
      continue;
    }
    for (size_t i = 0; i < std::min(to.size(), kMaxPoints); ++i)
      flow.jumps.push_back({from, to[i]});
  }
}

}  // namespace

Flow SassCode::flow_of(std::string_view code, unsigned architecture,
                       const std::vector<FlowEdge>& indirect) {
  Flow out;
  std::vector<FlowEdge> joins;  // from a BSYNC to the number of its barrier
  std::array<std::vector<uint32_t>, kJoinBarriers> points;
  const size_t size = code.size() / kInstruction;
  out.returns.resize(size);
  out.comes_back.resize(size);
  for (uint32_t i = 0; i < size; ++i) {
    const SassStep step = sass_step(word_at(code, i), architecture);
    const auto to =
        step.target ? index_of(int64_t{i} * kInstruction + *step.target, size) : std::nullopt;
    bool goes_on = step.conditional;
    switch (step.flow) {
      case SassFlow::next:
        goes_on = true;
        break;
      case SassFlow::branch:
        if (to) out.jumps.push_back({i, *to});
        break;
      case SassFlow::join_point:
        goes_on = true;
        if (to) points[step.barrier].push_back(*to);
        break;
      case SassFlow::join:
        joins.push_back({i, step.barrier});
        break;
      case SassFlow::call:
        if (to) out.calls.push_back({i, *to});
        out.comes_back[i] = true;
        break;
      case SassFlow::leave:
        out.returns[i] = true;
        break;
      case SassFlow::end:
        break;
    }
    out.falls_through.push_back(goes_on);
  }
  add_joins(joins, points, out);
  for (const FlowEdge& each : indirect) {
    const auto from = index_of(each.from, size), to = index_of(each.to, size);
    if (from && to) out.jumps.push_back({*from, *to});
  }
  return out;
}

SassCode::Instruction SassCode::read(const SassWord& word) {
  Instruction out;
  const SassControl control = sass_control(word);
  out.waits = static_cast<uint8_t>(control.waits);
  for (const unsigned scoreboard : {control.write, control.read})
    if (scoreboard < kSassScoreboards) out.counts |= static_cast<uint8_t>(1U << scoreboard);
  if (const auto depbar = sass_depbar(word); depbar && depbar->scoreboard < kSassScoreboards) {
    out.depbar = static_cast<uint8_t>(depbar->scoreboard);
    out.leaves = static_cast<uint8_t>(depbar->leaves);
  }
  out.starts_copy = starts_async_copy(word);
  out.closes_group = closes_async_group(word);
  out.operation = sass_operation(word);
  return out;
}

SassCode::SassCode(std::string_view code, unsigned architecture,
                   const std::vector<FlowEdge>& indirect)
    : flow_(flow_of(code, architecture, indirect)) {
  code_.reserve(flow_.size());
  words_.reserve(flow_.size());
  for (uint32_t i = 0; i < flow_.size(); ++i) {
    words_.push_back(word_at(code, i));
    code_.push_back(read(words_.back()));
  }
}

std::string_view SassCode::operation(uint32_t index) const {
  return index < code_.size() ? code_[index].operation : std::string_view();
}

CounterUse SassCode::use(uint32_t index, unsigned scoreboard) const {
  const Instruction& its = code_[index];
  CounterUse out;
  out.counts = (its.counts >> scoreboard & 1) != 0;
  if (its.depbar == scoreboard) out.leaves = its.leaves;
  if ((its.waits >> scoreboard & 1) != 0) out.leaves = 0;
  return out;
}

// A group of copies holds those that began since the group before it was closed.
std::vector<uint32_t> SassCode::copies_of(uint32_t group) const {
  return awaited(flow_, group, 0, [&](uint32_t index) {
    CounterUse out;
    out.counts = code_[index].starts_copy;
    if (code_[index].closes_group) out.leaves = 0;
    return out;
  });
}

std::vector<uint32_t> SassCode::producers(uint32_t index) const {
  std::vector<uint32_t> out;
  if (index >= code_.size()) return out;
  for (unsigned scoreboard = 0; scoreboard < kSassScoreboards; ++scoreboard) {
    const uint8_t leaves = use(index, scoreboard).leaves;
    if (leaves == CounterUse::kAny) continue;
    const std::vector<uint32_t> found =
        awaited(flow_, index, leaves, [&](uint32_t each) { return use(each, scoreboard); });
    for (const uint32_t each : found) {
      std::vector<uint32_t> copies;
      if (code_[each].closes_group) copies = copies_of(each);
      if (copies.empty()) copies.push_back(each);
      out.insert(out.end(), copies.begin(), copies.end());
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace aiflame
