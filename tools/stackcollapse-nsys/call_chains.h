// SPDX-License-Identifier: MIT
// Call chains of a thread, which Nsight Systems has recorded for calls of the CUDA API
// (CUDA_CALLCHAINS) or as CPU samples (SAMPLING_CALLCHAINS).
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/sqlite_database.h"
#include "tools/stackcollapse-nsys/host_calls.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

class CallChains {
 public:
  // Reads the chains of the calls.
  CallChains(const SqliteDatabase& database, std::string_view table, const Strings& strings,
             const NameRules& names, const std::vector<HostCall>& calls, ImportedStacks& stacks);

  // Puts each call's chain on top of its stack.
  void stand_on(std::vector<HostCall>& calls) const;

 private:
  struct Frame {
    int64_t depth;  // 0 is the innermost
    uint32_t frame;
  };
  [[nodiscard]] bool read(const SqliteDatabase& database, std::string_view table,
                          const Strings& strings, const NameRules& names, bool ordered);
  void add_chain(int64_t id, std::vector<Frame>& frames);
  uint32_t find(int64_t id) const;

  ImportedStacks& stacks_;
  std::vector<int64_t> wanted_;                             // sorted
  std::vector<std::pair<int64_t, uint32_t>> chains_;        // id and stack, sorted by id
  std::map<std::pair<int64_t, int64_t>, uint32_t> frames_;  // by the ids of symbol and module
};

}  // namespace aiflame::nsys
