// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/graph_file.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/csv_reader.h"
#include "tools/aiflame-forecast/python_value.h"

namespace aiflame::forecast {
namespace {

std::optional<Shape> as_shape(const PythonValue& value) {
  constexpr size_t kMostSizes = 12;
  constexpr double kMostElements = 1e18;
  if (!value.is_list || value.items.size() > kMostSizes) return std::nullopt;
  Shape shape;
  for (const PythonValue& item : value.items) {
    const auto size = parse_number<uint64_t>(item.text);
    if (item.is_list || !size) return std::nullopt;
    shape.push_back(static_cast<double>(*size));
  }
  if (elements(shape) > kMostElements) return std::nullopt;
  return shape;
}

class GraphReader {
 public:
  explicit GraphReader(ByteSource&& source) : csv_(std::move(source)) {}

  Graph read() {
    std::vector<std::string_view> fields;
    if (!csv_.next(fields)) fail("no header");
    const CsvColumns header(fields);
    const std::string place = csv_.place();
    const size_t name = header.need("Name", place), kind = header.need("OpName", place),
                 inputs = header.need("InputShapes", place),
                 output = header.need("OutputShape", place);
    const std::array<size_t, kPassNames.size()> passes = {
        header.need("FwOps", place), header.need("BwOps", place), header.need("AccOps", place)};
    const std::optional<size_t> next = header.find("Next");
    while (csv_.next(fields)) {
      if (fields.size() != header.size()) fail("expected as many fields as the header has");
      if (graph_.nodes.size() == kMostNodes) fail("more than 100000 nodes");
      GraphNode& node = graph_.nodes.emplace_back();
      node.name = printable(fields[name]);
      node.kind = fields[kind];
      node.is_fused = node.kind == "fused";
      read_shapes(fields[inputs], fields[output], node);
      for (size_t pass = 0; pass < passes.size(); ++pass)
        read_operators(fields[passes[pass]], node.operators[pass]);
      if (next && !fields[*next].empty()) read_next(fields[*next]);
    }
    connect();
    find_layer();
    return std::move(graph_);
  }

 private:
  static constexpr size_t kMostNodes = 100000, kMostEdges = 1000000;

  [[noreturn]] void fail(const std::string& what) const { throw Error(csv_.place() + ": " + what); }

  void read_shapes(std::string_view inputs, std::string_view output, GraphNode& node) const {
    const auto list = parse_python(inputs);
    if (!list || !list->is_list) fail("InputShapes is not a list");
    for (const PythonValue& item : list->items) {
      std::optional<Shape> shape = as_shape(item);
      if (!shape) fail("InputShapes holds something that is not a shape");
      node.inputs.push_back(*std::move(shape));
    }
    std::optional<Shape> shape;
    if (const auto one = parse_python(output)) shape = as_shape(*one);
    if (!shape) fail("OutputShape is not a shape");
    node.output = *std::move(shape);
  }

  // [['Linear', (4096, 1280, 3840)], ['MEM', ((4, 1024), (4, 1024, 1280))]]
  void read_operators(std::string_view text, std::vector<GraphOperator>& operators) const {
    const auto list = parse_python(text);
    if (!list || !list->is_list) fail("the operators are not a list");
    for (const PythonValue& item : list->items) {
      if (!item.is_list || item.items.size() != 2 || item.items[0].is_list)
        fail("expected ['OPERATOR', (SIZES)]");
      GraphOperator& op = operators.emplace_back();
      op.name = printable(item.items[0].text);
      const PythonValue& sizes = item.items[1];
      op.of_tensors = !sizes.items.empty() && sizes.items[0].is_list;
      if (op.of_tensors)
        for (const PythonValue& one : sizes.items) op.shapes.push_back(shape(one));
      else
        op.shapes.push_back(shape(sizes));
    }
  }

  Shape shape(const PythonValue& value) const {
    std::optional<Shape> out = as_shape(value);
    if (!out) fail("expected sizes, (4096, 1280)");
    return *std::move(out);
  }

  // {'view_1', 'size_3'}
  void read_next(std::string_view text) {
    const auto set = parse_python(text);
    if (!set || !set->is_list) fail("Next is not a set of names");
    for (const PythonValue& item : set->items) {
      if (item.is_list) fail("Next is not a set of names");
      if (edges_.size() == kMostEdges) fail("more than 1000000 names in Next");
      edges_.push_back({graph_.nodes.size() - 1, std::string(item.text)});
    }
  }

  // Names that no node has are outputs of the model.
  void connect() {
    std::unordered_map<std::string_view, size_t> numbers;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) numbers.emplace(graph_.nodes[i].name, i);
    for (const auto& [from, to] : edges_)
      if (const auto found = numbers.find(to); found != numbers.end())
        graph_.nodes[from].next.push_back(found->second);
  }

  // The nodes that each layer repeats: from the first that is named after the layer to the last,
  // and the residual sum behind it.
  void find_layer() {
    const auto is_of_layer = [](const GraphNode& node) {
      const auto has = [&](const char* part) { return node.name.find(part) != std::string::npos; };
      return has("_h_0_") || has("layer_0_") || has("layers_0_");
    };
    std::vector<GraphNode>& nodes = graph_.nodes;
    const auto first = std::find_if(nodes.begin(), nodes.end(), is_of_layer);
    auto last = std::find_if(nodes.rbegin(), nodes.rend(), is_of_layer).base();
    if (first == nodes.end()) return;
    const auto is_residual = [](const GraphNode& node) {
      return node.name.starts_with("add") || node.name.starts_with("dropout");
    };
    while (last != nodes.end() && is_residual(*last)) ++last;
    for (auto node = nodes.begin(); node != last; ++node)
      node->part = node < first ? Part::head : Part::layer;
  }

  CsvReader csv_;
  Graph graph_;
  std::vector<std::pair<size_t, std::string>> edges_;
};

}  // namespace

Graph read_graph(ByteSource&& source) {
  return GraphReader(std::move(source)).read();
}

}  // namespace aiflame::forecast
