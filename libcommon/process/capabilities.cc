// SPDX-License-Identifier: MIT
#include "libcommon/process/capabilities.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace aiflame {
namespace {

// A set takes two words of 32 bits. The kernel's structure has one of each set's words.
using Words = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

__user_cap_header_struct own_header() {
  return {_LINUX_CAPABILITY_VERSION_3, 0};
}

}  // namespace

bool is_capability_known(int capability) {
  return prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
}

std::optional<Capabilities> read_capabilities() {
  __user_cap_header_struct header = own_header();
  Words words{};
  if (syscall(SYS_capget, &header, words.data()) != 0) return std::nullopt;
  Capabilities out;
  for (size_t i = 0; i < words.size(); ++i) {
    out.effective |= uint64_t{words[i].effective} << (32 * i);
    out.permitted |= uint64_t{words[i].permitted} << (32 * i);
    out.inheritable |= uint64_t{words[i].inheritable} << (32 * i);
  }
  return out;
}

bool write_capabilities(const Capabilities& wanted) {
  __user_cap_header_struct header = own_header();
  Words words{};
  for (size_t i = 0; i < words.size(); ++i) {
    words[i].effective = static_cast<uint32_t>(wanted.effective >> (32 * i));
    words[i].permitted = static_cast<uint32_t>(wanted.permitted >> (32 * i));
    words[i].inheritable = static_cast<uint32_t>(wanted.inheritable >> (32 * i));
  }
  return syscall(SYS_capset, &header, words.data()) == 0;
}

bool is_capability_effective(int capability) {
  const std::optional<Capabilities> own = read_capabilities();
  return own && (own->effective & capability_bit(capability)) != 0;
}

ReserveCapability::ReserveCapability(int capability) : bit_(capability_bit(capability)) {
  std::optional<Capabilities> own = read_capabilities();
  if (!own || (own->permitted & bit_) == 0 || (own->effective & bit_) != 0) return;
  own->effective |= bit_;
  is_used_ = write_capabilities(*own);
}

ReserveCapability::~ReserveCapability() {
  if (!is_used_) return;
  std::optional<Capabilities> own = read_capabilities();
  if (!own) return;
  own->effective &= ~bit_;
  // taking a right from the effective set is always allowed; to go on with it is not
  if (!write_capabilities(*own)) std::abort();
}

}  // namespace aiflame
