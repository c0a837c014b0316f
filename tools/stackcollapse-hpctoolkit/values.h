// SPDX-License-Identifier: MIT
// profile.db and cct.db: the same values twice. profile.db has them by profile (a thread, or a
// stream of a device), context and metric; cct.db by context, metric and profile. So cct.db is the
// one where the values of a few metrics can be read without the others, but it does not say which
// rank and thread a profile is of.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tools/stackcollapse-hpctoolkit/database_file.h"

namespace aiflame::hpctoolkit {

struct MetricValue {
  uint16_t metric = 0;
  double value = 0;
};

// One of the identifiers of a profile: rank 3, thread 0.
struct Identifier {
  uint8_t kind = 0;
  uint64_t value = 0;
};

// Whether values of a metric are to be read.
using WantedMetrics = std::function<bool(uint16_t metric)>;
// Values of one context, by its id. Of several profiles, a metric comes once for each.
using EachContext = std::function<void(uint32_t context, std::span<const MetricValue> values)>;

class ValuesByContext {
 public:
  explicit ValuesByContext(const DatabaseFile& file) : file_(file) {}
  void read(const WantedMetrics& wanted, const EachContext& each) const;

 private:
  const DatabaseFile& file_;
};

class ValuesByProfile {
 public:
  explicit ValuesByProfile(const DatabaseFile& file);

  uint32_t count() const { return count_; }
  // Whether it holds statistics of the other profiles.
  bool is_summary(uint32_t profile) const;
  // The outermost first: node, rank, thread.
  std::vector<Identifier> identifiers(uint32_t profile) const;
  // Reads a profile, each but once.
  void read(uint32_t profile, const WantedMetrics& wanted, const EachContext& each);

 private:
  const DatabaseFile& file_;
  uint64_t left_;  // bytes of the file that no profile has used
  uint64_t profiles_ = 0, size_ = 0;
  uint32_t count_ = 0;
};

}  // namespace aiflame::hpctoolkit
