// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/build_ids.h"

#include "libcommon/gpustall/object_build_id.h"

namespace aiflame::record {

void BuildIds::see(uint32_t pid, const std::string& path, const std::string& build_id) {
  const auto all = of_all_.find(path);
  if (all == of_all_.end()) {
    if (!budgets_.take(Kept::build_ids, pid, cost(path))) return;
    of_all_[path] = build_id;
    if (!build_id.empty()) lines_.push_back(build_id_text({{}, build_id, path}));
    return;
  }
  const auto own = of_process_.find({pid, path});
  if ((own == of_process_.end() ? all->second : own->second) == build_id) return;
  if (own != of_process_.end() || budgets_.take(Kept::build_ids, pid, cost(path))) {
    of_process_[{pid, path}] = build_id;
    lines_.push_back(build_id_text({pid, build_id, path}));
  } else if (!all->second.empty()) {
    // better nothing of the others than something wrong of this one
    all->second.clear();
    lines_.push_back(build_id_text({{}, "", path}));
  }
}

}  // namespace aiflame::record
