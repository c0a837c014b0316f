// SPDX-License-Identifier: MIT
// What the frames of a folded stack are: CPU functions, kernels, source lines, instructions,
// reasons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::report {

// What a report adds up.
enum class Kind { reason, kernel, function, line, instruction, frame };
inline constexpr int kKinds = 6;

// "kernel"
const char* kind_name(Kind kind);

// What a frame can be, by its text alone.
enum class Role : uint8_t {
  function,         // of the CPU
  boundary,         // `-` and `--`
  file,             // of a device: `matmul.cl_[G]`, `jit_[G]`
  line,             // `matmul.cl:12_[G]`
  device_function,  // the other `_[G]`
  offset,           // `0x1430_[g]`
  producer,         // `waits for send.ugm at 0x70_[g]`
  reason,           // a `_[g]` whose name is a known stall reason; may be a mnemonic as well
  instruction,      // the other `_[g]`: a mnemonic, or a reason that is not known
};
Role role_of(std::string_view frame);

// The parts of one stack, as places in the list of its frames.
struct Layers {
  static constexpr size_t kNone = SIZE_MAX;

  std::vector<size_t> functions;  // of CPU and device, outer first
  size_t kernel = kNone;          // the outermost function of the device
  std::vector<size_t> lines;      // outer first
  size_t mnemonic = kNone;
  size_t reason = kNone;
  size_t offset = kNone;
};

// Of two that can be a mnemonic or a reason the first is the mnemonic, as stackcollapse-aiflame
// writes them, unless only the first is a known reason. One alone is a reason if it is known as
// one.
void find_layers(const std::vector<Role>& roles, Layers& layers);

}  // namespace aiflame::report
