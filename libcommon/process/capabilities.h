// SPDX-License-Identifier: MIT
// Capabilities of the calling thread, as sets of bits: capabilities(7).
#pragma once

#include <linux/capability.h>

#include <cstdint>
#include <optional>

namespace aiflame {

// <linux/capability.h> of older kernels lacks these.
constexpr int kCapPerfmon = 38;            // Linux 5.8
constexpr int kCapCheckpointRestore = 40;  // Linux 5.9

struct Capabilities {
  uint64_t effective = 0, permitted = 0, inheritable = 0;
};

constexpr uint64_t capability_bit(int capability) {
  return uint64_t{1} << capability;
}

// Whether this kernel knows the capability.
bool is_capability_known(int capability);

// Nothing where the kernel does not tell.
std::optional<Capabilities> read_capabilities();

// False where the kernel refuses: a thread can give its capabilities up, and cannot get more.
[[nodiscard]] bool write_capabilities(const Capabilities& wanted);

// Whether the thread uses the capability now.
bool is_capability_effective(int capability);

// A permitted capability that is not effective is in reserve. Makes it effective until the end of
// this object's life; does nothing for one that is effective already or not permitted.
class ReserveCapability {
 public:
  explicit ReserveCapability(int capability);
  ~ReserveCapability();
  ReserveCapability(const ReserveCapability&) = delete;
  ReserveCapability& operator=(const ReserveCapability&) = delete;

  // Whether it was in reserve.
  bool is_used() const { return is_used_; }

 private:
  uint64_t bit_;
  bool is_used_ = false;
};

}  // namespace aiflame
