// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/sample_ledger.h"

#include <cinttypes>

#include "libcommon/base/program.h"

namespace aiflame::record {

void SampleLedger::wait(Key key, uint64_t count) {
  if (!waiting_.contains(key) && key.pid != 0 && !budgets_.take(Kept::losses, key.pid, kBytes))
    key.pid = 0;
  Waiting& loss = waiting_[key];
  if (count == kUnknown)
    loss.is_unknown = true;
  else
    add_saturating(loss.count, count);
}

std::string SampleLedger::check(const Holding& holding) const {
  const uint64_t held[kCounted] = {holding.samples, holding.launches, holding.memory};
  static constexpr const char* kNames[kCounted] = {"samples", "launches", "allocations and frees"};
  for (const Counted what : {Counted::samples, Counted::launches, Counted::memory}) {
    const size_t k = index(what);
    const Sums& sums = sums_[k];
    uint64_t waiting = 0;
    for (const auto& [key, loss] : waiting_)
      if (key.what == what) add_saturating(waiting, loss.count);
    uint64_t out = sums.withdrawn;
    for (const uint64_t part : {held[k], waiting, sums.written, sums.lost})
      add_saturating(out, part);
    if (out == sums.taken || out == UINT64_MAX || sums.taken == UINT64_MAX) continue;
    return format("%" PRIu64 " %s were taken, but %" PRIu64 " written, %" PRIu64 " lost, %" PRIu64
                  " withdrawn, and %" PRIu64 " are held",
                  sums.taken, kNames[k], sums.written, sums.lost, sums.withdrawn,
                  held[k] + waiting);
  }
  return "";
}

}  // namespace aiflame::record
