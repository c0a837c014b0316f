// SPDX-License-Identifier: MIT
#include "plugins/agents/common/operation_name.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::agent {
namespace {

std::string name(const char* what, const char* detail, uint64_t size) {
  const OperationName made(what, detail, size);
  EXPECT_EQ(made.bytes(), std::string(made.text()).size());
  return made.text();
}

TEST(OperationName, SaysWhatIsKnown) {
  EXPECT_EQ(name("Memset", "", 0), "Memset");
  EXPECT_EQ(name("Memset", "", 4095), "Memset (under 4 KiB)");
  EXPECT_EQ(name("Memcpy HtoD", "", 4096), "Memcpy HtoD (4 to 64 KiB)");
  EXPECT_EQ(name("Memcpy DtoH", "map", 65536), "Memcpy DtoH (map, 64 KiB to 1 MiB)");
  EXPECT_EQ(name("Memcpy", "Pageable -> Device", 0), "Memcpy (Pageable -> Device)");
  EXPECT_EQ(name("Memcpy", "", 1 << 20), "Memcpy (1 to 16 MiB)");
  EXPECT_EQ(name("Memcpy", "", 16 << 20), "Memcpy (16 to 256 MiB)");
  EXPECT_EQ(name("Memcpy", "", UINT64_MAX), "Memcpy (256 MiB and more)");
  EXPECT_EQ(name(std::string(200, 'x').c_str(), "", 1).size(), 95u);
}

}  // namespace
}  // namespace aiflame::agent
