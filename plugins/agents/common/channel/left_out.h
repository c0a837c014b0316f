/* SPDX-License-Identifier: MIT
 *
 * The code whose frames are left out at the top of a stack: the agent's, the API library's, and
 * that of the libraries between the two (leave_out() of channel.h).
 */
#pragma once

#include <atomic>
#include <cstdint>

namespace aiflame::agent {

// Where the code of one object lies.
struct Text {
  uint64_t start = 0, end = 0;
  bool holds(uint64_t pc) const { return pc >= start && pc < end; }
};

// The object that `address` lies in; empty if there is none.
Text text_around(const void* address);

inline Text own_text;  // the agent's
inline Text api_text;  // the API library's
constexpr int kMaxLeftOut = 4;
inline Text left_out[kMaxLeftOut];
inline std::atomic<int> left_out_count{0};

// `frame` is a return address.
inline bool is_left_out(uint64_t frame) {
  if (own_text.holds(frame - 1) || api_text.holds(frame - 1)) return true;
  const int count = left_out_count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i)
    if (left_out[i].holds(frame - 1)) return true;
  return false;
}

}  // namespace aiflame::agent
