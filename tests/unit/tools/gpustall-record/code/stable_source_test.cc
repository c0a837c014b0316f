// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/stable_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace aiflame::record {
namespace {

constexpr const char* kName = "source_MBEDIDOO.cl";

// Reads `text`, at most 5 bytes at a time.
ObjectReader reader_of(const std::string& text) {
  return [text](uint64_t offset, char* to, size_t bytes) -> size_t {
    if (offset >= text.size()) return 0;
    const size_t size = std::min({bytes, text.size() - static_cast<size_t>(offset), size_t{5}});
    std::memcpy(to, text.data() + offset, size);
    return size;
  };
}

std::string read_all(const ObjectReader& reader, size_t step) {
  std::string out, block(step, '\0');
  while (const size_t size = reader(out.size(), block.data(), step)) out.append(block, 0, size);
  return out;
}

TEST(StableSource, TheFolderOfAnObjectNamesItsProgram) {
  const std::string hash = "MBEDIDOOJFECFHLDOBFHFNAMICDOBAANINKIF";
  EXPECT_EQ(stable_source_name("/home/u/.cache/pocl/kcache/JI/" + hash + "/scale/16-1-1/scale.so"),
            kName);
  for (const std::string& other :
       {std::string(), std::string("/"), "/c/JI/" + hash.substr(0, 29) + "/w.so",
        "/JI/" + hash + "x", "/c/ji/" + hash + "/w.so", "/c/JIJ/" + hash + "/w.so",
        std::string("/c/_UNCACHED_JIv6zB/scale/16-1-1/scale.so")})
    EXPECT_EQ(stable_source_name(other), "") << other;
}

TEST(StableSource, NamesAreReplacedWhereverAReadBeginsOrEnds) {
  const std::string before = "tempfile_81409D.cl", inside = std::string("\0a ", 3) + before + "\n";
  const std::string text = before + before + inside + "tempfile_81409.cl tempfile_" + before + "t";
  const std::string expected = std::string(kName) + kName + std::string("\0a ", 3) + kName +
                               "\ntempfile_81409.cl tempfile_" + kName + "t";
  for (size_t step = 1; step <= text.size() + 1; ++step)
    EXPECT_EQ(read_all(with_source_name(reader_of(text), kName), step), expected) << step;
}

TEST(StableSource, ACutNameStaysAsItIs) {
  EXPECT_EQ(read_all(with_source_name(reader_of("x tempfile_81409D.c"), kName), 64),
            "x tempfile_81409D.c");
  EXPECT_EQ(read_all(with_source_name(reader_of(""), kName), 64), "");
}

}  // namespace
}  // namespace aiflame::record
