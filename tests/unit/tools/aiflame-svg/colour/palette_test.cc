// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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

TEST(Palette, IdleTimeAndItsCausesAreOneFamily) {
  std::map<std::string, Colour> colours;
  for (const char* frame :
       {"[gpu idle]", "[host waits for the device]", "[host copies]", "[launch latency]",
        "[in the runtime]", "[host busy]", "[host function]", "[untraced]"}) {
    EXPECT_EQ(layer_of(frame), Layer::idle) << frame;
    EXPECT_TRUE(is_ai_frame(frame)) << frame;
    const Colour one = colour("aiflame", frame);
    EXPECT_TRUE(is_dark(one)) << frame;
    // brown: red before green before blue
    EXPECT_TRUE(one.red > one.green && one.green >= one.blue) << frame;
    for (const auto& [other, its] : colours) EXPECT_NE(one, its) << frame << " " << other;
    colours[frame] = one;
  }
  for (const char* frame : {"[exposed]", "[unknown]", "idle"}) EXPECT_EQ(layer_of(frame), Layer::c);
}

TEST(Palette, Layers) {
  EXPECT_EQ(layer_of("send.ugm_[g]"), Layer::instruction);
  EXPECT_EQ(layer_of("0x448_[g]"), Layer::offset);
  EXPECT_EQ(layer_of("waits for send.ugm at 0x70_[g]"), Layer::offset);
  EXPECT_EQ(layer_of("0x_[g]"), Layer::instruction);
  EXPECT_EQ(layer_of("0x448"), Layer::c);
  EXPECT_EQ(layer_of("matmul.cl_[G]"), Layer::device_source);
  EXPECT_EQ(layer_of("do_syscall_64_[k]"), Layer::kernel);
  EXPECT_EQ(layer_of("aten::mm_[o]"), Layer::framework_operator);
  EXPECT_EQ(layer_of("Linear_3_[m]"), Layer::model_module);
  EXPECT_EQ(layer_of("a::forward_[r]"), Layer::marked_range);
  EXPECT_EQ(layer_of("std::sort"), Layer::cpp);
  EXPECT_EQ(layer_of("std::sort_[k]"), Layer::kernel);
  EXPECT_EQ(layer_of("py::forward:model.py:88"), Layer::python);
  EXPECT_EQ(layer_of("main"), Layer::c);
  EXPECT_EQ(layer_of("-"), Layer::boundary);
}

TEST(Palette, FramesOfAiFlameGraphs) {
  for (const char* name : {"mov_[g]", "k_[G]", "aten::mm_[o]", "Linear_3_[m]", "step_[r]"})
    EXPECT_TRUE(is_ai_frame(name)) << name;
  for (const char* name : {"", "-", "main", "py::f", "a_[k]", "a_[i]", "a_[j]", "a_[w]", "a_[x]"})
    EXPECT_FALSE(is_ai_frame(name)) << name;
}

// How far one is from white, as HSL has it: 0 to 255.
int lightness(Colour colour) {
  const auto [least, most] = std::minmax({colour.red, colour.green, colour.blue});
  return (least + most) / 2;
}

TEST(Palette, AiflameIsFlatButForTheNames) {
  Palette palette = *Palette::find("aiflame");
  palette.set_reasons({{"sbid_[g]", find_stall_reason("sbid")}, {"odd_[g]", nullptr}});
  for (const auto& [name, base] :
       std::map<const char*, Colour>{{"send.ugm_[g]", {0xa9, 0xdb, 0x9b}},
                                     {"0x448_[g]", {0xdc, 0xef, 0xd6}},
                                     {"matmul.cl_[G]", {0x8c, 0xcf, 0xd6}},
                                     {"ksys_read_[k]", {0xf0, 0xc4, 0x8a}},
                                     {"aten::mm_[o]", {0xcb, 0xb0, 0xf5}},
                                     {"Linear_3_[m]", {0xa3, 0xc4, 0xf7}},
                                     {"step_[r]", {0xc2, 0xba, 0x9c}},
                                     {"py::forward", {0xef, 0xba, 0xd3}},
                                     {"std::sort", {0xea, 0xd9, 0x8f}},
                                     {"main", {0xed, 0xb8, 0xae}},
                                     {"sbid_[g]", {0x9c, 0x2a, 0x6b}},
                                     {"odd_[g]", {0x54, 0x60, 0x6f}}}) {
    const Colour colour = palette.colour(name);
    EXPECT_NEAR(lightness(colour), lightness(base), 0.04 * 255) << name;
    EXPECT_NEAR(colour.red, base.red, 10) << name;
    EXPECT_NEAR(colour.green, base.green, 10) << name;
    EXPECT_NEAR(colour.blue, base.blue, 10) << name;
  }
  EXPECT_EQ(palette.colour("-"), (Colour{0xd3, 0xd7, 0xdd}));
  EXPECT_NE(palette.colour("f"), palette.colour("g"));
  palette.set("sbid_[g]", {1, 2, 3});
  EXPECT_EQ(palette.colour("sbid_[g]"), (Colour{1, 2, 3}));
}

// Whatever a name is, the text of its layer has one colour.
TEST(Palette, ReasonsAndIdleTimeAreDarkAndOtherLayersLight) {
  for (int i = 0; i <= 100; ++i) {
    const double value = std::min(i / 100.0, 0.9999);
    for (size_t k = 0; k < StallReason::kCategories; ++k)
      EXPECT_TRUE(is_dark(varied(reason_colour(static_cast<StallReason::Category>(k)), value)));
    for (int k = 0; k < kLayers; ++k)
      EXPECT_EQ(is_dark(varied(layer_colour(static_cast<Layer>(k)), value)),
                static_cast<Layer>(k) == Layer::idle);
  }
}

TEST(Palette, ClassicAiflameIsMadeOfRamps) {
  Palette palette = *Palette::find("aiflame");
  palette.make_classic();
  palette.set_reasons({{"sbid_[g]", find_stall_reason("sbid")}});
  const auto expect = [&](const char* frame, const char* ramp) {
    EXPECT_EQ(palette.colour(frame), colour(ramp, frame)) << frame;
  };
  expect("send.ugm_[g]", "green");
  expect("sbid_[g]", "green");
  expect("0x10_[g]", "green");
  expect("matmul.cl_[G]", "aqua");
  expect("do_syscall_64_[k]", "orange");
  expect("aten::mm_[o]", "purple");
  expect("Linear_3_[m]", "blue");
  expect("step_[r]", "mem");
  expect("std::sort", "yellow");
  expect("main", "red");
  EXPECT_EQ(palette.colour("-"), (Colour{200, 200, 200}));
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
