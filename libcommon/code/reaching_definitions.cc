// SPDX-License-Identifier: MIT
#include "libcommon/code/reaching_definitions.h"

#include <algorithm>

namespace aiflame {
namespace {

// The bit that stands for the instructions that are waited for.
constexpr unsigned kRegisterBits = 63;
constexpr uint64_t kAwaited = uint64_t{1} << kRegisterBits;

// Bits [from, to).
uint64_t bits(unsigned from, unsigned to) {
  const auto below = [](unsigned bit) {
    return bit >= 64 ? ~uint64_t{0} : (uint64_t{1} << bit) - 1;
  };
  return below(to) & ~below(from);
}

uint64_t rounded_up(uint64_t units, uint64_t run) {
  return (units + run - 1) / run;
}

}  // namespace

ReachingDefinitions::ReachingDefinitions(const CodeFlow& code, uint64_t steps)
    : code_(code),
      steps_left_(steps),
      seen_stamp_(code.offsets.size()),
      found_stamp_(code.offsets.size()),
      found_at_(code.offsets.size()),
      seen_(code.offsets.size()) {}

// Gives each register that is read a bit, or where these are too many, each run of 2, 4, … units.
uint64_t ReachingDefinitions::want(const RegisterUse& its) {
  wanted_.clear();
  for (const RegisterRange& read : its.reads) {
    if (wanted_.size() == kRegisterBits) out_.complete = false;
    if (read.count > 0 && wanted_.size() < kRegisterBits) wanted_.push_back({read, 0});
  }
  // a range has one run at least, and there are no more ranges than bits
  const auto runs = [&] {
    uint64_t sum = 0;
    for (const Wanted& each : wanted_) sum += rounded_up(each.range.count, run_length_);
    return sum;
  };
  for (run_length_ = 1; runs() > kRegisterBits;) run_length_ *= 2;
  unsigned bit = 0;
  for (Wanted& each : wanted_) {
    each.bit = bit;
    bit += static_cast<unsigned>(rounded_up(each.range.count, run_length_));
  }
  return bits(0, bit);
}

// The bits of the wanted units that the write reaches: at least partly, or with `whole` wholly.
uint64_t ReachingDefinitions::overlap(const RegisterRange& write, bool whole) const {
  uint64_t out = 0;
  for (const Wanted& each : wanted_) {
    const RegisterRange& read = each.range;
    if (read.kind != write.kind) continue;
    const uint64_t first = std::max(read.first, write.first),
                   end = std::min(uint64_t{read.first} + read.count,
                                  uint64_t{write.first} + write.count);
    if (first >= end) continue;
    const uint64_t from = first - read.first, to = end - read.first;
    const uint64_t begin_run = whole ? rounded_up(from, run_length_) : from / run_length_,
                   end_run =
                       whole && to < read.count ? to / run_length_ : rounded_up(to, run_length_);
    if (begin_run < end_run)
      out |= bits(each.bit + static_cast<unsigned>(begin_run),
                  each.bit + static_cast<unsigned>(end_run));
  }
  return out;
}

uint64_t& ReachingDefinitions::seen(uint32_t context, uint32_t index) {
  if (context != 0) return seen_inside_[uint64_t{context} << 32 | index];
  if (seen_stamp_[index] != search_) seen_[index] = 0;
  seen_stamp_[index] = search_;
  return seen_[index];
}

// Steps come by distance, so the first one has the shortest way.
Dependency& ReachingDefinitions::found(uint32_t index, uint32_t distance) {
  if (found_stamp_[index] != search_) {
    found_stamp_[index] = search_;
    found_at_[index] = static_cast<uint32_t>(out_.all.size());
    out_.all.push_back({index, distance, false, false});
  }
  return out_.all[found_at_[index]];
}

void ReachingDefinitions::visit_predecessors(const Step& from) {
  const uint64_t most = std::min<uint64_t>(kMaxSteps, steps_left_);
  if (code_.ways.size() != code_.offsets.size() || steps_ >= most) {
    out_.complete = false;
    return;
  }
  bool any = false;
  code_.ways.each_predecessor(from.index, [&](uint32_t index, FlowGraph::Way way, uint32_t call) {
    any = true;
    if (++steps_ > most) {
      out_.complete = false;
      return;
    }
    Step to = {index, from.context, from.distance + 1, from.wanted};
    if (way == FlowGraph::Way::returns && !contexts_.enter(call, to.context)) {
      out_.complete = false;
      return;
    }
    if (way == FlowGraph::Way::calls && !contexts_.leave(call, to.context)) return;
    uint64_t& before = seen(to.context, index);
    to.wanted &= ~before;
    if (to.wanted == 0) return;
    before |= to.wanted;
    open_.push_back(to);
  });
  // What the first instruction finds in its registers comes from outside of the code.
  if (!any && from.index > 0) out_.complete = false;
}

void ReachingDefinitions::pass(const Step& step) {
  Step left = step;
  if ((step.wanted & kAwaited) != 0 &&
      std::binary_search(awaited_->begin(), awaited_->end(), step.index)) {
    Dependency& its = found(step.index, step.distance);
    if (!its.awaited) --awaited_left_;
    its.awaited = true;
  }
  if (awaited_left_ == 0) left.wanted &= ~kAwaited;
  if (step.index < code_.registers.size()) {
    const RegisterUse& use = code_.registers[step.index];
    for (const RegisterRange& write : use.writes) {
      if ((overlap(write, false) & step.wanted) == 0) continue;
      if (out_.all.size() < kMaxFound || found_stamp_[step.index] == search_)
        found(step.index, step.distance).data = true;
      else
        out_.complete = false;
      if (!use.conditional) left.wanted &= ~overlap(write, true);
    }
  }
  if (left.wanted != 0) visit_predecessors(left);
}

Dependencies ReachingDefinitions::of(uint32_t index, const std::vector<uint32_t>& awaited) {
  ++search_;
  seen_inside_.clear();
  contexts_ = {};
  open_.clear();
  steps_ = 0;
  out_ = {};
  awaited_ = &awaited;
  awaited_left_ = awaited.size();
  const bool known = index < code_.registers.size() && code_.registers[index].known;
  out_.complete = known;
  uint64_t wanted = awaited.empty() ? 0 : kAwaited;
  wanted_.clear();
  if (known) wanted |= want(code_.registers[index]);
  if (wanted != 0) visit_predecessors({index, 0, 0, wanted});
  for (size_t next = 0; next < open_.size(); ++next) pass(Step(open_[next]));
  steps_left_ -= std::min<uint64_t>(steps_, steps_left_);
  for (const uint32_t each : awaited)
    if (each < found_stamp_.size()) found(each, kMaxSteps).awaited = true;
  std::sort(out_.all.begin(), out_.all.end(),
            [](const Dependency& a, const Dependency& b) { return a.index < b.index; });
  return std::move(out_);
}

}  // namespace aiflame
