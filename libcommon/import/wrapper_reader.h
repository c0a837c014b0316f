// SPDX-License-Identifier: MIT
// Finds the calls of kernels in a wrapper of Inductor's: see compiled_code.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/compiled_code.h"

namespace aiflame {

// Adds a node of the model's graph without its number, unless it is there already: "layer_norm_1"
// is the model's second layer_norm.
void add_model_node(std::string_view node, std::vector<std::string>& nodes);

class WrapperReader {
 public:
  // The lines in their order.
  void read(std::string_view line);
  // The kernels in the order in which they are called. A partition of the graph is a function of
  // its own: its kernels stand where it is called.
  std::vector<CompiledKernel> take();

 private:
  // A kernel, or the call of a partition.
  struct Step {
    CompiledKernel kernel;
    int partition = -1;
  };

  void read_comment(std::string_view comment);
  void begin_function(std::string_view header);

  uint64_t line_ = 0;
  std::map<std::string, std::vector<Step>, std::less<>> functions_;
  std::vector<Step>* function_ = nullptr;
  CompiledKernel next_;  // what comments have said of the next call
};

}  // namespace aiflame
