// SPDX-License-Identifier: MIT
// Decodes the records of Intel's EU stall sampler, from the xe driver or Level Zero's raw data.
//
// A record is 64 bytes: an instruction's address, and for each reason the number of samples that
// the hardware counted there. There is no time, process, context or core in it. The layout depends
// on the GPU's graphics IP version; the bytes do not show it. Bits are little-endian, bit n is bit
// n % 8 of byte n / 8 (Linux, xe_eu_stall.c: struct xe_eu_stall_data_pvc, _xe2 and _xe3p):
//
//            address / 8   adjacent counters of 8 bits                           after them
//   pvc      0-28          29-100:  active other control … inst_fetch            nothing
//   xe2      0-28          29-108:  tdr other control … inst_fetch active        ex_id, end flag
//   xe3p     0-60          61-140:  tdr other control … inst_fetch active        ex_id, end flag
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

namespace aiflame {

enum class EuStallLayout { pvc, xe2, xe3p };

// The fields are in the first 24 bytes of every layout; the driver's records have 64.
inline constexpr size_t kEuStallRecordBytes = 64;
inline constexpr size_t kMaxEuStallReasons = 10;

// The layout of a GPU by the graphics IP version that the xe driver reports for its main GT: 20.1
// is Lunar Lake and Battlemage. Data Center GPU Max (12.60) has no register with its version, and
// the driver reports 0.0. Nothing for versions that are not known to have the sampler.
std::optional<EuStallLayout> eu_stall_layout(unsigned ip_major, unsigned ip_minor);

// The driver's names of the counters, in the order of EuStallRecord::counts. find_stall_reason()
// knows them.
std::span<const char* const> eu_stall_reasons(EuStallLayout layout);

// How many low bits of an instruction's address a record has: all 64, or 32. Those are an offset
// from the context's instruction base address, which the user mode driver keeps at a multiple of
// 4 GiB.
unsigned eu_stall_address_bits(EuStallLayout layout);

struct EuStallRecord {
  uint64_t address = 0;  // in bytes, a multiple of 8
  std::array<uint8_t, kMaxEuStallReasons> counts{};
};

// `record` has at least 24 bytes.
EuStallRecord decode_eu_stall(EuStallLayout layout, const unsigned char* record);

// Adds up the samples of one read by instruction and reason; records differ in nothing else.
class EuStallTally {
 public:
  explicit EuStallTally(EuStallLayout layout) : layout_(layout) {}

  // Adds whole records, each `record_bytes` long. Ignores an incomplete last one.
  void add(std::span<const unsigned char> records, size_t record_bytes);
  // Gives all counts above 0, sorted by address, then in the order of eu_stall_reasons(), and
  // forgets them.
  void take(const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give);

 private:
  using Counts = std::array<uint64_t, kMaxEuStallReasons>;

  EuStallLayout layout_;
  std::unordered_map<uint64_t, Counts> counts_;  // by address
};

}  // namespace aiflame
