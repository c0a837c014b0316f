// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/statistics.h"

#include <utility>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"

namespace aiflame::annotate {
namespace {

unsigned long long wide(uint64_t number) {
  return number;
}

}  // namespace

std::string Statistics::line() const {
  if (event.empty()) return "no samples";
  std::string out =
      format("%s: %llu %s: %llu on %llu of %llu instructions in %llu %s, %llu of no known kernel",
             event.c_str(), wide(samples), unit.c_str(), wide(listed), wide(sampled_instructions),
             wide(instructions), wide(functions), functions == 1 ? "function" : "functions",
             wide(outside));
  if (filtered > 0) out += format(", %llu filtered out", wide(filtered));
  if (below_limit > 0) out += format(", %llu of kernels below --min-percent", wide(below_limit));
  for (size_t i = 1; i < kUnnamedReasons; ++i)
    if (unnamed[i] > 0)
      out += format("; %llu of unnamed instructions (%s)", wide(unnamed[i]),
                    unnamed_phrase(static_cast<Unnamed>(i)));
  return out;
}

std::string coverage_json(const StallCoverage& its) {
  const std::pair<const char*, StallCoverage::Count> counts[] = {
      {"waiting", its.waiting}, {"single_before", its.single_before},
      {"single", its.single},   {"none", its.none},
      {"unknown", its.unknown},
  };
  std::string out = "{";
  for (const auto& [name, count] : counts)
    out += format("%s\"%s\":{\"instructions\":%llu,\"samples\":%llu}", out.size() > 1 ? "," : "",
                  name, wide(count.instructions), wide(count.samples));
  return out + "}";
}

std::string Statistics::json() const {
  std::string out =
      "{\"event\":" + (event.empty() ? "null" : json_string(event)) +
      ",\"unit\":" + json_string(unit) +
      format(
          ",\"samples\":%llu,\"listed\":%llu,\"outside\":%llu,\"filtered\":%llu,"
          "\"below_limit\":%llu,\"functions\":%llu,\"instructions\":%llu,"
          "\"sampled_instructions\":%llu,\"unnamed\":{",
          wide(samples), wide(listed), wide(outside), wide(filtered), wide(below_limit),
          wide(functions), wide(instructions), wide(sampled_instructions));
  for (size_t i = 1; i < kUnnamedReasons; ++i)
    out += format("%s\"%s\":%llu", i == 1 ? "" : ",", unnamed_key(static_cast<Unnamed>(i)),
                  wide(unnamed[i]));
  return out + "},\"coverage\":" + coverage_json(coverage) + "}\n";
}

}  // namespace aiflame::annotate
