// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/graph_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/csv_reader.h"
#include "tools/aiflame-forecast/operators.h"

namespace aiflame::forecast {
namespace {

// A value of Python: a text, a number, or a list or tuple of values. Nothing else occurs in graphs.
struct Value {
  bool is_list = false;
  std::string_view text;  // of a text or a number
  std::vector<Value> items;
};

struct Node {
  struct Call {
    std::string stack;
    Work work;
  };
  std::string name;
  std::vector<Call> calls;
};

class ValueParser {
 public:
  explicit ValueParser(std::string_view text) : rest_(text) {}

  // False where the text is not one value.
  bool parse(Value& value) { return parse_value(value, 0) && trim_left(rest_).empty(); }

 private:
  static constexpr int kDeepest = 8;
  static constexpr size_t kMostValues = 100000;  // a node of a model has some dozens

  bool parse_value(Value& value, int depth) {
    rest_ = trim_left(rest_);
    if (rest_.empty() || depth > kDeepest) return false;
    if (rest_.front() == '[') return parse_list(value, ']', depth);
    if (rest_.front() == '(') return parse_list(value, ')', depth);
    const bool quoted = rest_.front() == '\'';
    const size_t begin = quoted ? 1 : 0;
    const size_t end = quoted ? rest_.find('\'', 1) : rest_.find_first_of(",])");
    // an empty number would never end a list: "[)"
    if (quoted ? end == std::string_view::npos : end == 0) return false;
    value.text = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + begin);
    return true;
  }
  bool parse_list(Value& value, char close, int depth) {
    value.is_list = true;
    rest_.remove_prefix(1);
    for (;;) {
      rest_ = trim_left(rest_);
      if (rest_.empty()) return false;
      if (rest_.front() == close) {
        rest_.remove_prefix(1);
        return true;
      }
      if (++values_ > kMostValues || !parse_value(value.items.emplace_back(), depth + 1))
        return false;
      rest_ = trim_left(rest_);
      if (!rest_.empty() && rest_.front() == ',') rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  size_t values_ = 0;
};

std::optional<Shape> as_shape(const Value& value) {
  constexpr size_t kMostSizes = 12;
  constexpr double kMostElements = 1e18;
  if (!value.is_list || value.items.size() > kMostSizes) return std::nullopt;
  Shape shape;
  for (const Value& item : value.items) {
    const auto size = parse_number<uint64_t>(item.text);
    if (item.is_list || !size) return std::nullopt;
    shape.push_back(static_cast<double>(*size));
  }
  if (elements(shape) > kMostElements) return std::nullopt;
  return shape;
}

std::string shape_text(const Shape& shape) {
  std::string out;
  for (const double size : shape)
    out += (out.empty() ? "" : "x") + std::to_string(static_cast<uint64_t>(size));
  return out.empty() ? "1" : out;
}

class GraphReader {
 public:
  explicit GraphReader(ByteSource&& source) : csv_(std::move(source)) {}

  std::vector<Node> read() {
    std::vector<std::string_view> fields;
    if (!csv_.next(fields)) fail("no header");
    const CsvColumns columns(fields);
    const std::string place = csv_.place();
    const size_t name = columns.need("Name", place), inputs = columns.need("InputShapes", place),
                 output = columns.need("OutputShape", place);
    constexpr std::array<std::pair<const char*, const char*>, 3> kPasses = {
        {{"FwOps", "forward"}, {"BwOps", "backward"}, {"AccOps", "accumulate"}}};
    std::vector<Node> nodes;
    while (csv_.next(fields)) {
      if (fields.size() != columns.size()) fail("expected as many fields as the header has");
      if (nodes.size() == kMostNodes) fail("more than 100000 nodes");
      Node& node = nodes.emplace_back();
      node.name = frame_text(fields[name]);
      read_shapes(fields[inputs], fields[output]);
      for (const auto& [column, pass] : kPasses)
        read_operators(fields[columns.need(column, place)], pass, node);
    }
    return nodes;
  }

 private:
  static constexpr size_t kMostNodes = 100000;

  [[noreturn]] void fail(const std::string& what) const { throw Error(csv_.place() + ": " + what); }

  static std::string frame_text(std::string_view text) {
    std::string out = printable(text);
    std::replace(out.begin(), out.end(), ';', ':');
    return out;
  }

  void read_shapes(std::string_view inputs, std::string_view output) {
    Value list, one;
    inputs_.clear();
    if (!ValueParser(inputs).parse(list) || !list.is_list) fail("InputShapes is not a list");
    for (const Value& item : list.items) {
      std::optional<Shape> shape = as_shape(item);
      if (!shape) fail("InputShapes holds something that is not a shape");
      inputs_.push_back(*std::move(shape));
    }
    std::optional<Shape> shape;
    if (ValueParser(output).parse(one)) shape = as_shape(one);
    if (!shape) fail("OutputShape is not a shape");
    output_ = *std::move(shape);
  }

  // [['Linear', (4096, 1280, 3840)], ['MEM', ((4, 1024), (4, 1024, 1280))]]
  void read_operators(std::string_view text, const char* pass, Node& node) {
    Value list;
    if (!ValueParser(text).parse(list) || !list.is_list) fail("the operators are not a list");
    for (const Value& item : list.items) {
      if (!item.is_list || item.items.size() != 2 || item.items[0].is_list)
        fail("expected ['OPERATOR', (SIZES)]");
      add(std::string(item.items[0].text), item.items[1], pass, node);
    }
  }

  void add(const std::string& op, const Value& sizes, const char* pass, Node& node) {
    std::vector<Shape> shapes;
    std::optional<Shape> output;
    double per_element = 0;  // elements moved for one of the output
    if (!sizes.items.empty() && sizes.items[0].is_list) {
      for (const Value& one : sizes.items) shapes.push_back(shape(one));
    } else {
      const Shape all = shape(sizes);
      if (op == "Linear" && all.size() == 3) {
        shapes = {{all[0], all[1]}, {all[1], all[2]}};
      } else if (op == "BMM" && all.size() == 4) {
        shapes = {{all[0], all[1], all[2]}, {all[0], all[2], all[3]}};
      } else if (op.starts_with("VEC")) {
        // what the node reads for an element that it writes; sizes are of the output
        double read = 0;
        for (const Shape& input : inputs_) read += elements(input);
        per_element = 1 + read / std::max(1.0, elements(output_));
        if (elements(all) == elements(output_)) {
          shapes = inputs_;
          output = output_;
        } else {
          shapes = {all};
        }
      } else {
        shapes = {all};
      }
      if (per_element > 0) node.calls.push_back(vector_call(op, all, per_element));
    }
    std::string text = op;
    for (const Shape& one : shapes) text += (&one == shapes.data() ? " " : ", ") + shape_text(one);
    if (output) text += " -> " + shape_text(*output);
    if (per_element == 0) {
      const OperatorText parsed{op, shapes, output};
      node.calls.push_back({{}, work_of(parsed, DataType::fp32)});
    }
    node.calls.back().stack =
        std::string(pass) + ";" + node.name + "_[m];" + frame_text(text) + "_[o]";
  }

  static Node::Call vector_call(const std::string& op, const Shape& sizes, double per_element) {
    Work work;
    work.family = op == "VECsoftmax" ? Family::softmax : op == "VECln" ? Family::ln : Family::elem;
    work.operations = operations_per_element(work.family) * elements(sizes);
    work.bytes = kBytes[static_cast<size_t>(DataType::fp32)] * per_element * elements(sizes);
    return {{}, work};
  }

  Shape shape(const Value& value) const {
    std::optional<Shape> out = as_shape(value);
    if (!out) fail("expected sizes, (4096, 1280)");
    return *std::move(out);
  }

  CsvReader csv_;
  std::vector<Shape> inputs_;
  Shape output_;
};

bool is_of_layer(const Node& node) {
  const auto has = [&](std::string_view part) { return node.name.find(part) != std::string::npos; };
  return has("_h_0_") || has("layer_0_") || has("layers_0_");
}

// The nodes that each layer repeats: from the first that is named after the layer to the last, and
// the residual sum behind it.
std::pair<size_t, size_t> layer_of(const std::vector<Node>& nodes) {
  const auto first = std::find_if(nodes.begin(), nodes.end(), is_of_layer);
  const auto last = std::find_if(nodes.rbegin(), nodes.rend(), is_of_layer);
  if (first == nodes.end()) return {0, 0};
  size_t end = static_cast<size_t>(nodes.rend() - last);
  for (; end < nodes.size(); ++end) {
    const std::string& name = nodes[end].name;
    if (!name.starts_with("add") && !name.starts_with("dropout")) break;
  }
  return {static_cast<size_t>(first - nodes.begin()), end};
}

}  // namespace

void read_graph(ByteSource&& source, uint64_t layers, const TakeWork& take) {
  const std::string name = source.name();
  const std::vector<Node> nodes = GraphReader(std::move(source)).read();
  const auto [begin, end] = layer_of(nodes);
  if (layers > 1 && begin == end)
    throw Error(name +
                ": no node of a layer, such as transformer_h_0_ln_1, for --layers to repeat");
  for (size_t i = 0; i < nodes.size(); ++i) {
    const double calls = i >= begin && i < end ? static_cast<double>(layers) : 1;
    for (const Node::Call& call : nodes[i].calls) take(call.stack, calls, call.work);
  }
}

}  // namespace aiflame::forecast
