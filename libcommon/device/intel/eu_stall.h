// SPDX-License-Identifier: MIT
// The records of Intel's EU stall sampler, as the xe driver and Level Zero's raw data have them.
//
// A record is 64 bytes: an instruction and how many samples of each reason the hardware has added
// up for it. The reader of the bytes does not know the layout from them; the graphics IP version
// tells it. Little-endian bits, bit n is bit n % 8 of byte n / 8 (Linux, xe_eu_stall.c: struct
// xe_eu_stall_data_pvc, _xe2 and _xe3p):
//
//            address / 8   counters of 8 bits, one behind the other              behind them
//   pvc      0-28          29-100:  active other control … inst_fetch            nothing
//   xe2      0-28          29-108:  tdr other control … inst_fetch active        ex_id, end flag
//   xe3p     0-60          61-140:  tdr other control … inst_fetch active        ex_id, end flag
//
// There is no time, process, context or core in a record.
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

// The fields stand in the first 24 bytes of every layout; the driver's records have 64.
inline constexpr size_t kEuStallRecordBytes = 64;
inline constexpr size_t kMaxEuStallReasons = 10;

// The layout of a GPU that is known to have the sampler, by the graphics IP version of its main GT
// as the xe driver tells it: 20.1 is Lunar Lake and Battlemage. The driver tells 0.0 of Data Center
// GPU Max (12.60), which has no register to read it from. Nothing for versions between.
std::optional<EuStallLayout> eu_stall_layout(unsigned ip_major, unsigned ip_minor);

// The names of the counters, in the order of EuStallRecord::counts: the driver's, as
// find_stall_reason() knows them.
std::span<const char* const> eu_stall_reasons(EuStallLayout layout);

// How many low bits of an instruction's address a record tells: 32, an offset from the context's
// instruction base address, which the driver's user mode part keeps at a multiple of 4 GiB; or all.
unsigned eu_stall_address_bits(EuStallLayout layout);

struct EuStallRecord {
  uint64_t address = 0;  // in bytes; instructions stand at multiples of 8
  std::array<uint8_t, kMaxEuStallReasons> counts{};
};

// `record` has at least 24 bytes, as in kEuStallRecordBytes.
EuStallRecord decode_eu_stall(EuStallLayout layout, const unsigned char* record);

// Samples of one read, by instruction and reason: nothing tells its records apart but these.
class EuStallTally {
 public:
  explicit EuStallTally(EuStallLayout layout) : layout_(layout) {}

  // Whole records, each `record_bytes` long; what is left behind the last is ignored.
  void add(std::span<const unsigned char> records, size_t record_bytes);
  // In order of address, then of reason as eu_stall_reasons() has them; no counts of 0. Empties it.
  void take(const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give);

 private:
  using Counts = std::array<uint64_t, kMaxEuStallReasons>;

  EuStallLayout layout_;
  std::unordered_map<uint64_t, Counts> counts_;  // by address
};

}  // namespace aiflame
