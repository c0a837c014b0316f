// SPDX-License-Identifier: MIT
// Estimates how many threads of a kernel a device holds at a time, and what keeps it from holding
// more (pure). It is an upper bound: the grid may have fewer work-groups, and their end is not
// seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/folded/launch_fact.h"

namespace aiflame {

struct Occupancy {
  std::optional<uint64_t> percent;  // of the threads that the device can hold; nothing: not known
  std::string limit;                // "registers", "local memory", "group"; empty at 100 %
};

// A multiprocessor of NVIDIA's, a compute unit of AMD's: what it has for the groups that run on it.
struct UnitLimits {
  uint64_t warps = 0;           // that it can hold
  uint64_t groups = 0;          // likewise
  uint64_t lanes = 32;          // of a warp
  uint64_t parts = 4;           // that its warps and registers are divided among
  uint64_t registers = 0;       // of a part, each of a lane
  uint64_t register_unit = 0;   // a warp gets a multiple of so many, for each lane
  uint64_t local = 0;           // bytes
  uint64_t local_unit = 1;      // bytes: a group gets a multiple
  uint64_t local_of_group = 0;  // bytes that each group takes besides its own
};

// `registers` are those of a lane.
Occupancy occupancy(const UnitLimits& unit, const KernelFacts& facts, const LaunchSize& size);

// The limits of compute capability 8.0 for 80; nothing where they are not known here. Sources: CUDA
// C++ Programming Guide, "Technical Specifications per Compute Capability"; cuda_occupancy.h.
std::optional<UnitLimits> nvidia_limits(unsigned architecture);
// Those of a processor of AMD's: "gfx942". Only GFX9, where a unit has four SIMDs and waves have 64
// lanes. Source: LLVM's AMDGPUBaseInfo.cpp, getMaxWavesPerEU(), getTotalNumVGPRs(),
// getVGPRAllocGranule(), getLocalMemorySize().
std::optional<UnitLimits> amd_limits(const std::string& processor);
// An execution unit of Intel's holds eight threads of 128 registers, or four of 256. Source: Intel
// oneAPI GPU Optimization Guide, "Small Register Mode vs. Large Register Mode".
Occupancy intel_occupancy(const KernelFacts& facts);

}  // namespace aiflame
