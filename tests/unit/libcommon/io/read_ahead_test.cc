// SPDX-License-Identifier: MIT
#include "libcommon/io/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// Bytes that can be told apart, a few at a time.
class Numbers {
 public:
  explicit Numbers(size_t size) : size_(size) {}
  static char at(size_t place) { return static_cast<char>(place * 7 + place / 251); }
  size_t read(char* data, size_t size) {
    const size_t n = std::min({size, size_t{1000}, size_ - done_});
    for (size_t i = 0; i < n; ++i) data[i] = at(done_ + i);
    done_ += n;
    return n;
  }

 private:
  size_t size_, done_ = 0;
};

TEST(ReadAhead, ReadsTheSameBytes) {
  for (const size_t size : {size_t{0}, size_t{5}, size_t{256} << 10, size_t{3} << 20}) {
    Numbers numbers(size);
    ReadAhead ahead([&](char* data, size_t most) { return numbers.read(data, most); });
    std::string bytes, part(77777, '\0');
    while (const size_t n = ahead.read(part.data(), part.size())) bytes.append(part, 0, n);
    ASSERT_EQ(bytes.size(), size);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(bytes[i], Numbers::at(i)) << i;
    EXPECT_EQ(ahead.read(part.data(), part.size()), 0u);
  }
}

TEST(ReadAhead, ThrowsWhatReadThrewAfterTheBytesBefore) {
  Numbers numbers(400000);
  ReadAhead ahead([&](char* data, size_t most) {
    const size_t n = numbers.read(data, most);
    if (n == 0) throw Error("damaged");
    return n;
  });
  size_t size = 0;
  std::string part(100000, '\0');
  try {
    for (;;) size += ahead.read(part.data(), part.size());
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "damaged");
  }
  EXPECT_EQ(size, 400000u);
}

TEST(ReadAhead, CanBeDroppedBeforeTheEnd) {
  Numbers numbers(size_t{100} << 20);
  ReadAhead ahead([&](char* data, size_t most) { return numbers.read(data, most); });
  char byte = 0;
  EXPECT_EQ(ahead.read(&byte, 1), 1u);
}

}  // namespace
}  // namespace aiflame
