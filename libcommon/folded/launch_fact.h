// SPDX-License-Identifier: MIT
// What folded text says about the launches of a kernel. stackcollapse-aiflame writes a comment line
// for each kernel and size, and viewers show it with the kernel's frame:
//
//   # aiflame-launch: launches 12, items 1024x1024x1, group 16x16x1, registers 40, occupancy 75,
//   limit registers, kernel multiply_basic_[G]                                   (all in one line)
//
// As a quantity's line (quantity.h) it may stand anywhere, and never ends in a digit. What is not
// known is left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libcommon/gpustall/launch_size.h"

namespace aiflame {

// What the compiler gave a kernel.
struct KernelFacts {
  std::optional<uint64_t>
      registers;  // of a thread (AMD: VGPRs of a lane; Intel: of 32 or 64 bytes)
  std::optional<uint64_t> static_local;  // bytes of local (CUDA: shared) memory of a work-group
  std::optional<uint64_t> scratch;       // bytes of memory that a thread has of its own
  std::optional<uint64_t> spills;        // of it, bytes that stand in for registers

  bool operator==(const KernelFacts&) const = default;
  bool operator<(const KernelFacts& other) const {
    return std::tie(registers, static_local, scratch, spills) <
           std::tie(other.registers, other.static_local, other.scratch, other.spills);
  }
};

struct LaunchFact {
  std::string kernel;  // its frame: "multiply_basic_[G]"
  LaunchSize size;
  uint64_t other_sizes = 0;  // where there are too many: stands for so many more sizes
  KernelFacts code;
  std::optional<uint64_t> occupancy;  // percent of the threads that the device can hold, estimated
  std::string limit;                  // what keeps it from being more: "registers"
  uint64_t launches = 0;              // so many

  bool operator==(const LaunchFact&) const = default;
  bool operator<(const LaunchFact& other) const {
    return std::tie(kernel, size, other_sizes, code, occupancy, limit, launches) <
           std::tie(other.kernel, other.size, other.other_sizes, other.code, other.occupancy,
                    other.limit, other.launches);
  }
  // Bytes of local memory of a work-group, static and dynamic.
  std::optional<uint64_t> local() const;
};

// Whose words are used: OpenCL's work-items, groups and local memory are CUDA's and HIP's threads,
// blocks and shared memory.
enum class LaunchWords : uint8_t { opencl, cuda };

// The facts, in a few short texts for people: "12 launches of 1024x1024 work-items, in groups of
// 16x16", "40 registers", "occupancy 75% at most (estimate), limited by registers".
std::vector<std::string> launch_fact_texts(const LaunchFact& fact,
                                           LaunchWords words = LaunchWords::opencl);

inline bool is_launch_fact_line(std::string_view line) {
  return line.starts_with("# aiflame-launch:");
}
// The comment line, with its newline.
std::string launch_fact_line(const LaunchFact& fact);
// Parses such a line; nothing where it is malformed, or longer than 65536 bytes. Keys that are not
// known are passed over.
std::optional<LaunchFact> parse_launch_fact(std::string_view line);

// The facts of an input: of two lines that differ in the number of launches alone, the sum.
class LaunchFacts {
 public:
  // Of hostile input no more are kept.
  static constexpr size_t kMost = 1 << 16;

  void read(std::string_view line) {
    if (std::optional<LaunchFact> fact = parse_launch_fact(line)) add(*std::move(fact));
  }
  void add(LaunchFact fact);
  void add(const LaunchFacts& other);
  bool empty() const { return launches_.empty(); }
  // Sorted by kernel; those of a kernel by launches, the most first.
  std::vector<LaunchFact> all() const;

 private:
  std::map<LaunchFact, uint64_t> launches_;  // by the rest
};

}  // namespace aiflame
