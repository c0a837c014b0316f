// SPDX-License-Identifier: MIT
// The frames of nodes of graphs that PyTorch has named (read/node_names.h): exact, by a node's id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/read/node_names.h"

namespace aiflame::trace {

class NodeFrames {
 public:
  // A trace that PyTorch has annotated names its nodes itself.
  NodeFrames(const Trace& trace, const NodesNames& names, const NameRules& rules,
             ImportedStacks& stacks);

  // By a work's place in Trace::work. The Python functions at the capture, each with its line, or
  // kNoNumber; and what the program has marked on top of `stack`.
  uint32_t functions_of(size_t work) const;
  bool has_mark(size_t work) const;
  uint32_t with_mark(uint32_t stack, size_t work, ImportedStacks& stacks) const;

  // Of the works that are nodes of graphs, how many have a name.
  size_t nodes() const { return nodes_; }
  size_t named() const { return by_work_.size(); }

 private:
  struct Frames {
    uint32_t functions = kNoNumber, mark = kNoNumber;  // a stack, a frame
    bool backward = false;
  };

  std::unordered_map<size_t, Frames> by_work_;
  size_t nodes_ = 0;
};

}  // namespace aiflame::trace
