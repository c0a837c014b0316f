// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/page_links.h"

#include "libcommon/base/program.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame::annotate {

void PageLinks::add(std::string_view frame, const std::string& anchor) {
  anchors_.try_emplace(folded_text(frame) + "_[G]", anchor);
}

void PageLinks::add_offset(std::string_view frame, const std::string& anchor) {
  const auto [at, added] = anchors_.try_emplace(std::string(frame) + "_[g]", anchor);
  if (!added) at->second.clear();
}

std::string PageLinks::text(const std::string& page) const {
  // a name such as `a:b` would be taken for a scheme
  const std::string file = "./" + url_text(page.substr(page.rfind('/') + 1));
  std::string out;
  for (const auto& [frame, anchor] : anchors_)
    if (!anchor.empty())
      out.append(frame)
          .append("\thref=")
          .append(file)
          .append("#")
          .append(url_text(anchor))
          .append("\ttarget=_blank\n");
  return out;
}

std::string url_text(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += format("%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace aiflame::annotate
