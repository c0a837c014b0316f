// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/palette.h"

#include <gtest/gtest.h>

#include <ostream>

#include "tools/aiflame-svg/colour/layer.h"

namespace aiflame::svg {

void PrintTo(const Colour& colour, std::ostream* out) {
  *out << "rgb(" << int{colour.red} << "," << int{colour.green} << "," << int{colour.blue} << ")";
}

namespace {

Colour colour(const char* palette, const char* frame, Shade shade = Shade::name) {
  return Palette::find(palette, shade)->colour(frame);
}
// Expects that `palette` colours `frame` from `ramp`.
void expect_ramp(const char* palette, const char* frame, const char* ramp) {
  EXPECT_EQ(colour(palette, frame), colour(ramp, frame)) << palette << " " << frame;
}

// flamegraph.pl's own colours.
TEST(Palette, ByName) {
  EXPECT_EQ(colour("hot", "ab"), (Colour{253, 224, 53}));
  EXPECT_EQ(colour("hot", "ba"), (Colour{253, 224, 53}));
  EXPECT_EQ(colour("hot", "main"), (Colour{243, 179, 42}));
  EXPECT_EQ(colour("hot", ""), (Colour{213, 39, 9}));
}

TEST(Palette, ByHash) {
  EXPECT_EQ(colour("hot", "main", Shade::hash), (Colour{247, 83, 46}));
  EXPECT_EQ(colour("hot", "_start_[k]", Shade::hash), (Colour{236, 139, 34}));
  // read forwards, the hash ignores the module prefix; read backwards, it does not
  EXPECT_EQ(colour("red", "libc`main", Shade::hash), colour("red", "main", Shade::hash));
}

TEST(Palette, RandomIsTheSameOnEveryRun) {
  const Palette palette = *Palette::find("hot", Shade::scrambled);
  EXPECT_EQ(palette.colour("a"), palette.colour("a"));
  // neither the sum of the characters nor the first ones decide
  EXPECT_NE(palette.colour("abc"), palette.colour("cba"));
  EXPECT_NE(palette.colour("abcdefgh"), palette.colour("abcdefgi"));
}

TEST(Palette, Unknown) {
  EXPECT_FALSE(Palette::find("pinkish"));
  EXPECT_FALSE(Palette::find(""));
}

TEST(Palette, Layers) {
  expect_ramp("aiflame", "send.ugm_[g]", "green");
  expect_ramp("aiflame", "matmul.cl_[G]", "aqua");
  expect_ramp("aiflame", "do_syscall_64_[k]", "orange");
  expect_ramp("aiflame", "std::sort", "yellow");
  expect_ramp("aiflame", "std::sort_[k]", "orange");
  expect_ramp("aiflame", "main", "red");
  EXPECT_EQ(layer_of("py::forward:model.py:88"), Layer::python);
  EXPECT_EQ(colour("aiflame", "-"), (Colour{200, 200, 200}));
  EXPECT_EQ(colour("java", "--"), (Colour{160, 160, 160}));
}

TEST(Palette, Java) {
  expect_ramp("java", "Ljava/lang/Thread:::run_[j]", "green");
  expect_ramp("java", "org/mozilla::x_[i]", "aqua");
  expect_ramp("java", "Lio/netty/Channel", "green");
  expect_ramp("java", "Interpreter:::x", "green");
  expect_ramp("java", "JavaThread::run", "yellow");
  expect_ramp("java", "read_[k]", "orange");
  expect_ramp("java", "read", "red");
}

TEST(Palette, PerlAndJs) {
  expect_ramp("perl", "Perl_pp_sort", "green");
  expect_ramp("perl", "x.pl", "green");
  expect_ramp("perl", "A::b", "yellow");
  expect_ramp("js", "LazyCompile:~f /srv/x.js:1_[j]", "green");
  expect_ramp("js", "LazyCompile:~f_[j]", "aqua");
  expect_ramp("js", "v8::Run", "yellow");
  expect_ramp("js", "f /srv/x.js", "green");
  expect_ramp("js", "a:b", "aqua");
  expect_ramp("js", " ", "green");
  expect_ramp("js", "read_[k]", "orange");
}

TEST(Palette, Chain) {
  expect_ramp("chain", "c_[w]", "aqua");
  expect_ramp("chain", "a", "blue");
}

TEST(Palette, Difference) {
  EXPECT_EQ(difference_colour(5, 5, 9, false), (Colour{255, 255, 255}));
  EXPECT_EQ(difference_colour(0, 9, 9, false), (Colour{255, 0, 0}));
  EXPECT_EQ(difference_colour(9, 0, 9, false), (Colour{0, 0, 255}));
  EXPECT_EQ(difference_colour(0, 9, 9, true), (Colour{0, 0, 255}));
  EXPECT_EQ(difference_colour(0, 5, 10, false), (Colour{255, 105, 105}));
  EXPECT_EQ(difference_colour(0, UINT64_MAX, UINT64_MAX, false), (Colour{255, 0, 0}));
}

}  // namespace
}  // namespace aiflame::svg
