// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sums/function_sum.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "tools/aiflame-svg/sums/reason_sums.h"

namespace aiflame::svg {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

bool is_function(std::string_view name) {
  return !name.empty() && !name.starts_with('[') && name != "-" && name != "--";
}

// `swapper`, and with numbers of process and thread as stackcollapse-perf.pl writes them:
// `swapper-0`, `swapper-?/0`.
bool is_idle_task(std::string_view process) {
  constexpr std::string_view kName = "swapper";
  return process.starts_with(kName) &&
         (process.size() == kName.size() || process[kName.size()] == '-');
}

std::vector<bool> functions_of(const FlameTree& tree) {
  std::vector<bool> out(tree.names().size());
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = is_function(tree.names()[i]);
  return out;
}

// visit(node, caller) for each node of a function; `caller` is a name, or kNone.
template <typename Visit>
void each_function(const FlameTree& tree, const std::vector<bool>& functions, const Visit& visit) {
  struct Open {
    uint32_t end;       // of the node's descendants
    uint32_t function;  // the nearest one, which calls what is on top of the node
    uint32_t caller;    // of that function: another one
  };
  std::vector<Open> open;
  for (uint32_t node = 1; node < tree.size(); ++node) {
    while (!open.empty() && open.back().end <= node) open.pop_back();
    if (open.empty() && is_idle_task(tree.name(node))) {
      node = tree.end(node) - 1;
      continue;
    }
    const uint32_t name = tree.name_id(node);
    const Open below = open.empty() ? Open{0, kNone, kNone} : open.back();
    Open here = {tree.end(node), below.function, below.caller};
    if (functions[name] && name != below.function)
      here = {tree.end(node), open.empty() ? kNone : name, below.function};
    if (functions[name]) visit(node, here.caller);
    if (tree.end(node) > node + 1) open.push_back(here);
  }
}

// The largest count; of equal ones the name that comes first.
std::optional<FunctionSum::Part> largest(const FlameTree& tree,
                                         const std::vector<uint64_t>& counts) {
  FunctionSum::Part most;
  for (uint32_t i = 0; i < counts.size(); ++i)
    if (counts[i] > most.count ||
        (counts[i] == most.count && counts[i] > 0 && tree.names()[i] < tree.names()[most.name]))
      most = {i, counts[i]};
  if (most.count == 0) return std::nullopt;
  return most;
}

}  // namespace

std::optional<FunctionSum> costliest_function(const FlameTree& tree) {
  const std::vector<bool> functions = functions_of(tree);
  std::vector<uint64_t> counts(functions.size());
  each_function(tree, functions, [&](uint32_t node, uint32_t) {
    counts[tree.name_id(node)] += own_count(tree, node);
  });
  const auto function = largest(tree, counts);
  if (!function) return std::nullopt;
  std::fill(counts.begin(), counts.end(), 0);
  each_function(tree, functions, [&](uint32_t node, uint32_t caller) {
    if (tree.name_id(node) == function->name && caller != kNone)
      counts[caller] += own_count(tree, node);
  });
  return FunctionSum{*function, largest(tree, counts)};
}

}  // namespace aiflame::svg
