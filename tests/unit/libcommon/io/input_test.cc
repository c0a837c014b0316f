// SPDX-License-Identifier: MIT
#include "libcommon/io/input.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "libcommon/base/program.h"
#include "tests/unit/libcommon/io/as_gzip.h"

namespace aiflame {
namespace {

std::string as_xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                          reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

std::string as_bzip2(const std::string& text) {
  std::string out(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                           static_cast<unsigned>(text.size()), 9, 0, 0);
  out.resize(size);
  return out;
}

// All bytes of an input, read in steps of so many; or the error.
std::string read_all(const std::string& bytes, size_t step, bool may_be_cut = false) {
  std::FILE* const file = std::tmpfile();
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fflush(file);
  std::rewind(file);
  std::string out;
  try {
    ByteSource source(dup(fileno(file)), "in");
    if (may_be_cut) source.accept_cut();
    std::string block(step, '\0');
    while (const size_t n = source.read(block.data(), step)) out.append(block, 0, n);
  } catch (const Error& error) {
    out = std::string("error: ") + error.what();
  }
  std::fclose(file);
  return out;
}

std::string utf16(const std::string& ascii) {
  std::string out = "\xff\xfe";
  for (const char c : ascii) out.append(1, c).push_back('\0');
  return out;
}

std::string long_text() {
  std::string out;
  for (unsigned i = 0; i < 30000; ++i) out += "main;f" + std::to_string(i * 7919 % 100003) + " 1\n";
  return out;
}

TEST(Input, CompressedAndEncodedTextIsTheText) {
  for (const std::string& text : {std::string(), std::string("a;b 1\n"), long_text()}) {
    for (const size_t step : {size_t{7}, size_t{1} << 16}) {
      EXPECT_EQ(read_all(as_gzip(text), step), text);
      EXPECT_EQ(read_all(as_xz(text), step), text);
      EXPECT_EQ(read_all(as_bzip2(text), step), text);
      EXPECT_EQ(read_all(utf16(text), step), text);
      EXPECT_EQ(read_all("\xef\xbb\xbf" + text, step), text);
      EXPECT_EQ(read_all(as_xz(utf16(text)), step), text);
      EXPECT_EQ(read_all(as_gzip("\xef\xbb\xbf" + text), step), text);
    }
  }
}

TEST(Input, MembersFollowOneAnother) {
  const std::string zeros(700, '\0');
  for (const auto& pack : {as_gzip, as_xz, as_bzip2}) {
    EXPECT_EQ(read_all(pack("a 1\n") + pack("b 2\n"), 64), "a 1\nb 2\n");
    if (pack == as_bzip2) continue;
    EXPECT_EQ(read_all(pack("a 1\n") + zeros, 64), "a 1\n");
    EXPECT_EQ(read_all(pack("a 1\n") + zeros + pack("b 2\n"), 64), "a 1\nb 2\n");
  }
  EXPECT_EQ(read_all(as_gzip("a 1\n") + std::string(200000, '\0') + as_gzip("b 2\n"), 64),
            "a 1\nb 2\n");
  EXPECT_EQ(read_all(as_gzip("a 1\n") + "what", 64), "error: in: incorrect header check");
  EXPECT_EQ(read_all(as_xz("a 1\n") + "what else is there", 64), "error: in: damaged xz data");
  EXPECT_EQ(read_all(as_bzip2("a 1\n") + "what", 64), "error: in: damaged bzip2 data");
}

// Each cut is an error, or is accepted; each changed byte gives the text or an error.
TEST(Input, DamagedBytes) {
  std::string text;
  for (unsigned i = 0; i < 40; ++i) text += "main;f" + std::to_string(i * 7919 % 101) + " 1\n";
  for (const auto& pack : {as_gzip, as_xz, as_bzip2}) {
    const std::string packed = pack(text);
    for (size_t cut = 12; cut < packed.size(); ++cut) {
      const std::string read = read_all(packed.substr(0, cut), 4096);
      EXPECT_EQ(read, "error: in: compressed data ends in the middle") << cut;
      EXPECT_TRUE(text.starts_with(read_all(packed.substr(0, cut), 4096, true))) << cut;
    }
    for (size_t at = 0; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      read_all(damaged, 4096);  // does not crash
    }
  }
  EXPECT_EQ(read_all(utf16("a 1\n") + "b", 64),
            "error: in: UTF-16 text ends in the middle of a character");
}

TEST(Input, XzThatNeedsTooMuchMemory) {
  lzma_options_lzma options;
  lzma_lzma_preset(&options, 0);
  options.dict_size = uint32_t{1} << 30;
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  // an encoder with that dictionary would need the memory, too: the header alone says it
  std::string packed = as_xz("a 1\n");
  uint8_t flags[8];
  ASSERT_EQ(lzma_properties_encode(filters, flags), LZMA_OK);
  // after the stream's header of 12 bytes: the size of the block's header in words, without one;
  // in it the filter's number, the size of its properties, and the one that says how large the
  // dictionary is; at the end a sum of it all
  const size_t size = (static_cast<size_t>(packed[12]) + 1) * 4, sum = 12 + size - 4;
  const size_t filter = packed.find("\x21\x01", 12);
  ASSERT_LT(filter, sum);
  packed[filter + 2] = static_cast<char>(flags[0]);
  const uint32_t crc =
      lzma_crc32(reinterpret_cast<const uint8_t*>(packed.data()) + 12, size - 4, 0);
  for (unsigned i = 0; i < 4; ++i) packed[sum + i] = static_cast<char>(crc >> (8 * i));
  EXPECT_EQ(read_all(packed, 64),
            "error: in: xz data that needs more than 128 MiB of memory to decompress");
}

}  // namespace
}  // namespace aiflame
