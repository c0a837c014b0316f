// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/event_pattern.h"

#include <utility>

#include "libcommon/text/globs.h"

namespace aiflame {
namespace {

bool are_modifiers(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ukhGHIpPSDWeb") == std::string_view::npos;
}

// Cuts `:u` off `cycles:u`.
std::string_view take_modifiers(std::string_view& event) {
  const size_t colon = event.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !are_modifiers(event.substr(colon + 1)))
    return {};
  const std::string_view modifiers = event.substr(colon + 1);
  event = event.substr(0, colon);
  return modifiers;
}

}  // namespace

PerfEventName parse_event_name(std::string_view name) {
  PerfEventName out;
  const size_t first = name.find('/'), last = name.rfind('/');
  if (first == std::string_view::npos || first == last) {
    out.event = name;
    out.modifiers = take_modifiers(out.event);
    return out;
  }
  out.pmu = name.substr(0, first);
  out.event = name.substr(first + 1, last - first - 1);
  out.modifiers = name.substr(last + 1);
  if (out.modifiers.starts_with(':')) out.modifiers.remove_prefix(1);
  if (out.modifiers.empty()) out.modifiers = take_modifiers(out.event);
  return out;
}

std::string event_of_pmus(std::string_view name) {
  const PerfEventName parsed = parse_event_name(name);
  if (parsed.pmu.empty()) return "";
  std::string modifiers(parsed.modifiers);
  std::erase_if(modifiers, [](char c) { return c == 'p' || c == 'P'; });
  return std::string(parsed.event) + ":" + modifiers;
}

EventPatterns::EventPatterns(std::string_view list) {
  bool inside = false;  // of slashes
  std::string pattern;
  for (const char c : list) {
    if (c == '/') inside = !inside;
    if (c != ',' || inside) {
      pattern += c;
    } else if (!pattern.empty()) {
      patterns_.push_back(std::exchange(pattern, {}));
    }
  }
  if (!pattern.empty()) patterns_.push_back(pattern);
}

EventRank EventPatterns::rank(std::string_view name) const {
  const PerfEventName parsed = parse_event_name(name);
  std::string bare(parsed.event);
  std::vector<std::string> forms = {std::string(name)};
  forms.push_back(parsed.pmu.empty() ? bare : std::string(parsed.pmu) + "/" + bare + "/");
  if (!parsed.pmu.empty()) forms.push_back(std::move(bare));
  for (size_t place = 0; place < patterns_.size(); ++place) {
    const std::vector<std::string> glob = {patterns_[place]};
    for (size_t i = 0; i < forms.size(); ++i)
      if (forms[i] == patterns_[place] || matches_any(glob, forms[i])) return place * kForms + i;
  }
  return kFitsNot;
}

}  // namespace aiflame
