// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/reasons.h"

#include "libcommon/folded/folded.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/layer.h"

namespace aiflame::svg {

std::string reasons_element(const ReasonNames& reasons) {
  if (reasons.empty()) return "";
  std::string out = "<metadata id=\"reasons\">\n";
  for (const auto& [name, reason] : reasons) {
    out += "<g data-name=\"" + xml(without_annotation(name)) + "\" data-category=\"" +
           category_name(category_of(reason)) + "\" data-colour=\"" +
           rgb(reason_colour(category_of(reason))) + "\"";
    if (reason == nullptr)
      out += "/>\n";
    else
      out += std::string(" data-vendor=\"") + reason->vendor +
             (is_always_hidden(*reason) ? "\" data-hidden=\"1" : "") + "\">" +
             xml(reason->meaning) + "\n" + xml(reason->advice) + "</g>\n";
  }
  return out + "</metadata>\n";
}

}  // namespace aiflame::svg
