// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/eu_stall_metrics.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "libcommon/base/program.h"
#include "libcommon/objects/intel/eu_stall.h"

namespace aiflame {
namespace {

// The xe driver's query of the sampler answers with these. Level Zero has no such query.
constexpr uint64_t kPeriods[] = {251, 502, 753, 1004, 1255, 1506, 1757};

struct MetricName {
  std::string_view metric, reason;
};
constexpr MetricName kNames[] = {
    {"Active", "active"},       {"Tdr", "tdr"},
    {"PSDepStall", "tdr"},      {"ControlStall", "control"},
    {"PipeStall", "pipestall"}, {"SendStall", "send"},
    {"DistStall", "dist_acc"},  {"SbidStall", "sbid"},
    {"SyncStall", "sync"},      {"InstrFetchStall", "inst_fetch"},
    {"OtherStall", "other"},
};

}  // namespace

std::optional<std::string> eu_stall_reason(std::string_view metric) {
  for (const MetricName& known : kNames)
    if (known.metric == metric) return std::string(known.reason);
  constexpr std::string_view kSuffix = "Stall";
  if (!metric.ends_with(kSuffix) || metric.size() == kSuffix.size()) return std::nullopt;
  std::string name(metric.substr(0, metric.size() - kSuffix.size()));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

std::span<const uint64_t> eu_stall_periods() {
  return kPeriods;
}

uint64_t eu_stall_period_ns(uint64_t cycles, uint64_t ns_per_tick) {
  return cycles * ns_per_tick;
}

uint64_t eu_stall_period_cycles(uint64_t ns, uint64_t ns_per_tick) {
  return ns / ns_per_tick;
}

EuStallMetrics::EuStallMetrics(const std::vector<std::string>& names) : columns_(names.size()) {
  const auto address = std::find(names.begin(), names.end(), "IP");
  if (address == names.end()) throw Error("its metrics have no 'IP'");
  address_column_ = static_cast<size_t>(address - names.begin());
  bool has_tdr = false;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto reason = eu_stall_reason(names[i]);
    if (!reason) continue;
    has_tdr = has_tdr || *reason == "tdr";
    reasons_.push_back({i, *reason});
  }
  if (reasons_.empty()) throw Error("its metrics count no stalls");
  // the layouts with a tdr share one order, the one without has another
  const auto order = eu_stall_reasons(has_tdr ? EuStallLayout::xe2 : EuStallLayout::pvc);
  const auto rank = [&](const Reason& reason) {
    return std::find(order.begin(), order.end(), reason.name) - order.begin();
  };
  std::stable_sort(reasons_.begin(), reasons_.end(),
                   [&](const Reason& a, const Reason& b) { return rank(a) < rank(b); });
}

void EuStallMetrics::add(std::span<const uint64_t> row) {
  if (std::all_of(reasons_.begin(), reasons_.end(),
                  [&](const Reason& reason) { return row[reason.column] == 0; }))
    return;
  // the metric leaves out the lowest three bits, as a record does
  std::vector<uint64_t>& counts = counts_[row[address_column_] << 3];
  counts.resize(reasons_.size());
  for (size_t i = 0; i < reasons_.size(); ++i) counts[i] += row[reasons_[i].column];
}

void EuStallMetrics::take(
    const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give) {
  std::vector<std::pair<uint64_t, std::vector<uint64_t>>> sorted(
      std::make_move_iterator(counts_.begin()), std::make_move_iterator(counts_.end()));
  counts_.clear();
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [address, counts] : sorted)
    for (size_t i = 0; i < reasons_.size(); ++i)
      if (counts[i] > 0) give(address, reasons_[i].name.c_str(), counts[i]);
}

}  // namespace aiflame
