// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/reason_names.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/colour/layer.h"

namespace aiflame::svg {
namespace {

enum class Kind : uint8_t { none, instruction, reason };

class Search {
 public:
  explicit Search(const FlameTree& tree)
      : tree_(tree), kinds_(tree.names().size()), known_(tree.names().size()) {
    for (uint32_t i = 0; i < kinds_.size(); ++i) {
      const std::string_view name = tree.names()[i];
      if (!name.ends_with("_[g]") || is_offset_frame(name)) continue;
      any_ = true;
      known_[i] = find_stall_reason(without_annotation(name));
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
  // Calls `use(upper, lower)` with the names of each frame and the frame below it.
  template <typename Use>
  void for_each_pair(const Use& use) const {
    for (uint32_t node = 0; node < tree_.size(); ++node)
      for (const uint32_t child : tree_.children(node))
        use(tree_.name_id(child), tree_.name_id(node));
  }

  // How many reasons of its vendor this tree has.
  auto weight(uint32_t name) const {
    const std::string_view vendor = known_[name]->vendor;
    return std::count_if(known_.begin(), known_.end(), [&](const StallReason* one) {
      return one != nullptr && one->vendor == vendor;
    });
  }

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
    for (const uint32_t name : found) {
      kinds_[name] = Kind::reason;
      known_[name] = nullptr;
    }
  }

  const FlameTree& tree_;
  bool any_ = false;
  std::vector<Kind> kinds_;                // by name
  std::vector<const StallReason*> known_;  // of that name, whether it is one here or not
  std::set<uint32_t> instructions_;        // with the name of a reason
};

}  // namespace

ReasonNames find_reason_names(const FlameTree& tree) {
  return Search(tree).names();
}

StallReason::Category category_of(const StallReason* reason) {
  return reason != nullptr ? reason->category : StallReason::Category::other;
}

}  // namespace aiflame::svg
