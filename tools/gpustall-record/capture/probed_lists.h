// SPDX-License-Identifier: MIT
// Level Zero's command lists as uprobes see them: what was appended to each, which is launched when
// the list is executed, each time, or at once where the list is an immediate one. Pure.
//
// Of a list that was made before anybody looked it is not known which it is. What is appended to
// it counts as launched, until the list is closed, as only a regular one is: then that is taken
// back.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace aiflame::record {

class ProbedLists {
 public:
  // A kernel, and from where it was appended.
  struct Appended {
    std::string kernel;
    std::vector<uint64_t> frames;
    bool operator<(const Appended& other) const {
      return std::tie(kernel, frames) < std::tie(other.kernel, other.frames);
    }
  };
  // What is to be told: `count` launches of `what`, at once (by its own frames) or by an execution
  // of the list it is in. `back`: those told before were none.
  using Tell = std::function<void(const Appended& what, uint64_t count, bool executed, bool back)>;

  void made(uint32_t pid, uint64_t list, bool immediate);
  void appended(uint32_t pid, uint64_t list, const Appended& what, const Tell& tell);
  void closed(uint32_t pid, uint64_t list, const Tell& tell);
  void reset(uint32_t pid, uint64_t list, const Tell& tell);
  void destroyed(uint32_t pid, uint64_t list) { lists_.erase({pid, list}); }
  // What is in a list that was filled before anybody looked is not known: of it, and of what is too
  // much to keep, one launch without a name is told.
  void executed(uint32_t pid, uint64_t list, const Tell& tell) const;
  void forget(uint32_t pid);

 private:
  enum class Kind { unknown, regular, immediate };
  struct List {
    Kind kind = Kind::unknown;
    bool whole = false;  // all that is in it is known
    std::map<Appended, uint64_t> content;
  };
  void take_back(List& list, const Tell& tell);

  std::map<std::pair<uint32_t, uint64_t>, List> lists_;
};

}  // namespace aiflame::record
