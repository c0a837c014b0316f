// SPDX-License-Identifier: MIT
// Which launch of a capture each kernel of a replay comes from (pure).
//
// A replay has one call, cudaGraphLaunch(), and its kernels; nothing in a trace says which captured
// launch a kernel is. But both have names and an order:
//
//   capture   gather  norm  gemm  norm  gemm  gemm
//   replay    gather  norm  gemm        gemm  gemm      (the profiler lost a record)
//
// If all names agree by position, the positions tell. Otherwise the n-th kernel of a name is the
// n-th launch of that name, if there are as many of both: gather and the three gemm above. What
// lies between two such kernels agrees by position, or stays without a launch, as the two norm
// here: it cannot be told which one was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::trace {

// A name, as a number. Launches of some profilers have none.
inline constexpr uint32_t kNoName = UINT32_MAX;
// For a kernel without a launch.
inline constexpr uint32_t kNoLaunch = UINT32_MAX;

struct GraphAlignment {
  enum class Quality : uint8_t {
    by_position,  // all names agree
    by_count,     // launches have no names, but there are as many as kernels
    by_name,      // some kernels by the order of their name
    none,         // too few names agree: another graph
  };
  Quality quality = Quality::none;
  std::vector<uint32_t> launches;  // by kernel
  size_t matched = 0;
};

inline constexpr size_t kGraphAlignments = 4;  // qualities

// Names of a replay's kernels and of a capture's launches, each in order.
GraphAlignment align_graph(const std::vector<uint32_t>& kernels,
                           const std::vector<uint32_t>& launches);

}  // namespace aiflame::trace
