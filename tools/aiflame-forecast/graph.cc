// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/graph.h"

#include <algorithm>
#include <cstdint>

#include "tools/aiflame-forecast/operators.h"

namespace aiflame::forecast {
namespace {

std::string shape_text(const Shape& shape) {
  std::string out;
  for (const double size : shape)
    out += (out.empty() ? "" : "x") + std::to_string(static_cast<uint64_t>(size));
  return out.empty() ? "1" : out;
}

std::string frame_text(std::string text) {
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

bool is_vector(const std::string& op) {
  return op.starts_with("VEC");
}

Family vector_family(const std::string& op) {
  if (!is_vector(op)) return Family::memory;
  return op == "VECsoftmax" ? Family::softmax : op == "VECln" ? Family::ln : Family::elem;
}

double sum_of_elements(const std::vector<Shape>& shapes) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += elements(shape);
  return sum;
}

constexpr double kElement = kBytes[static_cast<size_t>(DataType::fp32)];

class Calls {
 public:
  explicit Calls(const GraphNode& node) : node_(node) {}

  std::vector<GraphCall> take() {
    for (const Pass pass : {Pass::forward, Pass::backward, Pass::accumulate}) {
      const auto& operators = node_.operators[static_cast<size_t>(pass)];
      if (node_.is_fused)
        add_fused(operators, pass);
      else
        for (const GraphOperator& op : operators) add(op, pass);
    }
    return std::move(calls_);
  }

 private:
  void add(const GraphOperator& op, Pass pass) {
    if (is_vector(op.name) && !op.of_tensors) {
      add_vector(op, pass);
      return;
    }
    std::vector<Shape> shapes = op.shapes;
    if (!op.of_tensors) {
      const Shape& all = op.shapes.front();
      if (op.name == "Linear" && all.size() == 3)
        shapes = {{all[0], all[1]}, {all[1], all[2]}};
      else if (op.name == "BMM" && all.size() == 4)
        shapes = {{all[0], all[1], all[2]}, {all[0], all[2], all[3]}};
    }
    push(op.name, shapes, {}, pass, work_of({op.name, shapes, std::nullopt}, DataType::fp32));
  }

  // What the node reads for an element that it writes; sizes are of the output.
  void add_vector(const GraphOperator& op, Pass pass) {
    const Shape& all = op.shapes.front();
    const double per_element =
        1 + sum_of_elements(node_.inputs) / std::max(1.0, elements(node_.output));
    Work work;
    work.family = vector_family(op.name);
    work.operations = operations_per_element(work.family) * elements(all);
    work.bytes = kElement * per_element * elements(all);
    if (elements(all) == elements(node_.output))
      push(op.name, node_.inputs, node_.output, pass, work);
    else
      push(op.name, {all}, {}, pass, work);
  }

  // One kernel reads the node's inputs, and writes its output; what is between stays in registers.
  void add_fused(const std::vector<GraphOperator>& operators, Pass pass) {
    if (operators.empty()) return;
    const GraphOperator& last = operators.back();
    Work work;
    work.family = vector_family(last.name);
    for (const GraphOperator& op : operators)
      if (is_vector(op.name))
        work.operations +=
            operations_per_element(vector_family(op.name)) * elements(op.shapes.front());
    work.bytes = kElement * (sum_of_elements(node_.inputs) + elements(node_.output));
    push(last.name, node_.inputs, node_.output, pass, work);
  }

  void push(const std::string& op, const std::vector<Shape>& shapes,
            const std::optional<Shape>& output, Pass pass, const Work& work) {
    std::string text = op;
    for (const Shape& one : shapes)
      text.append(&one == shapes.data() ? " " : ", ").append(shape_text(one));
    if (output) text.append(" -> ").append(shape_text(*output));
    calls_.push_back({std::string(kPassNames[static_cast<size_t>(pass)]) + ";" +
                          frame_text(node_.name) + "_[m];" + frame_text(text) + "_[o]",
                      pass, work});
  }

  const GraphNode& node_;
  std::vector<GraphCall> calls_;
};

}  // namespace

bool Graph::has_layer() const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const GraphNode& node) { return node.part == Part::layer; });
}

std::vector<GraphCall> calls_of(const GraphNode& node) {
  return Calls(node).take();
}

}  // namespace aiflame::forecast
