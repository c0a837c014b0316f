// SPDX-License-Identifier: MIT
// Classifies the frames of a folded stack (folded(5)): CPU functions, operators and modules,
// kernels, source lines, instructions, reasons (pure).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame {

// The file of kernels whose code has no lines; with a number where several code objects have a
// kernel of one name: `jit#2`.
inline constexpr std::string_view kNoFile = "jit";

// The role of a frame, as far as its text shows it.
enum class FrameRole : uint8_t {
  function,            // of the CPU, and ranges that the program marked
  framework_operator,  // `aten::mm_[o]`
  model_module,        // `Linear_3_[m]`
  boundary,            // `-` and `--`
  file,                // of a device: `matmul.cl_[G]`, `jit_[G]`, `jit#2_[G]`
  line,                // `matmul.cl:12_[G]`
  loop,                // `loop at matmul.cl:12_[G]`, `loop at 0x40_[G]`
  device_function,     // the other `_[G]`
  offset,              // `0x1430_[g]`
  producer,            // `waits for send.ugm at 0x70_[g]`
  reason,              // a `_[g]` with the name of a known stall reason; may also be a mnemonic
  instruction,         // the other `_[g]`: a mnemonic, or an unknown reason
};
FrameRole role_of(std::string_view frame);

// The parts of one stack, as indices of its frames.
struct Layers {
  static constexpr size_t kNone = SIZE_MAX;

  std::vector<size_t> functions;  // of CPU and device, outer first; operators and modules too
  std::vector<size_t> operators;  // outer first
  std::vector<size_t> modules;    // outer first
  size_t kernel = kNone;          // the outermost function of the device
  std::vector<size_t> lines;      // outer first
  size_t mnemonic = kNone;
  size_t reason = kNone;
  size_t offset = kNone;
};

// When two frames may be a mnemonic or a reason, the first is the mnemonic, as
// stackcollapse-aiflame writes them, unless only the first is a known reason. A single one is a
// reason if it is a known reason.
void find_layers(const std::vector<FrameRole>& roles, Layers& layers);

}  // namespace aiflame
