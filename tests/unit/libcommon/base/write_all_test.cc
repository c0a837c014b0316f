// SPDX-License-Identifier: MIT
#include "libcommon/base/write_all.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

#include "libcommon/base/descriptor.h"

namespace aiflame {
namespace {

struct Pipe {
  Descriptor in, out;
};

// Whose writing end does not block.
Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

TEST(WriteAll, WaitsWhereAPipeIsFullAndDoesNotBlock) {
  const Pipe ends = make_pipe();
  const std::string text(1 << 20, 'x');
  std::string got;
  std::thread reader([&] {
    std::string block(1 << 14, '\0');
    for (ssize_t n = 0; (n = read(ends.in.get(), block.data(), block.size())) > 0;) {
      got.append(block, 0, static_cast<size_t>(n));
      if (got.size() == text.size()) return;
    }
  });
  EXPECT_TRUE(write_all(ends.out.get(), text));
  reader.join();
  EXPECT_EQ(got, text);
}

TEST(WriteAll, TellsWhatWasNotWritten) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Pipe ends = make_pipe();
  ends.in.reset(-1);
  std::string_view rest = "text";
  EXPECT_FALSE(write_rest(ends.out.get(), rest));
  EXPECT_EQ(errno, EPIPE);
  EXPECT_EQ(rest, "text");
  EXPECT_FALSE(write_all(-1, "text"));
  EXPECT_EQ(errno, EBADF);
  EXPECT_TRUE(write_all(-1, ""));
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace aiflame
