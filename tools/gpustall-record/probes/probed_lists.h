// SPDX-License-Identifier: MIT
// The content of Level Zero's command lists, as uprobes see it. A kernel that is appended to a
// regular list is launched each time the list is executed; one that is appended to an immediate
// list is launched at once. Pure.
//
// For a list that was created before the probes, the kind is not known. Its kernels are counted as
// launched when they are appended. Only a regular list is ever closed or reset: when that happens,
// the counts are retracted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class ProbedLists {
 public:
  // Lists count in `budgets`. The content of a list for which there is no room is not known.
  explicit ProbedLists(Budgets& budgets) : budgets_(budgets) {}

  // A kernel, and the stack that appended it.
  struct Appended {
    std::string kernel;
    std::vector<uint64_t> frames;
    uint16_t flags = 0;  // of AgentListener::Stack
    bool operator<(const Appended& other) const {
      return std::tie(kernel, frames, flags) < std::tie(other.kernel, other.frames, other.flags);
    }
  };
  // Gets `count` launches of `what`: by an execution of its list (`executed`), or at the append.
  // `retract`: that many earlier launches did not happen.
  using Report =
      std::function<void(const Appended& what, uint64_t count, bool executed, bool retract)>;

  // One call for each call of the program.
  void create(uint32_t pid, uint64_t list, bool immediate);
  void append(uint32_t pid, uint64_t list, const Appended& what, const Report& report);
  void close(uint32_t pid, uint64_t list, const Report& report);
  void reset(uint32_t pid, uint64_t list, const Report& report);
  void destroy(uint32_t pid, uint64_t list);
  // Reports one launch without a name when some of the content is not known: it was appended before
  // the probes, or was too much to keep.
  void execute(uint32_t pid, uint64_t list, const Report& report) const;
  // The caller gives the room back, with everything else of Kept::probes.
  void forget(uint32_t pid);

 private:
  enum class Kind { unknown, regular, immediate };
  struct List {
    Kind kind = Kind::unknown;
    bool whole = false;  // all of its content is known
    std::map<Appended, uint64_t> content;
  };
  static uint64_t cost(const Appended& what) {
    return 192 + what.kernel.size() + 8 * what.frames.size();
  }
  static constexpr uint64_t kListBytes = 160;
  // Null when there is no room for another list.
  [[nodiscard]] List* list_at(uint32_t pid, uint64_t list);
  void clear(uint32_t pid, List& list);
  static void retract(List& list, const Report& report);

  Budgets& budgets_;
  std::map<std::pair<uint32_t, uint64_t>, List> lists_;  // by pid and handle
};

}  // namespace aiflame::record
