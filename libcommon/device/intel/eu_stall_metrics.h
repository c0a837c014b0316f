// SPDX-License-Identifier: MIT
// The metrics of Level Zero's group `EuStallSampling`, which are the fields of the records that
// libcommon/device/intel/eu_stall.h decodes, by other names (compute-runtime,
// metric_ip_sampling_source.cpp):
//
//   IP  Active  Tdr or PSDepStall  ControlStall  PipeStall  SendStall  DistStall  SbidStall
//   SyncStall  InstrFetchStall  OtherStall
//
// The driver gives a row of them for each instruction. They are told apart by name: their number
// and order are the GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace aiflame {

// What can be one sample's, in cycles of the GPU: 251 times 1 to 7, for all that have the sampler.
std::span<const uint64_t> eu_stall_periods();

// Level Zero counts a period in ticks of the GPU's timestamps, each so many whole nanoseconds, and
// means as many cycles. The nanoseconds to ask for, and the cycles that an answer means.
uint64_t eu_stall_period_ns(uint64_t cycles, uint64_t ns_per_tick);
uint64_t eu_stall_period_cycles(uint64_t ns, uint64_t ns_per_tick);

// Samples of one read, by instruction and reason.
class EuStallMetrics {
 public:
  // The metrics' names, in the order of a row. Throws Error when none is the instruction, or the
  // reason.
  explicit EuStallMetrics(const std::vector<std::string>& names);

  // Of a row.
  size_t columns() const { return columns_; }
  // `row` has columns() values.
  void add(std::span<const uint64_t> row);
  // In order of address, then of reason as eu_stall_reasons() has them, those that it does not have
  // behind; no counts of 0. Empties it. The reasons last as long as this.
  void take(const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give);

 private:
  struct Reason {
    size_t column = 0;
    std::string name;
  };

  size_t columns_ = 0, address_column_ = 0;
  std::vector<Reason> reasons_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> counts_;  // by address; as reasons_
};

}  // namespace aiflame
