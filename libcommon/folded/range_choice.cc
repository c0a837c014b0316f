// SPDX-License-Identifier: MIT
#include "libcommon/folded/range_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/text/globs.h"

namespace aiflame {
namespace {

// A message with more names is not read; a hostile input may have millions.
constexpr size_t kShownNames = 8, kMostNames = 4096;

// "step 7" and "step 12" are one name to a reader: "step 0".
std::string without_digits(std::string_view range) {
  std::string out;
  for (const char c : range) {
    if (!is_digit(c))
      out.push_back(c);
    else if (out.empty() || out.back() != '0')
      out.push_back('0');
  }
  return out;
}

// A pattern for names that differ in their digits alone: "step *", "step\[DECODE bs=*\]".
std::string pattern_of(std::string_view shape) {
  std::string out;
  for (const char c : shape) {
    if (c == '[' || c == ']' || c == '*' || c == '?' || c == '\\') out.push_back('\\');
    out.push_back(c == '0' ? '*' : c);
  }
  return out;
}

}  // namespace

NumberedRange numbered_range(std::string_view range) {
  const size_t mark = range.rfind('#');
  if (mark == std::string_view::npos || mark == 0) return {range, std::nullopt};
  const auto number = parse_number<uint64_t>(range.substr(mark + 1));
  if (!number) return {range, std::nullopt};
  std::string_view name = range.substr(0, mark);
  if (name.size() > 1 && name.back() == ' ') name.remove_suffix(1);
  return {name, number};
}

RangeChoice::RangeChoice(const std::vector<std::string>& given) {
  if (given.empty()) return;
  name_ = given.back();
  if (name_.empty()) throw UsageError("option '--by-range': a name is missing");
}

// "step[DECODE bs=8]" is a name as well as a pattern.
bool RangeChoice::matches(std::string_view range) const {
  for (const std::string_view text : {range, numbered_range(range).name})
    if (text == name_ || matches_any({name_}, text)) return true;
  return false;
}

std::string instance_frame(std::string_view range, std::optional<uint64_t> number) {
  std::string out(range);
  if (number && !numbered_range(range).number) out += " #" + std::to_string(*number);
  return out + "_[r]";
}

void RangeNames::add(std::string_view range, bool is_wanted, uint64_t instances) {
  has_wanted_ = has_wanted_ || is_wanted;
  range = numbered_range(range).name;  // a name without its number is enough
  const std::string shape = without_digits(range);
  auto at = names_.find(shape);
  if (at == names_.end()) {
    if (names_.size() >= kMostNames) {
      other_instances_ += instances;
      return;
    }
    at = names_.emplace(shape, Names{std::string(range)}).first;
  }
  at->second.has_several = at->second.has_several || at->second.one != range;
  at->second.instances += instances;
}

void RangeNames::require(const RangeChoice& choice) const {
  if (!choice.is_set() || has_wanted_) return;
  const std::string none =
      "option '--by-range': no range is named '" + printable(choice.name()) + "'";
  if (names_.empty()) throw Error(none + ", and the input has no ranges");
  using Name = std::pair<std::string, Names>;
  std::vector<Name> names(names_.begin(), names_.end());
  std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
    return a.second.instances > b.second.instances;
  });
  std::string common;
  for (size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    const auto& [shape, all] = names[i];
    common += (i == 0 ? " '" : ", '") + printable(all.has_several ? pattern_of(shape) : all.one) +
              format("' (%llu)", static_cast<unsigned long long>(all.instances));
  }
  const bool has_more = names.size() > kShownNames || other_instances_ > 0;
  throw Error(none + (has_more ? "; the most common are" : "; there are") + common);
}

}  // namespace aiflame
