// SPDX-License-Identifier: MIT
// What ONNX Runtime writes. Nothing numbers its launches: a kernel names the node that it is of, or
// follows it in the file.
//
//   {"cat":"Node","pid":7,"tid":7,"dur":120,"ts":96807,"ph":"X","name":"/conv1/Conv_kernel_time",
//    "args":{"op_name":"Conv","provider":"CUDAExecutionProvider"}}
//   {"cat":"Kernel","pid":-1,"tid":-1,"dur":90,"ts":96850,"ph":"X","name":"ampere_scudnn_128x64",
//    "args":{"stream":"7","op_name":"Conv","parent_name":"/conv1/Conv_kernel_time"}}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// Whether an event is a node, or what nodes stand on.
bool is_onnx_node(const Event& event);
bool is_onnx_session(const Event& event);

// "/conv1/Conv_kernel_time" → "/conv1/Conv"
std::string_view onnx_node_name(std::string_view name);

class OnnxNodes {
 public:
  // Numbers the next node of the file.
  uint64_t add(std::string_view name);
  // The number of a kernel's node; Event::kNone: the file has no nodes before it.
  uint64_t node_of(const Event& kernel);
  bool any() const { return nodes_ > 0; }

 private:
  // by name: the last node of it
  TextTable names_;
  std::vector<uint64_t> last_;
  uint64_t nodes_ = 0;
};

}  // namespace aiflame::trace
