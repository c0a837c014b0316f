// SPDX-License-Identifier: MIT
#include "libcommon/import/wrapper_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

constexpr std::string_view kNodes = "Topologically Sorted Source Nodes: [";
constexpr std::string_view kHandle = "[Provenance debug handles] ";
constexpr std::string_view kPartition = "self.partitions[";

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

std::string_view without_number(std::string_view node) {
  const size_t end = node.find_last_not_of("0123456789");
  return end == std::string_view::npos || end + 1 == node.size() || node[end] != '_'
             ? node
             : node.substr(0, end);
}

// "linear, x_1, ]" → linear, x; each once.
std::vector<std::string> nodes_of(std::string_view list) {
  std::vector<std::string> out;
  list = list.substr(0, list.find(']'));
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    add_model_node(trim(list.substr(0, comma)), out);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

// The name before the first '(' of "buf5 = extern_kernels.convolution(…": what the line calls.
std::string_view called(std::string_view line) {
  const size_t open = line.find('(');
  if (open == std::string_view::npos) return {};
  size_t begin = open;
  while (begin > 0 && is_name(line[begin - 1])) --begin;
  return line.substr(begin, open - begin);
}

// Whether a function that a wrapper calls is a kernel: Triton's, C++, a library's, an operator.
bool is_kernel(std::string_view name) {
  return name.starts_with("triton_") || name.starts_with("cpp_fused_") ||
         name.starts_with("extern_kernels.") || name.starts_with("torch.ops.");
}

}  // namespace

void add_model_node(std::string_view node, std::vector<std::string>& nodes) {
  const std::string_view name = without_number(node);
  if (!name.empty() && std::find(nodes.begin(), nodes.end(), name) == nodes.end())
    nodes.emplace_back(name);
}

void WrapperReader::read(std::string_view line) {
  ++line_;
  const std::string_view text = trim(line);
  if (text.starts_with("# ")) return read_comment(text.substr(2));
  if (text.starts_with("def ")) return begin_function(text.substr(4));
  if (function_ == nullptr) return;
  if (const size_t at = text.find(kPartition); at != std::string_view::npos) {
    const std::string_view number = text.substr(at + kPartition.size());
    const auto parsed = parse_number<uint16_t>(number.substr(0, number.find(']')));
    if (parsed) function_->push_back({{}, *parsed});
    return;
  }
  std::string_view name = called(text);
  if (name.ends_with(".run")) name.remove_suffix(4);
  const bool is_next = !next_.name.empty() && name == next_.name;
  if (!is_next && !is_kernel(name)) return;
  if (!is_next) next_.handle.clear();
  next_.name = name;
  next_.line = line_;
  function_->push_back({std::exchange(next_, {}), -1});
}

void WrapperReader::read_comment(std::string_view comment) {
  if (comment.starts_with(kNodes)) {
    next_ = {};
    next_.nodes = nodes_of(comment.substr(kNodes.size()));
  } else if (comment.starts_with(kHandle)) {
    next_.handle = trim(comment.substr(kHandle.size()));
    next_.name = next_.handle.substr(0, next_.handle.rfind(':'));
  }
}

void WrapperReader::begin_function(std::string_view header) {
  const std::string_view name = header.substr(0, header.find('('));
  function_ =
      name == "call" || name.starts_with("partition_") ? &functions_[std::string(name)] : nullptr;
  next_ = {};
}

std::vector<CompiledKernel> WrapperReader::take() {
  std::vector<CompiledKernel> out;
  std::set<int> taken;  // partitions: each is called once
  for (Step& step : functions_["call"]) {
    if (step.partition < 0) {
      out.push_back(std::move(step.kernel));
    } else if (taken.insert(step.partition).second) {
      for (Step& inner : functions_["partition_" + std::to_string(step.partition)])
        if (inner.partition < 0) out.push_back(std::move(inner.kernel));
    }
  }
  *this = {};
  return out;
}

}  // namespace aiflame
