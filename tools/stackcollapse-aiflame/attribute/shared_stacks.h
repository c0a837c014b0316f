// SPDX-License-Identifier: MIT
// The frames that several launches have in common, from the root on, for samples of which it is not
// known which launch they belong to:
//
//   app;main;step;forces;clEnqueueNDRangeKernel      }
//   app;main;step;integrate;clEnqueueNDRangeKernel   }   app;main;step;[presumed]
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "tools/stackcollapse-aiflame/fold/frame_tables.h"

namespace aiflame::collapse {

class SharedStacks {
 public:
  explicit SharedStacks(FrameTables& tables)
      : tables_(tables), presumed_(tables.texts.number("[presumed]")) {}

  // The number of the stack that `launches` share. stack_of() gives a launch's stack. Null, or
  // launches with several roots, share nothing but `root`, the sample's. A list that has grown is
  // compared from where it was.
  using StackOf = std::function<uint32_t(uint64_t launch)>;
  uint32_t stack(const std::vector<uint64_t>* launches, uint32_t root, const StackOf& stack_of);
  // The lists are gone.
  void forget() { known_.clear(); }

 private:
  struct Shared {
    size_t compared = 0;  // launches of the list
    uint32_t root = 0;
    bool has_root = true;
    std::vector<uint32_t> frames;  // root first
  };
  void compare(uint32_t stack, Shared& with) const;

  FrameTables& tables_;
  const uint32_t presumed_;
  std::unordered_map<const std::vector<uint64_t>*, Shared> known_;
};

}  // namespace aiflame::collapse
