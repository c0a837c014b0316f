// SPDX-License-Identifier: MIT
// An operator graph of a model that has one layer; the real one repeats it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/shapes.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

enum class Pass { forward, backward, accumulate };  // accumulate: adding up gradients
inline constexpr std::array<std::string_view, 3> kPassNames = {"forward", "backward", "accumulate"};

// Where in the model: before its layers, in them, behind them.
enum class Part { head, layer, tail };

struct GraphOperator {
  std::string name;
  // of the tensors of ['MEM', ((1,), (1,))], or one shape: the sizes of ['Linear', (64, 256, 512)]
  std::vector<Shape> shapes;
  bool of_tensors = false;
};

struct GraphNode {
  std::string name;
  std::string kind;  // OpName
  Part part = Part::tail;
  std::array<std::vector<GraphOperator>, kPassNames.size()> operators;
  std::vector<Shape> inputs;
  Shape output;
  std::vector<size_t> next;  // the nodes that read its output
  // One kernel runs all of its operators, and is of the kind of the last one.
  bool is_fused = false;
};

struct Graph {
  std::vector<GraphNode> nodes;

  bool has_layer() const;
};

// An operator of a node, as a stack and what it has to do.
struct GraphCall {
  std::string stack;  // "forward;addmm_[m];Linear 64x256, 256x512_[o]"
  Pass pass;
  Work work;
};

// All that a node runs (pure).
std::vector<GraphCall> calls_of(const GraphNode& node);

}  // namespace aiflame::forecast
