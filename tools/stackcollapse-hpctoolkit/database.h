// SPDX-License-Identifier: MIT
// A database: the folder that hpcprof writes. Its values are read from cct.db, or from profile.db
// where it matters whose they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-hpctoolkit/metadata.h"
#include "tools/stackcollapse-hpctoolkit/values.h"

namespace aiflame::hpctoolkit {

class Database {
 public:
  // `by_profile`: values are to be told apart by their profiles. Throws Error.
  Database(const std::string& folder, bool by_profile);

  const Metadata& metadata() const { return metadata_; }
  // The metrics that have values.
  std::vector<bool> metrics_with_values() const;
  // Calls each() with values of one context; of one profile, if they are told apart. Then
  // begin(identifiers) comes first for each profile.
  void read(const WantedMetrics& wanted,
            const std::function<void(std::span<const Identifier>)>& begin,
            const EachContext& each) const;

 private:
  DatabaseFile meta_file_;
  Metadata metadata_;
  DatabaseFile value_file_;
  bool by_profile_;
};

}  // namespace aiflame::hpctoolkit
