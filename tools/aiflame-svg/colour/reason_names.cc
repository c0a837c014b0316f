// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/reason_names.h"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/colour/layer.h"

namespace aiflame::svg {
namespace {

enum class Kind : uint8_t { none, instruction, reason };

// No hardware has as many reasons.
constexpr size_t kMostUnknown = 256;

class Search {
 public:
  Search(const FlameTree& tree, bool reversed)
      : tree_(tree), reversed_(reversed), kinds_(tree.names().size()), known_(tree.names().size()) {
    for (uint32_t i = 0; i < kinds_.size(); ++i) {
      const std::string_view name = tree.names()[i];
      if (!name.ends_with("_[g]") || is_offset_frame(name)) continue;
      any_ = true;
      known_[i] = find_stall_reason(without_annotation(name));
      if (known_[i] != nullptr) ++of_vendor_[known_[i]->vendor];
      kinds_[i] = known_[i] != nullptr ? Kind::reason : Kind::instruction;
    }
  }

  ReasonNames names() {
    ReasonNames out;
    if (!any_) return out;
    settle_pairs();
    find_unknown();
    for (uint32_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i] == Kind::reason) out.emplace(tree_.names()[i], known_[i]);
    return out;
  }

 private:
  // Calls `use(upper, lower)` with the names of each frame and of its caller.
  template <typename Use>
  void for_each_pair(const Use& use) const {
    for (uint32_t node = 0; node < tree_.size(); ++node)
      for (const uint32_t child : tree_.children(node))
        if (reversed_)
          use(tree_.name_id(node), tree_.name_id(child));
        else
          use(tree_.name_id(child), tree_.name_id(node));
  }

  // How many reasons of its vendor this tree has.
  size_t weight(uint32_t name) const { return of_vendor_.at(known_[name]->vendor); }

  // Of two reasons on top of each other, one is an instruction: the one of the vendor with fewer
  // reasons in this tree, else the lower one.
  void settle_pairs() {
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for_each_pair([&](uint32_t upper, uint32_t lower) {
      if (kinds_[upper] == Kind::reason && kinds_[lower] == Kind::reason && upper != lower)
        pairs.emplace(upper, lower);
    });
    for (const auto& [upper, lower] : pairs)
      instructions_.insert(weight(upper) < weight(lower) ? upper : lower);
    for (const uint32_t name : instructions_) kinds_[name] = Kind::instruction;
  }

  // What stands on an instruction is a reason that nobody described yet.
  void find_unknown() {
    std::set<uint32_t> found;
    for_each_pair([&](uint32_t upper, uint32_t lower) {
      if (kinds_[upper] == Kind::instruction && kinds_[lower] == Kind::instruction &&
          instructions_.count(upper) == 0)
        found.insert(upper);
    });
    // These are no reasons, but stacks of another form; the file would name them all.
    if (found.size() > kMostUnknown) return;
    for (const uint32_t name : found) {
      kinds_[name] = Kind::reason;
      known_[name] = nullptr;
    }
  }

  const FlameTree& tree_;
  bool reversed_;
  bool any_ = false;
  std::vector<Kind> kinds_;                       // by name
  std::vector<const StallReason*> known_;         // of that name, whether it is one here or not
  std::map<std::string_view, size_t> of_vendor_;  // names that may be reasons
  std::set<uint32_t> instructions_;               // with the name of a reason
};

}  // namespace

ReasonNames find_reason_names(const FlameTree& tree, bool reversed) {
  return Search(tree, reversed).names();
}

StallReason::Category category_of(const StallReason* reason) {
  return reason != nullptr ? reason->category : StallReason::Category::other;
}

}  // namespace aiflame::svg
