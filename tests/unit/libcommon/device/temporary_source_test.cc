// SPDX-License-Identifier: MIT
#include "libcommon/device/temporary_source.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(TemporarySource, KnowsPoclsRandomNames) {
  EXPECT_TRUE(is_temporary_source("tempfile_81409D.cl"));
  EXPECT_TRUE(is_temporary_source("tempfile_zqKGMZ.cl"));
  for (const char* other : {"", "tempfile_.cl", "tempfile_81409.cl", "tempfile_81409DD.cl", "x",
                            "tempfile_8140;D.cl", "tempfile_81409D.so", "dir/tempfile_81409D.cl"})
    EXPECT_FALSE(is_temporary_source(other)) << other;
}

TEST(TemporarySource, AStableNameIsAsLongAndBeginsWithTheHash) {
  const std::string name = stable_source("MBEDIDOOJFECFHLDOBFHFNAMICDOBAANINKIF");
  EXPECT_EQ(name, "source_MBEDIDOO.cl");
  EXPECT_EQ(name.size(), kTemporarySourceBytes);
  EXPECT_TRUE(is_stable_source(name));
  EXPECT_FALSE(is_temporary_source(name));
  for (const char* other : {"source_mbedidoo.cl", "source_MBEDIDOQ.cl", "source_MBEDIDO.cl", ""})
    EXPECT_FALSE(is_stable_source(other)) << other;
}

}  // namespace
}  // namespace aiflame
