// SPDX-License-Identifier: MIT
#include "libcommon/process/capabilities.h"

#include <gtest/gtest.h>

#include <thread>

namespace aiflame {
namespace {

// Capabilities are a thread's, so these are gone with it. False when it has not got CAP_SYS_ADMIN.
template <typename Function>
bool in_thread_with_reserve(Function&& function) {
  bool has = false;
  std::thread([&] {
    std::optional<Capabilities> own = read_capabilities();
    const uint64_t admin = capability_bit(CAP_SYS_ADMIN);
    has = own && (own->permitted & admin) != 0;
    if (!has) return;
    own->effective &= ~admin;
    ASSERT_TRUE(write_capabilities(*own));
    function();
  }).join();
  return has;
}

TEST(Capabilities, AReserveIsEffectiveForALifetime) {
  if (!in_thread_with_reserve([] {
        ASSERT_FALSE(is_capability_effective(CAP_SYS_ADMIN));
        const Capabilities before = *read_capabilities();
        {
          const ReserveCapability admin(CAP_SYS_ADMIN);
          EXPECT_TRUE(admin.is_used());
          EXPECT_TRUE(is_capability_effective(CAP_SYS_ADMIN));
          // the inner one must not end the outer one's use
          { EXPECT_FALSE(ReserveCapability(CAP_SYS_ADMIN).is_used()); }
          EXPECT_TRUE(is_capability_effective(CAP_SYS_ADMIN));
        }
        EXPECT_EQ(read_capabilities()->effective, before.effective);
        EXPECT_EQ(read_capabilities()->permitted, before.permitted);
      }))
    GTEST_SKIP() << "this user has no CAP_SYS_ADMIN";
}

TEST(Capabilities, WhatIsGivenUpIsNoReserve) {
  std::thread([] {
    ASSERT_TRUE(write_capabilities({}));
    EXPECT_FALSE(ReserveCapability(CAP_SYS_ADMIN).is_used());
    EXPECT_EQ(read_capabilities()->permitted, 0U);
    EXPECT_FALSE(write_capabilities({0, capability_bit(kCapPerfmon), 0}));
  }).join();
}

TEST(Capabilities, TheKernelKnowsThoseBelowItsLast) {
  EXPECT_TRUE(is_capability_known(CAP_SYS_ADMIN));
  EXPECT_FALSE(is_capability_known(63));
}

}  // namespace
}  // namespace aiflame
