// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/launches.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/count.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

// A card has no room for more.
constexpr size_t kMostSizes = 3;
// Genuine profiles have a few kilobytes of lines; of hostile ones, the picture keeps the beginning.
constexpr size_t kMostLines = 1000000;  // bytes

}  // namespace

LaunchTexts launch_texts(const LaunchFacts& facts, LaunchWords words) {
  LaunchTexts out;
  std::map<std::string_view, uint64_t> shown, others;
  const std::vector<LaunchFact> all = facts.all();
  for (const LaunchFact& fact : all) {
    if (++shown[fact.kernel] > kMostSizes) {
      others[fact.kernel] += std::max<uint64_t>(fact.other_sizes, 1);
      continue;
    }
    std::vector<std::string>& lines = out[fact.kernel];
    // what the compiler gave the kernel is the same for all sizes, as a rule
    for (std::string& text : launch_fact_texts(fact, words))
      if (std::find(lines.begin(), lines.end(), text) == lines.end())
        lines.push_back(std::move(text));
  }
  for (const auto& [kernel, sizes] : others)
    out.find(kernel)->second.push_back("and " + format_count_with_commas(sizes, 0) +
                                       (sizes == 1 ? " more size" : " more sizes"));
  return out;
}

std::vector<std::string> launch_lines(const LaunchFacts& facts) {
  std::vector<std::string> out;
  size_t size = 0;
  for (const LaunchFact& fact : facts.all()) {
    std::string line = launch_fact_line(fact);
    size += line.size();
    if (size > kMostLines) break;
    line.pop_back();
    out.push_back(std::move(line));
  }
  return out;
}

std::string launches_element(const LaunchTexts& texts, const std::vector<std::string>& facts) {
  if (texts.empty()) return "";
  std::string out = "<metadata id=\"launches\">\n";
  for (const auto& [kernel, lines] : texts) {
    out += "<g data-name=\"" + xml(kernel) + "\">";
    for (const std::string& line : lines) out += (&line == lines.data() ? "" : "\n") + xml(line);
    out += "</g>\n";
  }
  out += "</metadata>\n<metadata id=\"launchlines\">";
  for (const std::string& fact : facts) out += "\n" + xml(fact);
  return out + "</metadata>\n";
}

}  // namespace aiflame::svg
