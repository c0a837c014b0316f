// SPDX-License-Identifier: MIT
// What the compiler knows of a piece of work: its program, the lines of Python that it was traced
// from, and the path of its operator.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/hlo_modules.h"
#include "tools/stackcollapse-xplane/settings.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

class OperatorStacks {
 public:
  OperatorStacks(HloModules& modules, const Settings& settings, ImportedStacks& stacks)
      : modules_(modules), settings_(settings), stacks_(stacks) {}

  struct Known {
    uint32_t stack = ImportedStacks::kEmpty;
    bool has_source = false;
  };
  // `name`: of the operator, where the facts do not tell.
  Known find(const Facts& facts, std::string_view name);

 private:
  // Texts by their places: a name of a plane's tables is one place.
  using Key = std::array<uint64_t, 8>;
  struct KeyHash {
    IdHash hash;
    size_t operator()(const Key& key) const {
      uint64_t out = 0;
      for (const uint64_t one : key) out = hash(out + one);
      return out;
    }
  };
  Known make(const Facts& facts, std::string_view name);
  uint32_t source_stack(const Facts& facts, HloModule* module, const HloOperator* known);

  HloModules& modules_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::unordered_map<Key, Known, KeyHash> known_;
};

}  // namespace aiflame::xplane
