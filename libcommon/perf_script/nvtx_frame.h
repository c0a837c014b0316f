// SPDX-License-Identifier: MIT
// Folded names of NVTX ranges (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// A range that the program marked, or one that PyTorch's emit_nvtx() makes for each operator, with
// numbers that would make each a frame of its own:
//
//   aten::mm, seq = 12, op_id = 31, sizes = [[64, 64]]  aten::mm_[o]
//   FSDP::pre_forward (encoder), op_id = 7              FSDP::pre_forward (encoder)_[r]
//   step 7                                              step 7_[r]
struct NvtxFrame {
  std::string text;
  bool is_operator = false;
};
NvtxFrame nvtx_frame(std::string_view text);

}  // namespace aiflame
