// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/page_links.h"

#include "libcommon/perf_script/frame_names.h"
#include "libcommon/text/url.h"

namespace aiflame::annotate {

void PageLinks::set_page(std::string_view file) {
  page_ = url_of_path(file);
}

std::string PageLinks::href(const std::string& anchor) const {
  return page_ + "#" + url_text(anchor);
}

void PageLinks::add_kernel(std::string_view name, const std::string& anchor) {
  kernel_ = folded_text(name) + "_[G]";
  links_.try_emplace(kernel_, href(anchor));
}

void PageLinks::add_line(std::string_view line, const std::string& anchor) {
  links_.try_emplace(kernel_ + ";" + folded_text(line) + "_[G]", href(anchor));
}

void PageLinks::add_offset(std::string_view offset, const std::string& anchor) {
  const auto [at, added] =
      links_.try_emplace(kernel_ + ";" + std::string(offset) + "_[g]", href(anchor));
  if (!added) at->second.clear();
}

std::string PageLinks::text() const {
  std::string out;
  for (const auto& [frame, url] : links_)
    if (!url.empty()) out.append(frame).append("\thref=").append(url).append("\ttarget=_blank\n");
  return out;
}

}  // namespace aiflame::annotate
