// SPDX-License-Identifier: MIT
#include "libcommon/code/stall_causes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "libcommon/code/loops.h"
#include "libcommon/code/reaching_definitions.h"

namespace aiflame {
namespace {

constexpr Operations kFixed = operations(Operation::arithmetic);

// Arithmetic that an estimate looks through, one behind the other.
constexpr unsigned kMaxThrough = 4;

class Finder {
 public:
  Finder(const CodeFlow& code, const std::vector<InstructionStalls>& sampled,
         const std::function<std::vector<uint32_t>(uint32_t)>& awaited, uint64_t max_steps)
      : code_(code),
        awaited_(awaited),
        max_steps_(max_steps),
        definitions_(code, max_steps),
        issued_(code.offsets.size()) {
    for (const InstructionStalls& each : sampled)
      if (each.index < issued_.size()) issued_[each.index] = each.issued;
  }

  void share_out(const InstructionStalls& stalled);
  StallCauses finish();

 private:
  using Chosen = std::vector<Dependency>;

  const Dependencies& dependencies(uint32_t index);
  Operation operation(uint32_t index) const {
    return index < code_.operations.size() ? code_.operations[index] : Operation::unknown;
  }
  bool is_one_of(uint32_t index, Operations set) const {
    return (operations(operation(index)) & set) != 0;
  }
  double weight(const Dependency& its) const {
    return (static_cast<double>(issued_[its.index]) + 1) / std::max<uint32_t>(its.distance, 1);
  }

  Chosen prune(const Dependencies& from, Operations awaited) const;
  bool is_left(const Dependency& its, Operations awaited) const;
  bool runs_as_often(uint32_t index, uint32_t as);
  Chosen estimate(uint32_t index);
  void cover(const InstructionStalls& stalled, const std::set<uint32_t>& producers);
  void follow(CausesOfStalls& from);
  std::optional<uint32_t> next_on_chain(uint32_t index, bool is_first);
  void add_to_roots(const CausesOfStalls& its);

  const CodeFlow& code_;
  const std::function<std::vector<uint32_t>(uint32_t)>& awaited_;
  uint64_t max_steps_;
  ReachingDefinitions definitions_;
  std::vector<uint64_t> issued_;
  std::unordered_map<uint32_t, Dependencies> known_;
  std::unordered_map<uint32_t, size_t> stalled_;  // in out_.instructions
  std::map<uint32_t, StallRoot> roots_;
  std::optional<Loops> loops_;
  StallCauses out_;
};

const Dependencies& Finder::dependencies(uint32_t index) {
  const auto [at, added] = known_.try_emplace(index);
  if (added) {
    std::vector<uint32_t> awaited = awaited_(index);
    std::erase_if(awaited, [&](uint32_t each) { return each >= code_.offsets.size(); });
    at->second = definitions_.of(index, awaited);
  }
  return at->second;
}

bool Finder::is_left(const Dependency& its, Operations awaited) const {
  if (operation(its.index) == Operation::unknown) return true;
  if (!is_one_of(its.index, awaited)) return false;
  if (its.awaited) return true;
  // A special function is waited for where the code says so (NVIDIA, Intel), or the hardware holds
  // up whoever reads its result (AMD), as for other arithmetic.
  return !is_one_of(its.index, kMemoryOperations) && (awaited & kFixed) != 0 &&
         its.distance < kArithmeticLatency;
}

Finder::Chosen Finder::prune(const Dependencies& from, Operations awaited) const {
  Chosen out;
  if (awaited == 0) return out;
  for (const Dependency& each : from.all)
    if (is_left(each, awaited)) out.push_back(each);
  // The code says that it waits; then the vendor counts another kind of instruction as that.
  if (out.empty() && (awaited & kMemoryOperations) != 0)
    for (const Dependency& each : from.all)
      if (each.awaited) out.push_back(each);
  return out;
}

// Whether an instruction is in the outermost loop that another one is in, if there is one: a load
// before it runs once.
bool Finder::runs_as_often(uint32_t index, uint32_t as) {
  if (!loops_) loops_ = find_loops(code_.ways);
  const auto outermost = [&](uint32_t instruction) {
    if (instruction >= loops_->innermost.size()) return Loop::kNone;
    uint32_t loop = loops_->innermost[instruction];
    while (loop != Loop::kNone && loops_->all[loop].parent != Loop::kNone)
      loop = loops_->all[loop].parent;
    return loop;
  };
  const uint32_t loop = outermost(as);
  return loop == Loop::kNone || outermost(index) == loop;
}

// The nearest asynchronous instructions. A sample is often taken one instruction late, so that what
// it waits for may be the instruction itself or stand before arithmetic that has ended since.
Finder::Chosen Finder::estimate(uint32_t index) {
  constexpr Operations kSlow = static_cast<Operations>(
      kAsynchronous & ~operations(Operation::store, Operation::local_store));
  std::map<uint32_t, Dependency> out;
  std::map<uint32_t, uint32_t> seen = {{index, 0}};  // distances
  if (is_one_of(index, kSlow)) out[index] = {index, 1, false, false};
  std::vector<uint32_t> open = {index};
  for (unsigned through = 0; through <= kMaxThrough && !open.empty(); ++through) {
    std::vector<uint32_t> next;
    for (const uint32_t reader : open) {
      const uint32_t behind = seen[reader];
      for (Dependency each : dependencies(reader).all) {
        each.distance += behind;
        if (!seen.try_emplace(each.index, each.distance).second) continue;
        const bool is_slow = each.awaited || is_one_of(each.index, kSlow);
        if (is_slow && (each.awaited || runs_as_often(each.index, index))) out[each.index] = each;
        if (!is_slow && seen.size() < ReachingDefinitions::kMaxFound) next.push_back(each.index);
      }
    }
    open = std::move(next);
  }
  Chosen list;
  for (const auto& [at, each] : out) list.push_back(each);
  return list;
}

void Finder::share_out(const InstructionStalls& stalled) {
  CausesOfStalls its;
  its.index = stalled.index;
  for (const Stalls& each : stalled.stalls) its.stalls += each.samples;
  if (its.stalls == 0 || stalled.index >= code_.offsets.size()) return;
  std::map<uint32_t, StallCause> causes;
  std::set<uint32_t> producers;
  const double all = static_cast<double>(its.stalls);
  for (const Stalls& each : stalled.stalls) {
    if (each.samples == 0) continue;
    const double part = static_cast<double>(each.samples) / all;
    const Chosen chosen =
        each.estimated ? estimate(stalled.index) : prune(dependencies(stalled.index), each.awaited);
    double sum = 0;
    for (const Dependency& one : chosen) sum += weight(one);
    for (const Dependency& one : chosen) {
      StallCause& cause = causes[one.index];
      cause.share += part * weight(one) / sum;
      if (chosen.size() > 1 || (each.estimated && one.index != stalled.index))
        cause.estimated = true;
      producers.insert(one.index);
    }
    if (chosen.empty()) causes[stalled.index].share += part;
  }
  cover(stalled, producers);
  for (auto& [index, cause] : causes) {
    cause.index = index;
    its.causes.push_back(cause);
  }
  std::stable_sort(its.causes.begin(), its.causes.end(),
                   [](const StallCause& a, const StallCause& b) { return a.share > b.share; });
  stalled_[its.index] = out_.instructions.size();
  out_.instructions.push_back(std::move(its));
}

void Finder::cover(const InstructionStalls& stalled, const std::set<uint32_t>& producers) {
  uint64_t waiting = 0;
  for (const Stalls& each : stalled.stalls)
    if (each.awaited != 0 || each.estimated) waiting += each.samples;
  if (waiting == 0) return;
  const Dependencies& its = dependencies(stalled.index);
  StallCoverage& out = out_.coverage;
  const auto count = [&](bool is, StallCoverage::Count& which) {
    which.instructions += is;
    which.samples += is ? waiting : 0;
  };
  count(true, out.waiting);
  count(its.all.size() == 1, out.single_before);
  count(producers.size() == 1, out.single);
  count(producers.empty(), out.none);
  count(!its.complete, out.unknown);
}

// Where the chain goes on from an instruction.
std::optional<uint32_t> Finder::next_on_chain(uint32_t index, bool is_first) {
  const auto known = stalled_.find(index);
  if (known != stalled_.end()) {
    const StallCause& largest = out_.instructions[known->second].causes.front();
    if (largest.index != index) return largest.index;
    if (is_first) return std::nullopt;
  }
  const Dependency* best = nullptr;
  for (const Dependency& each : dependencies(index).all)
    if (best == nullptr || each.data > best->data ||
        (each.data == best->data && weight(each) > weight(*best)))
      best = &each;
  if (best == nullptr) return std::nullopt;
  return best->index;
}

void Finder::follow(CausesOfStalls& from) {
  from.chain = {from.index};
  for (;;) {
    const uint32_t at = from.chain.back();
    const std::optional<uint32_t> next = next_on_chain(at, from.chain.size() == 1);
    if (!next) {
      from.end = dependencies(at).complete ? ChainEnd::root : ChainEnd::unknown;
      return;
    }
    from.end = ChainEnd::loop;
    if (std::find(from.chain.begin(), from.chain.end(), *next) != from.chain.end()) return;
    from.end = ChainEnd::limit;
    if (from.chain.size() == kMaxChain) return;
    from.chain.push_back(*next);
  }
}

// Whole samples, by the largest remainders, so that none is lost.
void Finder::add_to_roots(const CausesOfStalls& its) {
  std::vector<uint64_t> parts;
  std::vector<std::pair<double, size_t>> rests;
  uint64_t left = its.stalls;
  for (size_t i = 0; i < its.causes.size(); ++i) {
    const double exact = its.causes[i].share * static_cast<double>(its.stalls);
    const uint64_t part = exact >= static_cast<double>(left) ? left : static_cast<uint64_t>(exact);
    parts.push_back(part);
    left -= part;
    rests.emplace_back(-(exact - static_cast<double>(part)), i);
  }
  std::sort(rests.begin(), rests.end());
  for (size_t i = 0; left > 0; i = (i + 1) % rests.size(), --left) ++parts[rests[i].second];
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == 0) continue;
    StallRoot& root = roots_[its.causes[i].index];
    root.index = its.causes[i].index;
    root.samples += parts[i];
    root.victims.push_back({its.index, parts[i]});
  }
}

StallCauses Finder::finish() {
  for (CausesOfStalls& each : out_.instructions) {
    follow(each);
    add_to_roots(each);
  }
  const auto by_samples = [](const auto& a, const auto& b) { return a.samples > b.samples; };
  for (auto& [index, root] : roots_) {
    std::stable_sort(root.victims.begin(), root.victims.end(), by_samples);
    out_.roots.push_back(std::move(root));
  }
  std::stable_sort(out_.roots.begin(), out_.roots.end(), by_samples);
  out_.steps = max_steps_ - definitions_.steps_left();
  return std::move(out_);
}

}  // namespace

const char* chain_end_name(ChainEnd end) {
  constexpr const char* kNames[] = {"root", "loop", "unknown", "limit"};
  return kNames[static_cast<size_t>(end)];
}

void StallCoverage::add(const StallCoverage& other) {
  const auto add = [](Count& to, const Count& from) {
    to.instructions += from.instructions;
    to.samples += from.samples;
  };
  add(waiting, other.waiting);
  add(single_before, other.single_before);
  add(single, other.single);
  add(none, other.none);
  add(unknown, other.unknown);
}

StallCauses find_stall_causes(const CodeFlow& code, const std::vector<InstructionStalls>& sampled,
                              const std::function<std::vector<uint32_t>(uint32_t)>& awaited,
                              uint64_t max_steps) {
  Finder finder(code, sampled, awaited, max_steps);
  for (const InstructionStalls& each : sampled) finder.share_out(each);
  return finder.finish();
}

}  // namespace aiflame
