// SPDX-License-Identifier: MIT
// Reads the metrics of Level Zero's group `EuStallSampling`. They are the fields of the records
// that eu_stall.h decodes, under other names (compute-runtime, metric_ip_sampling_source.cpp):
//
//   IP  Active  Tdr or PSDepStall  ControlStall  PipeStall  SendStall  DistStall  SbidStall
//   SyncStall  InstrFetchStall  OtherStall
//
// The driver gives a row of them for each instruction. Their number and order differ between GPUs,
// so they are found by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aiflame {

// The sampling periods that a GPU can use, in its cycles: 251 times 1 to 7, on all that have the
// sampler.
std::span<const uint64_t> eu_stall_periods();

// Level Zero wants a period in nanoseconds, turns it into ticks of the GPU's timestamp, each of
// `ns_per_tick` whole nanoseconds, and uses that number as cycles. The first function gives the
// nanoseconds to request, the second the cycles of a period that Level Zero reports.
uint64_t eu_stall_period_ns(uint64_t cycles, uint64_t ns_per_tick);
uint64_t eu_stall_period_cycles(uint64_t ns, uint64_t ns_per_tick);

// The reason that a metric of the group counts; nothing for a metric that counts none. A reason
// that is not known yet is named by its metric: "TokenStall" is "token".
std::optional<std::string> eu_stall_reason(std::string_view metric);

// Adds up the samples of one read by instruction and reason.
class EuStallMetrics {
 public:
  // `names` are the metrics in the order of a row. Throws Error without a metric for the
  // instruction, or without any for a reason.
  explicit EuStallMetrics(const std::vector<std::string>& names);

  // The number of values in a row.
  size_t columns() const { return columns_; }
  // `row` has columns() values.
  void add(std::span<const uint64_t> row);
  // Gives all counts above 0, sorted by address, then in the order of eu_stall_reasons(), then
  // reasons that are not in it, and forgets them. The strings live as long as this.
  void take(const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give);

 private:
  struct Reason {
    size_t column = 0;
    std::string name;
  };

  size_t columns_ = 0, address_column_ = 0;
  std::vector<Reason> reasons_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> counts_;  // by address; parallel to reasons_
};

}  // namespace aiflame
