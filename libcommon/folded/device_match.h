// SPDX-License-Identifier: MIT
// How device frames of two profiles find each other. Every rebuild of a kernel moves its
// instructions, so frames are compared by what they are, and not by where they are:
//
//   matmul;main;-;matmul.cl_[G];multiply_[G];mad_[G];mulss_[g];0x4f_[g]    is compared as
//   matmul;main;-;matmul.cl_[G];multiply_[G];mad_[G];mulss_[g]
//
//   …;send.ugm_[g];sbid_[g];waits for load at 0x70, matmul.cl:41_[g];0x90_[g]    as
//   …;send.ugm_[g];sbid_[g];waits for load, matmul.cl:41_[g]
//
//   …;multiply_[G];loop at 0x40_[G];mad_[g]    as    …;multiply_[G];loop_[G];mad_[g]
//
// Frames of the CPU stay as they are: so does all text without annotations of devices.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

enum class Match {
  structure,  // kernel, inlined functions, source line, mnemonic and reason
  offset,     // also by offset: right for two runs of the same code object
};

// "structure" or "offset". Throws UsageError, which names `--match`.
Match parse_match(std::string_view text);

// The annotations of frames of a device.
inline bool is_device_frame(std::string_view frame) {
  return frame.ends_with("_[g]") || frame.ends_with("_[G]");
}

// How frames of the levels `loop` and `producer` begin.
inline constexpr std::string_view kLoopAt = "loop at ", kWaitsFor = "waits for ";

// Whether a frame without its annotation is one of the level `offset`: "0x4f".
bool is_offset(std::string_view text);

// A frame as Match::structure compares it: the frame itself; or a text in `buffer`; or nothing,
// for an offset.
std::string_view structure_of_frame(std::string_view frame, std::string& buffer);

// A stack as Match::structure compares it: its beginning, without the last frames; or, where frames
// further up change as well, a text in `buffer`. Device frames are those at the end of the stack,
// up to the first frame that is none. A stack of nothing but offsets stays as it is.
std::string_view structure_of_stack(std::string_view stack, std::string& buffer);

}  // namespace aiflame
