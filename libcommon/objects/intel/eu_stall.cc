// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/eu_stall.h"

#include <algorithm>
#include <vector>

namespace aiflame {
namespace {

constexpr const char* kPvcReasons[] = {"active",   "other", "control", "pipestall", "send",
                                       "dist_acc", "sbid",  "sync",    "inst_fetch"};
constexpr const char* kXe2Reasons[] = {"tdr",      "other", "control", "pipestall",  "send",
                                       "dist_acc", "sbid",  "sync",    "inst_fetch", "active"};

uint64_t little_endian(const unsigned char* bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::optional<EuStallLayout> eu_stall_layout(unsigned ip_major, unsigned ip_minor) {
  // the driver's own rule (xe_eu_stall_data_record_size): 35 and up, 20 and up, else PVC
  if (ip_major >= 35) return EuStallLayout::xe3p;
  if (ip_major >= 20) return EuStallLayout::xe2;
  const bool is_pvc =
      (ip_major == 0 && ip_minor == 0) || (ip_major == 12 && (ip_minor == 60 || ip_minor == 61));
  return is_pvc ? std::optional(EuStallLayout::pvc) : std::nullopt;
}

std::span<const char* const> eu_stall_reasons(EuStallLayout layout) {
  if (layout == EuStallLayout::pvc) return kPvcReasons;
  return kXe2Reasons;
}

unsigned eu_stall_address_bits(EuStallLayout layout) {
  return layout == EuStallLayout::xe3p ? 64 : 32;
}

EuStallRecord decode_eu_stall(EuStallLayout layout, const unsigned char* record) {
  EuStallRecord out;
  const bool wide = layout == EuStallLayout::xe3p;
  // The field counts units of 8 bytes; the shift makes bytes of them.
  out.address = wide ? little_endian(record, 8) << 3 : (little_endian(record, 4) << 3) & 0xffffffff;
  // 29 % 8 == 61 % 8 == 5: each counter is the upper 3 bits of a byte and the lower 5 of the next
  const unsigned char* at = record + (wide ? 7 : 3);
  for (size_t i = 0; i < eu_stall_reasons(layout).size(); ++i)
    out.counts[i] = static_cast<uint8_t>(little_endian(at + i, 2) >> 5);
  return out;
}

void EuStallTally::add(std::span<const unsigned char> records, size_t record_bytes) {
  const size_t reasons = eu_stall_reasons(layout_).size();
  for (size_t at = 0; records.size() - at >= record_bytes; at += record_bytes) {
    const EuStallRecord record = decode_eu_stall(layout_, records.data() + at);
    if (std::all_of(record.counts.begin(), record.counts.end(), [](uint8_t n) { return n == 0; }))
      continue;
    Counts& counts = counts_[record.address];
    for (size_t i = 0; i < reasons; ++i) counts[i] += record.counts[i];
  }
}

void EuStallTally::take(
    const std::function<void(uint64_t address, const char* reason, uint64_t count)>& give) {
  std::vector<std::pair<uint64_t, Counts>> sorted(counts_.begin(), counts_.end());
  counts_.clear();
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto reasons = eu_stall_reasons(layout_);
  for (const auto& [address, counts] : sorted)
    for (size_t i = 0; i < reasons.size(); ++i)
      if (counts[i] > 0) give(address, reasons[i], counts[i]);
}

}  // namespace aiflame
