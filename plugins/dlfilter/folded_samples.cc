// SPDX-License-Identifier: MIT
#include "plugins/dlfilter/folded_samples.h"

#include <map>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::dlfilter {

void FoldedSamples::begin(std::string_view comm, int32_t pid, int32_t tid) {
  const std::string name = printable(comm);
  items_.assign(1, texts_.number(root_frame(trim_right(trim_left(name)), true, pid, tid, rules_)));
  java_ = texts_.text(items_.front()).starts_with("java");
}

void FoldedSamples::frame(uint64_t address, std::string_view symbol, std::string_view object) {
  // each name on a line, and whatever else the folded frame depends on
  key_.assign(java_ ? "j" : "-").append(symbol).append("\n").append(object);
  if (symbol.empty() && rules_.addresses) key_.append("\n").append(std::to_string(address));
  bool added = false;
  const uint32_t number = lines_.number(key_, &added);
  if (added) {
    // as perf script prints it
    std::string line = format("%16llx ", static_cast<unsigned long long>(address));
    line += symbol.empty() ? "[unknown]" : printable(symbol) + "+0x0";
    line += " (" + (object.empty() ? "[unknown]" : printable(object)) + ")";
    folded_.push_back(texts_.number(fold_frame(line, texts_.text(items_.front()), "", rules_)));
  }
  items_.push_back(folded_[number]);
}

void FoldedSamples::end(uint64_t count) {
  const uint32_t stack = stacks_.number(items_);
  if (stack == counts_.size()) counts_.push_back(0);
  // no stack's count exceeds the total
  if (!add_checked(total_, count)) throw Error("more than 18446744073709551615 samples");
  counts_[stack] += count;
}

void FoldedSamples::write(Output& out) const {
  std::map<std::string, uint64_t> lines;  // sorted bytewise; adds up stacks that fold alike
  std::vector<uint32_t> items;
  for (uint32_t stack = 0; stack < counts_.size(); ++stack) {
    items.clear();
    stacks_.each(stack, [&](uint32_t item) { items.push_back(item); });
    std::string line(texts_.text(items.front()));
    for (size_t i = items.size(); i-- > 1;) {
      const std::string_view frame = texts_.text(items[i]);
      if (!frame.empty()) line.append(";").append(frame);  // frames without a name are left out
    }
    lines[printable(line)] += counts_[stack];
  }
  for (const auto& [line, count] : lines) {
    out.write(line);
    out.write(" " + std::to_string(count) + "\n");
  }
}

}  // namespace aiflame::dlfilter
