// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/reasons.h"

#include <map>
#include <string_view>

#include "libcommon/device/stall_reasons.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-svg/text/xml.h"

namespace aiflame::svg {

std::string reasons_element(const FlameTree& tree) {
  std::map<std::string_view, const StallReason*> found;
  for (uint32_t i = 0; i < tree.names().size(); ++i) {
    const std::string_view name = tree.names()[i];
    if (!name.ends_with("_[g]")) continue;
    const std::string_view bare = without_annotation(name);
    if (const StallReason* reason = find_stall_reason(bare)) found.emplace(bare, reason);
  }
  if (found.empty()) return "";
  std::string out = "<metadata id=\"reasons\">\n";
  for (const auto& [name, reason] : found)
    out += "<g data-name=\"" + xml(name) + "\" data-vendor=\"" + reason->vendor + "\">" +
           xml(reason->meaning) + "\n" + xml(reason->advice) + "</g>\n";
  return out + "</metadata>\n";
}

}  // namespace aiflame::svg
