// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/onnx_nodes.h"

namespace aiflame::trace {

bool is_onnx_node(const Event& event) {
  return event.category == "Node" && !event.text(TextArg::onnx_operator).empty();
}

bool is_onnx_session(const Event& event) {
  return event.category == "Session";
}

// A node also has fences around it in older versions, which take no time of their own.
std::string_view onnx_node_name(std::string_view name) {
  constexpr std::string_view kEnd = "_kernel_time";
  return name.ends_with(kEnd) ? name.substr(0, name.size() - kEnd.size()) : name;
}

uint64_t OnnxNodes::add(std::string_view name) {
  bool added = false;
  const uint32_t number = names_.number(name, &added);
  if (added) last_.push_back(0);
  return last_[number] = ++nodes_;
}

uint64_t OnnxNodes::node_of(const Event& kernel) {
  if (nodes_ == 0) return Event::kNone;
  const std::string& parent = kernel.text(TextArg::onnx_parent);
  if (parent.empty()) return nodes_;
  bool added = false;
  const uint32_t number = names_.number(parent, &added);
  if (added) last_.push_back(Event::kNone);  // a node that is not in the file
  return last_[number];
}

}  // namespace aiflame::trace
