// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/shapes.h"

#include <cstdint>

#include "libcommon/base/parse.h"

namespace aiflame::forecast {
namespace {

// More are no tensor of this world. They keep the products of sizes finite.
constexpr size_t kMostSizes = 12, kMostShapes = 4096;
constexpr double kMostElements = 1e18;

std::optional<Shape> parse_shape(std::string_view text) {
  Shape shape;
  double product = 1;
  for (;;) {
    const size_t end = text.find('x');
    const auto size = parse_number<uint64_t>(text.substr(0, end));
    if (!size || shape.size() == kMostSizes) return std::nullopt;
    shape.push_back(static_cast<double>(*size));
    product *= shape.back();
    if (product > kMostElements) return std::nullopt;
    if (end == std::string_view::npos) return shape;
    text.remove_prefix(end + 1);
  }
}

bool parse_shapes(std::string_view text, std::vector<Shape>& shapes) {
  for (;;) {
    const size_t end = text.find(", ");
    std::optional<Shape> shape = parse_shape(text.substr(0, end));
    if (!shape || shapes.size() == kMostShapes) return false;
    shapes.push_back(*std::move(shape));
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

}  // namespace

double elements(const Shape& shape) {
  double product = 1;
  for (const double size : shape) product *= size;
  return product;
}

std::optional<OperatorText> parse_operator(std::string_view frame) {
  OperatorText out;
  if (const size_t last = frame.rfind(' '); last != std::string_view::npos)
    if (const auto type = find_name(kDataTypeNames, frame.substr(last + 1))) {
      out.type = static_cast<DataType>(*type);
      frame = frame.substr(0, last);
    }
  constexpr std::string_view kArrow = " -> ";
  if (const size_t arrow = frame.find(kArrow); arrow != std::string_view::npos) {
    out.output = parse_shape(frame.substr(arrow + kArrow.size()));
    if (!out.output) return std::nullopt;
    frame = frame.substr(0, arrow);
  }
  // a name may hold blanks: the shapes begin behind the last blank that no comma precedes
  size_t blank = frame.rfind(' ');
  while (blank != std::string_view::npos && blank > 0 && frame[blank - 1] == ',')
    blank = frame.rfind(' ', blank - 1);
  if (blank == std::string_view::npos) return std::nullopt;
  out.name = frame.substr(0, blank);
  if (!parse_shapes(frame.substr(blank + 1), out.inputs)) return std::nullopt;
  return out;
}

}  // namespace aiflame::forecast
