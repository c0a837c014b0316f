// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/svg.h"

#include <gtest/gtest.h>

#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

struct Line {
  const char* stack;
  uint64_t count;
};

std::string svg(const std::vector<Line>& lines, const Drawing& drawing = {},
                const char* palette = "hot") {
  StackSorter sorter;
  for (const Line& line : lines) sorter.add(line.stack, line.count);
  const FlameTree tree = merged_tree(std::move(sorter));
  std::string out;
  Palette colours = *Palette::find(palette);
  colours.set_reasons(find_reason_names(tree));
  write_svg(tree, colours, drawing, [&](std::string_view text) { out += text; });
  return out;
}

// Shows the text where an expectation fails.
testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess() << "'" << part << "' is in\n" << text;
  return testing::AssertionFailure() << "'" << part << "' is not in\n" << text;
}

TEST(Svg, FramesStandWhereFlamegraphPlPutsThem) {
  const std::string out = svg({{"a;b", 1}, {"a;c", 3}}, Drawing());
  EXPECT_TRUE(has(out, "<svg version=\"1.1\" width=\"1200\" height=\"118\""));
  EXPECT_TRUE(has(out,
                  "<title>all (4 samples, 100%)</title><rect x=\"10.0\" y=\"69\" "
                  "width=\"1180.0\" height=\"15.0\" fill=\"rgb(213,39,9)\" rx=\"2\" ry=\"2\"/>"
                  "<text fill=\"rgb(255,255,255)\" x=\"13.00\" y=\"79.5\">all</text>"));
  EXPECT_TRUE(has(out,
                  "<title>c (3 samples, 75.00%)</title><rect x=\"305.0\" y=\"37\" "
                  "width=\"885.0\""));
}

TEST(Svg, Inverted) {
  Drawing drawing;
  drawing.inverted = true;
  EXPECT_TRUE(has(svg({{"a", 1}}, drawing),
                  "<title>a (1 samples, 100.00%)</title><rect x=\"10.0\" "
                  "y=\"52\""));
  drawing.subtitle = "below";  // frames make room for it
  EXPECT_TRUE(has(svg({{"a", 1}}, drawing), "y=\"76\""));
}

TEST(Svg, CountsThatAreFractions) {
  Drawing drawing;
  drawing.decimals = 3;
  EXPECT_TRUE(has(svg({{"a", 156}, {"b", 1234500}}, drawing), "a (0.156 samples, 0.01%)"));
  EXPECT_TRUE(has(svg({{"a", 156}, {"b", 1234500}}, drawing), "b (1,234.5 samples, 99.99%)"));
}

TEST(Svg, FactorIsOnlyShown) {
  Drawing drawing;
  drawing.factor = 1000;
  EXPECT_TRUE(has(svg({{"a", 3}, {"b", 1}}, drawing), "a (3,000 samples, 75.00%)"));
}

TEST(Svg, AnnotationsAreForColour) {
  const std::string out = svg({{"read_[k]", 1}}, {}, "aiflame");
  EXPECT_TRUE(has(out, "data-a=\"_[k]\"><title>read (1 samples"));
}

TEST(Svg, LegendHasTheLayersThatArePresent) {
  Drawing drawing;
  drawing.legend = true;
  const std::string out = svg({{"main;-;k_[G]", 1}}, drawing, "aiflame");
  EXPECT_TRUE(has(out, ">device source</text>"));
  EXPECT_TRUE(has(out, ">boundary</text>"));
  EXPECT_FALSE(has(out, ">Python</text>"));
}

TEST(Svg, LegendNamesReasonsAndOffsets) {
  Drawing drawing;
  drawing.legend = drawing.ai = drawing.hatches_boundary = true;
  const std::vector<Line> lines = {{"main;-;k_[G];mov_[g];sbid_[g];0x10_[g]", 1}};
  const std::string out = svg(lines, drawing, "aiflame");
  EXPECT_TRUE(has(out, "fill=\"rgb(220,239,214)\""));
  EXPECT_TRUE(has(out, ">offsets</text>"));
  EXPECT_TRUE(has(out, ">reasons:</text>"));
  EXPECT_TRUE(has(out, ">memory</text>"));
  EXPECT_FALSE(has(out, ">fetch</text>"));
  EXPECT_TRUE(has(out, "fill=\"url(#boundary)\""));
}

TEST(Svg, TheBoundarySaysWhatIsOnEitherSide) {
  Drawing drawing;
  drawing.ai = true;
  const auto label = [&] { return svg({{"main;-;k_[G]", 1}}, drawing, "aiflame"); };
  EXPECT_TRUE(has(label(), ">GPU above / CPU below</text>"));
  drawing.inverted = true;
  EXPECT_TRUE(has(label(), ">CPU above / GPU below</text>"));
  drawing.reversed = true;
  EXPECT_TRUE(has(label(), ">GPU above / CPU below</text>"));
  drawing.width = 140;  // no room
  EXPECT_TRUE(has(label(), ">-</text>"));
  drawing.ai = false;
  drawing.width = 1200;
  EXPECT_TRUE(has(label(), ">-</text>"));
}

TEST(Svg, HasATitle) {
  Drawing drawing;
  drawing.title = "A < B";
  EXPECT_TRUE(has(svg({{"a", 1}}, drawing), "data-row=\"16\">\n<title>A &lt; B</title>\n"));
}

TEST(Svg, ForeignTextIsEscaped) {
  Drawing drawing;
  drawing.title = "<script>1</script>";
  drawing.subtitle = "a & b";
  drawing.count_name = "\"<x>\"";
  drawing.name_type = "\" onload=\"alert(1)";
  drawing.notes = "--><x>--";
  drawing.font.family = "x; } </style><script>";
  const std::string out = svg({{"</title><script>alert(1)</script>", 1}}, drawing);
  EXPECT_TRUE(has(out, "<!-- NOTES: - -><x>- -  -->"));
  // the only script is ours
  EXPECT_EQ(out.find("<script"), out.rfind("<script>\n<![CDATA["));
  EXPECT_FALSE(has(out, "onload=\"alert"));
  EXPECT_FALSE(has(out, "</style><"));
}

}  // namespace
}  // namespace aiflame::svg
