// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/process_facts.h"

#include <algorithm>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// Job ids, host and pod names are shorter: those of Kubernetes have 253 bytes at most.
constexpr size_t kLongest = 255;

struct Key {
  std::string_view text;
  std::string ProcessFacts::*value;
};
constexpr Key kKeys[] = {
    {"rank", &ProcessFacts::rank},           {"local_rank", &ProcessFacts::local_rank},
    {"ranks", &ProcessFacts::ranks},         {"job", &ProcessFacts::job},
    {"container", &ProcessFacts::container}, {"pod", &ProcessFacts::pod},
};

bool is_fact_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == ':' || c == '-';
}

}  // namespace

bool is_fact(std::string_view value) {
  return !value.empty() && value.size() <= kLongest &&
         std::all_of(value.begin(), value.end(), is_fact_byte);
}

std::string process_facts_text(const ProcessFacts& facts) {
  std::string out;
  for (const Key& key : kKeys) {
    const std::string& value = facts.*key.value;
    if (value.empty()) continue;
    out.append(out.empty() ? "" : ", ").append(key.text).append(" ").append(value);
  }
  return out.empty() ? "?" : out;
}

std::optional<ProcessFacts> parse_process_facts(std::string_view text) {
  ProcessFacts out;
  if (text == "?") return out;
  while (!text.empty()) {
    const size_t comma = text.find(", ");
    std::string_view rest = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
    const std::string_view word = take_field(rest), value = trim_left(rest);
    if (!is_fact(value)) return std::nullopt;
    for (const Key& key : kKeys)
      if (key.text == word) out.*key.value = value;
  }
  return out;
}

}  // namespace aiflame
