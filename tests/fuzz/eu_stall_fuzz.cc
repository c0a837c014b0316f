// SPDX-License-Identifier: MIT
// Adds up a driver's stall records, as read(2) returns them. The sum of all counters must be kept.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "libcommon/objects/intel/eu_stall.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const EuStallLayout layouts[] = {EuStallLayout::pvc, EuStallLayout::xe2, EuStallLayout::xe3p};
  const EuStallLayout layout = layouts[data[0] % 3];
  const size_t record_bytes = kEuStallRecordBytes + data[1];
  const std::span<const unsigned char> records(data + 2, size - 2);
  uint64_t in = 0, out = 0;
  for (size_t at = 0; at + record_bytes <= records.size(); at += record_bytes)
    for (const uint8_t count : decode_eu_stall(layout, records.data() + at).counts) in += count;
  EuStallTally tally(layout);
  tally.add(records, record_bytes);
  tally.take([&](uint64_t, const char*, uint64_t count) { out += count; });
  if (in != out) abort();
  return 0;
}
