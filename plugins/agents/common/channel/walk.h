/* SPDX-License-Identifier: MIT
 *
 * The calling thread's native frames: the API function that the program entered, then its callers.
 * Frames of the agent and of the API's library are left out. Inline: every launch takes one.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/left_out.h"
#include "plugins/agents/common/unwind.h"

namespace aiflame::agent {

// The stack of a launch for whose walk there is no room: the API function alone. Where the launch
// is made is not known, so it is taken for one in a handler.
constexpr uint32_t kNotWalked = AGENT_CUT | kInHandler;
inline void set_not_walked(const void* api_function, Stack& out) {
  out.count = 1;
  out.flags = kNotWalked;
  out.frames[0] = reinterpret_cast<uint64_t>(api_function);
}

class Walk {
 public:
  // frames()[0] is `api_function`. `pointers`: room for kCapacity stack pointers, as for
  // walk_stack(), or null.
  void take(const void* api_function, uint64_t* pointers) {
    const int walked = walk_stack(room_ + 1, kCapacity, is_cut_, pointers, &in_handler_);
    first_ = 0;
    while (first_ < walked && is_left_out(room_[first_ + 1])) ++first_;
    room_[first_] = reinterpret_cast<uint64_t>(api_function);
    count_ = walked - first_ + 1;
    if (count_ > AGENT_MAX_NATIVE_FRAMES) {
      count_ = AGENT_MAX_NATIVE_FRAMES;
      is_cut_ = true;
    }
  }

  const uint64_t* frames() const { return room_ + first_; }
  uint32_t count() const { return static_cast<uint32_t>(count_); }
  // How many of walk_stack()'s frames were left out.
  int first() const { return first_; }
  bool is_cut() const { return is_cut_; }
  uint32_t flags() const {
    return (is_cut_ ? uint32_t{AGENT_CUT} : 0) | (in_handler_ ? kInHandler : 0);
  }

  static constexpr int kCapacity = AGENT_MAX_NATIVE_FRAMES + 6;

 private:
  uint64_t room_[kCapacity + 1];
  int first_ = 0, count_ = 0;
  bool is_cut_ = false, in_handler_ = false;
};

}  // namespace aiflame::agent
