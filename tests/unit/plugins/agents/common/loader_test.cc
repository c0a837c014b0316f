// SPDX-License-Identifier: MIT
#include "plugins/agents/common/loader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace aiflame::agent {
namespace {

uint64_t number(const void* address) {
  return reinterpret_cast<uint64_t>(address);
}

TEST(Loader, ObjectsAreFoundAlikeWithAnOldLibrary) {
  static const char constant = 0;
  const int local = 0;
  const void* of_libraries[] = {dlsym(RTLD_DEFAULT, "malloc"), dlsym(RTLD_DEFAULT, "inflate"),
                                dlsym(RTLD_DEFAULT, "dlopen"), &constant,
                                reinterpret_cast<const void*>(&number)};
  for (const void* address : of_libraries) {
    LoadedObject now, old;
    ASSERT_TRUE(find_loaded_object(number(address), now)) << address;
    ASSERT_TRUE(search_loaded_objects(number(address), old)) << address;
    EXPECT_EQ(old.begin, now.begin);
    EXPECT_EQ(old.eh_frame_hdr, now.eh_frame_hdr);
    EXPECT_LE(old.begin, number(address));
    EXPECT_GT(old.end, number(address));
  }
  for (const void* address :
       {static_cast<const void*>(&local), static_cast<const void*>(nullptr)}) {
    LoadedObject found;
    EXPECT_FALSE(find_loaded_object(number(address), found));
    EXPECT_FALSE(search_loaded_objects(number(address), found));
  }
}

TEST(Loader, TheMainStackBeginsAboveThisFrame) {
  const int local = 0;
  EXPECT_GT(main_stack_begin(), number(&local));
  EXPECT_LT(main_stack_begin() - number(&local), uint64_t{8} << 20);
}

}  // namespace
}  // namespace aiflame::agent
