// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-proton/fold.h"

#include <algorithm>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"

namespace aiflame::proton {
namespace {

using Node = HatchetTree::Node;

constexpr uint32_t kNone = HatchetTree::kNone;

// Which frames of the tree are the device's, and the stack of each node.
//
//   ROOT                                  the program
//     /a/train.py:41@step                 Python (context "python")
//       forward                           a scope (context "shadow")
//         matmul_kernel                   a kernel: its metrics name a device
//           /a/mm.py:17@matmul_kernel     a line of it (PC sampling)
//
// Values are of a node by itself, so each becomes one stack. A kernel that was measured from the
// inside has no metrics of its own: it is the frame above the outermost of its scopes.
class Folding {
 public:
  Folding(const HatchetTree& tree, const NameRules& names, ImportedStacks& stacks)
      : tree_(tree), names_(names), stacks_(stacks) {
    find_device_frames();
    for (uint32_t node = 0; node < tree.nodes.size(); ++node) add_stack(node);
  }

  // The stack of a node, with its own frame on top.
  uint32_t stack(uint32_t node) const { return stacks_of_[node]; }
  // Device frames that no frame of the CPU calls.
  bool has_launch(uint32_t node) const { return has_launch_[node]; }

 private:
  std::string_view name(uint32_t node) const {
    const uint32_t text = tree_.nodes[node].name;
    return text == kNone ? std::string_view() : tree_.texts.text(text);
  }
  void find_device_frames();
  void add_stack(uint32_t node);
  uint32_t add_cpu_frame(uint32_t stack, std::string_view name) const;
  uint32_t add_device_frame(uint32_t node, uint32_t stack) const;

  const HatchetTree& tree_;
  const NameRules& names_;
  ImportedStacks& stacks_;
  std::vector<bool> is_device_, has_launch_;
  std::vector<uint32_t> stacks_of_;
};

void Folding::find_device_frames() {
  is_device_.resize(tree_.nodes.size());
  for (uint32_t node = 0; node < tree_.nodes.size(); ++node) {
    const Node& it = tree_.nodes[node];
    is_device_[node] = it.is_device;
    if (it.parent == kNone || tree_.nodes[it.parent].parent == kNone) continue;
    const auto source = it.has_samples ? parse_source_frame(name(node)) : std::nullopt;
    const bool is_line = source && source->function == name(it.parent);
    // the outermost scope, whose parent has no metrics of a device
    const bool is_scope = it.has_cycles && !is_device_[it.parent];
    is_device_[node] = is_device_[node] || is_line;
    if (is_line || is_scope) is_device_[it.parent] = true;
  }
  // what stands on a device frame is the device's
  for (uint32_t node = 0; node < tree_.nodes.size(); ++node) {
    const uint32_t parent = tree_.nodes[node].parent;
    if (parent != kNone && is_device_[parent]) is_device_[node] = true;
  }
}

void Folding::add_stack(uint32_t node) {
  const Node& it = tree_.nodes[node];
  const bool is_root = it.parent == kNone;
  uint32_t stack = is_root ? ImportedStacks::kEmpty : stacks_of_[it.parent];
  bool has_launch = !is_root && has_launch_[it.parent];
  if (is_root) {
    // where the file was cut, the root's name is missing
    stack = stacks_.root(it.name == kNone ? "ROOT" : name(node));
  } else if (is_device_[node]) {
    if (!is_device_[it.parent]) {
      if (!has_launch) stack = stacks_.child(stack, "[unknown launch]");
      stack = stacks_.child(stack, "-");
    }
    stack = add_device_frame(node, stack);
  } else if (it.name != kNone) {
    stack = add_cpu_frame(stack, name(node));
    has_launch = true;
  }
  stacks_of_.push_back(stack);
  has_launch_.push_back(has_launch);
}

uint32_t Folding::add_cpu_frame(uint32_t stack, std::string_view name) const {
  if (const auto source = parse_source_frame(name))
    return stacks_.child(stack, python_frame(source->function, source->file, source->line, names_));
  // Proton's own: <captured_at> above where a CUDA graph was captured, __proton_launch_metadata
  // above kernels that compute what a launch is called
  if (name.starts_with('<') || name.starts_with("__proton_")) return stacks_.child(stack, name);
  return stacks_.child(stack, range_frame(name));
}

uint32_t Folding::add_device_frame(uint32_t node, uint32_t stack) const {
  const uint32_t parent = tree_.nodes[node].parent;
  const bool is_kernel = !is_device_[parent];
  const auto source = parse_source_frame(name(node));
  if (!source)
    return stacks_.child(stack,
                         is_kernel ? kernel_frame(name(node), names_) : device_frame(name(node)));
  if (is_kernel || source->function != name(parent))
    stack = stacks_.child(stack, kernel_frame(source->function, names_));
  return stacks_.child(stack, device_file_frame(source->file, source->line, names_));
}

// Takes what stands below a frame out of its value: its own part.
void subtract_nested(const HatchetTree& tree, std::vector<uint64_t>& values,
                     ImportedStacks& stacks) {
  std::vector<uint64_t> below(values.size());
  for (uint32_t node = static_cast<uint32_t>(values.size()); node-- > 0;) {
    const uint64_t all = std::max(values[node], below[node]);
    if (values[node] > 0 && below[node] > values[node])
      stacks.part("more than the frame that contains it", below[node] - values[node]);
    values[node] = all - below[node];
    const uint32_t parent = tree.nodes[node].parent;
    if (parent != kNone && __builtin_add_overflow(below[parent], all, &below[parent]))
      throw Error("the sum of all values is more than 2^64");
  }
}

void fold_nested(const HatchetTree& tree, const Folding& folding, ImportedStacks& stacks) {
  std::vector<uint64_t> values(tree.nodes.size());
  for (const auto& [node, key, number] : tree.values) {
    if (__builtin_add_overflow(values[node], number.value, &values[node]))
      throw Error("the sum of all values is more than 2^64");
    if (!number.is_exact) stacks.part("rounded to whole numbers", number.value);
  }
  subtract_nested(tree, values, stacks);
  for (uint32_t node = 0; node < values.size(); ++node) {
    if (values[node] == 0) continue;
    stacks.read(values[node]);
    stacks.add(folding.stack(node), values[node]);
  }
}

// A sample for each reason, on its frame. Proton before 2026 does not know all reasons of a GPU.
void fold_stalled(const HatchetTree& tree, const Folding& folding, ImportedStacks& stacks) {
  std::vector<uint64_t> missing;
  for (const Node& node : tree.nodes) missing.push_back(node.stalled);
  const auto add = [&](uint32_t node, std::string_view reason, uint64_t count) {
    stacks.read(count);
    stacks.add(stacks.child(folding.stack(node), reason), count);
    if (!folding.has_launch(node)) stacks.part("without a launch", count);
  };
  for (const auto& [node, key, number] : tree.values) {
    if (number.value == 0) continue;
    const std::string reason = reason_of_key(tree.texts.text(key)).value_or("");
    add(node, reason_frame(reason), number.value);
    if (reason == "selected") stacks.part("issued, not stalled", number.value);
    missing[node] -= std::min(missing[node], number.value);
  }
  for (uint32_t node = 0; node < missing.size(); ++node) {
    if (missing[node] == 0) continue;
    add(node, "[unknown]_[g]", missing[node]);
    stacks.part("without a reason", missing[node]);
  }
}

// "bytes, count, time (ns)"; of a file that is cut before all metrics "none"
std::string names_of(const HatchetTree& tree) {
  constexpr size_t kMost = 40;
  std::vector<std::string_view> names;
  for (const uint32_t key : tree.keys) names.push_back(tree.texts.text(key));
  std::sort(names.begin(), names.end());
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    out.append(i > 0 ? ", " : "").append(names[i]);
  if (names.empty()) return "none";
  return names.size() > kMost ? out + ", ..." : out;
}

}  // namespace

std::optional<FrameParts> parse_source_frame(std::string_view name) {
  // FILE:LINE@FUNCTION; a C++ function may hold any sign
  for (size_t at = 0; (at = name.find('@', at)) != std::string_view::npos; ++at) {
    const size_t colon = name.substr(0, at).rfind(':');
    if (colon == std::string_view::npos) continue;
    const auto line = parse_number<uint64_t>(name.substr(colon + 1, at - colon - 1));
    if (line) return FrameParts{name.substr(0, colon), name.substr(at + 1), *line};
  }
  // FILE:FUNCTION@LINE
  const size_t at = name.rfind('@');
  if (at == std::string_view::npos) return std::nullopt;
  const size_t colon = name.substr(0, at).rfind(':');
  const auto line = parse_number<uint64_t>(name.substr(at + 1));
  if (colon == std::string_view::npos || !line) return std::nullopt;
  return FrameParts{name.substr(0, colon), name.substr(colon + 1, at - colon - 1), *line};
}

void fold_tree(const HatchetTree& tree, const Metric& metric, const NameRules& names,
               ImportedStacks& stacks) {
  const auto is_metric = [&](uint32_t key) { return metric.has(tree.texts.text(key)); };
  const auto key = std::find_if(tree.keys.begin(), tree.keys.end(), is_metric);
  if (key == tree.keys.end())
    throw Error(tree.file + ": has no metric '" + metric.name() + "'; it has " + names_of(tree));
  if (tree.is_cut) warn_of_cut(tree.file);
  stacks.quantity = metric.quantity(tree.texts.text(*key));
  const Folding folding(tree, names, stacks);
  for (uint64_t i = 0; i < tree.negative; ++i) stacks.lose("values below 0 or above 2^64", 0);
  if (metric.is_nested()) return fold_nested(tree, folding, stacks);
  if (metric.is_stalled()) return fold_stalled(tree, folding, stacks);
  for (const auto& [node, number_of_key, number] : tree.values) {
    stacks.read(number.value);
    if (!number.is_exact) stacks.part("rounded to whole numbers", number.value);
    if (!folding.has_launch(node)) stacks.part("without a launch", number.value);
    stacks.add(folding.stack(node), number.value);
  }
}

}  // namespace aiflame::proton
