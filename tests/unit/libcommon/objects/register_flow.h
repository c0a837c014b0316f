// SPDX-License-Identifier: MIT
// What must be true of the registers of real code: none is read that nothing has written before on
// any way, and next to none is written that nothing reads. Both are false at once where an operand
// is overlooked, or one is seen where there is none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "libcommon/code/code_flow.h"

namespace aiflame {

class RegisterFlow {
 public:
  explicit RegisterFlow(const CodeFlow& code) : code_(code), size_(code.registers.size()) {
    number_registers();
    find_written();
    find_read();
  }

  // Whether what every instruction reads and writes is known.
  bool known() const {
    for (const RegisterUse& each : code_.registers)
      if (!each.known) return false;
    return true;
  }

  // The instructions that read a register that none before them has written. Those that no way
  // leads to are left out. `is_given` tells registers that are written before the code starts.
  template <typename Given>
  std::vector<uint32_t> reads_nothing(const Given& is_given) const {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < size_; ++i) {
      if (!reached_[i]) continue;
      bool missing = false;
      each_unit(code_.registers[i].reads, [&](RegisterKind kind, uint32_t unit) {
        missing = missing || (!before_[i][number(kind, unit)] && !is_given(kind, unit));
      });
      if (missing) out.push_back(i);
    }
    return out;
  }

  // Those that write only what no instruction behind them reads.
  std::vector<uint32_t> writes_in_vain() const {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < size_; ++i) {
      bool is_read = code_.registers[i].writes.empty();
      each_unit(code_.registers[i].writes, [&](RegisterKind kind, uint32_t unit) {
        is_read = is_read || after_[i][number(kind, unit)];
      });
      if (!is_read) out.push_back(i);
    }
    return out;
  }

 private:
  using Set = std::vector<bool>;  // by number of a register

  template <typename Visit>
  static void each_unit(const std::vector<RegisterRange>& ranges, const Visit& visit) {
    for (const RegisterRange& range : ranges)
      for (uint32_t i = 0; i < range.count; ++i) visit(range.kind, range.first + i);
  }

  size_t number(RegisterKind kind, uint32_t unit) const { return numbers_.at({kind, unit}); }

  void number_registers() {
    for (const RegisterUse& use : code_.registers)
      for (const auto* ranges : {&use.reads, &use.writes})
        each_unit(*ranges, [&](RegisterKind kind, uint32_t unit) {
          numbers_.try_emplace({kind, unit}, numbers_.size());
        });
  }

  static bool add(Set& to, const Set& from) {
    bool more = false;
    for (size_t i = 0; i < to.size(); ++i)
      if (from[i] && !to[i]) to[i] = more = true;
    return more;
  }

  void find_written() {
    before_.assign(size_, Set(numbers_.size()));
    reached_.assign(size_, false);
    if (size_ > 0) reached_[0] = true;
    for (bool more = true; more;) {
      more = false;
      for (uint32_t i = 0; i < size_; ++i)
        code_.ways.each_predecessor(i, [&](uint32_t from, FlowGraph::Way, uint32_t) {
          if (!reached_[from]) return;
          if (!reached_[i]) more = reached_[i] = true;
          Set written = before_[from];
          each_unit(code_.registers[from].writes,
                    [&](RegisterKind kind, uint32_t unit) { written[number(kind, unit)] = true; });
          if (add(before_[i], written)) more = true;
        });
    }
  }

  void find_read() {
    after_.assign(size_, Set(numbers_.size()));
    std::deque<uint32_t> open;
    for (size_t i = size_; i-- > 0;) open.push_back(static_cast<uint32_t>(i));
    while (!open.empty()) {
      const uint32_t index = open.front();
      open.pop_front();
      const RegisterUse& use = code_.registers[index];
      Set wanted = after_[index];
      if (!use.conditional)
        each_unit(use.writes,
                  [&](RegisterKind kind, uint32_t unit) { wanted[number(kind, unit)] = false; });
      each_unit(use.reads,
                [&](RegisterKind kind, uint32_t unit) { wanted[number(kind, unit)] = true; });
      code_.ways.each_predecessor(index, [&](uint32_t from, FlowGraph::Way, uint32_t) {
        if (add(after_[from], wanted)) open.push_back(from);
      });
    }
  }

  const CodeFlow& code_;
  size_t size_;
  std::map<std::pair<RegisterKind, uint32_t>, size_t> numbers_;
  std::vector<Set> before_, after_;  // by instruction: what is written before, and read behind it
  std::vector<bool> reached_;
};

}  // namespace aiflame
