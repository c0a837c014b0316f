// SPDX-License-Identifier: MIT
#include "libcommon/symbols/embedded_symbols.h"

#include <gtest/gtest.h>
#include <lzma.h>

namespace aiflame {
namespace {

std::string compressed(const std::string& bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t used = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(9, LZMA_CHECK_CRC32, nullptr,
                                    reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                    reinterpret_cast<uint8_t*>(out.data()), &used, out.size()),
            LZMA_OK);
  out.resize(used);
  return out;
}

// As symbol tables are: names that repeat parts of each other.
std::string names(size_t bytes) {
  std::string out;
  for (unsigned i = 0; out.size() < bytes; ++i)
    out += "_ZN7aiflame" + std::to_string(i * 2654435761U) + "functionEv";
  return out;
}

TEST(EmbeddedSymbols, AreExpanded) {
  EXPECT_EQ(expand_embedded_symbols(compressed("symbols")), "symbols");
  const std::string many = names(5000000);
  EXPECT_EQ(expand_embedded_symbols(compressed(many)), many);
}

TEST(EmbeddedSymbols, DamagedSectionsAreEmpty) {
  const std::string good = compressed(names(2000));
  EXPECT_EQ(expand_embedded_symbols(""), "");
  EXPECT_EQ(expand_embedded_symbols("no xz"), "");
  for (size_t cut = 0; cut < good.size(); cut += 7)
    EXPECT_EQ(expand_embedded_symbols(good.substr(0, cut)), "") << cut;
  for (size_t at = 0; at < good.size(); at += 3) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(~damaged[at]);
    expand_embedded_symbols(damaged);  // ends, with whatever result
  }
}

// 100 MB of zeros are 15 kB.
TEST(EmbeddedSymbols, ABombIsEmpty) {
  EXPECT_EQ(expand_embedded_symbols(compressed(std::string(100000000, '\0'))), "");
}

}  // namespace
}  // namespace aiflame
