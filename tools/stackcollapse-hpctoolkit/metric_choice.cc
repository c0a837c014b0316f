// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/metric_choice.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::hpctoolkit {
namespace {

// What is drawn by default: the first of these that has values.
constexpr std::string_view kDefaults[] = {"GCYCLES",       "GINST",          "GPUOP (s)",
                                          "GKER (s)",      "GPUOP (sec)",    "GKER (sec)",
                                          "CPUTIME (sec)", "REALTIME (sec)", "cycles"};

// A name ends with its unit: "GXCOPY:D2H (b)".
constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {" (s)", kNanoseconds}, {" (sec)", kNanoseconds}, {" (b)", "bytes"},
    {" (bytes)", "bytes"},  {" (cyc)", "cycles"},
};

constexpr std::string_view kNoUnit = "events";

constexpr double kNanosecondsInSecond = 1e9;
constexpr double kIntegers = 4503599627370496.0, kEnd = 18446744073709551616.0;  // 2^52, 2^64

Quantity quantity_of(std::string_view name) {
  if (name == "GCYCLES") return {"gpu-stall", "cycles"};
  if (name == "GINST") return {"gpu-stall", "samples"};
  if (name.starts_with("GPUOP (") || name.starts_with("GKER ("))
    return {.event = "gpu-time", .unit = "ns", .measured = true};
  for (const auto& [end, unit] : kUnits)
    if (name.ends_with(end))
      return {std::string(name.substr(0, name.size() - end.size())), std::string(unit)};
  if (name.starts_with("GCYCLES:") || name.starts_with("GPIPE:"))
    return {std::string(name), "cycles"};
  if (name.starts_with("GINST:")) return {std::string(name), "samples"};
  return {std::string(name), name == "cycles" ? "cycles" : std::string(kNoUnit)};
}

// "stl_idep" for GCYCLES:STL:IDEP and GINST:STL_IDEP; empty for what is no reason: the sum of them
// all, and what is no part of the metric at all (GCYCLES:WAVE_ACT).
std::string reason_of(std::string_view name) {
  if (!take_prefix(name, "GCYCLES:ISU:") && !take_prefix(name, "GCYCLES:STL:") &&
      !take_prefix(name, "GINST:STL_"))
    return "";
  return std::string(name);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// The metrics of reasons that `whole` is the sum of.
std::vector<Reason> reasons_of(const std::vector<Metric>& metrics, std::string_view whole) {
  std::vector<Reason> out;
  for (const Metric& one : metrics) {
    const std::string reason = reason_of(one.name);
    if (reason.empty() || reason == "ANY") continue;
    std::string_view rest = one.name;
    if (!take_prefix(rest, whole) || (!rest.empty() && rest.front() != ':')) continue;
    const char* const kind = one.name.find(":ISU:") == std::string_view::npos ? "stl_" : "isu_";
    out.push_back({one.number, kind + lower(reason)});
  }
  return out;
}

const Metric* find_default(const std::vector<Metric>& metrics,
                           const std::function<bool(uint16_t)>& has_values) {
  const auto found = [&](const auto& is_wanted) {
    return std::find_if(metrics.begin(), metrics.end(), is_wanted);
  };
  for (const std::string_view name : kDefaults) {
    const auto at = found([&](const Metric& m) { return m.name == name && has_values(m.number); });
    if (at != metrics.end()) return &*at;
  }
  const auto at = found([&](const Metric& m) { return has_values(m.number); });
  return at == metrics.end() ? nullptr : &*at;
}

std::string names_of(const std::vector<Metric>& metrics,
                     const std::function<bool(uint16_t)>& has_values) {
  std::vector<std::string_view> names;
  for (const Metric& one : metrics)
    if (has_values(one.number)) names.push_back(one.name);
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string_view name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out.empty() ? "none" : out;
}

}  // namespace

MetricChoice choose_metric(const std::vector<Metric>& metrics, std::string_view name,
                           const std::function<bool(uint16_t)>& has_values) {
  if (metrics.empty()) throw Error("no metric has values where they were measured (scope 'point')");
  const Metric* chosen = nullptr;
  if (name.empty()) {
    chosen = find_default(metrics, has_values);
    if (chosen == nullptr) throw Error("no metric has values");
  } else {
    const auto at = std::find_if(metrics.begin(), metrics.end(),
                                 [&](const Metric& one) { return one.name == name; });
    if (at == metrics.end() || !has_values(at->number))
      throw Error("no values of the metric '" + std::string(name) +
                  "'; these have some: " + names_of(metrics, has_values));
    chosen = &*at;
  }
  return {chosen->name, chosen->number, quantity_of(chosen->name),
          reasons_of(metrics, chosen->name), chosen->inclusive};
}

std::optional<uint64_t> weight_of(double value, const Quantity& quantity) {
  const double scaled = quantity.is_time() ? value * kNanosecondsInSecond : value;
  // false for NaN too
  if (!(scaled >= 0 && scaled < kEnd)) return std::nullopt;
  // above that all are integers
  return static_cast<uint64_t>(scaled < kIntegers ? scaled + 0.5 : scaled);
}

}  // namespace aiflame::hpctoolkit
