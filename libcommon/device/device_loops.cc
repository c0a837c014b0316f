// SPDX-License-Identifier: MIT
#include "libcommon/device/device_loops.h"

#include <algorithm>
#include <utility>

namespace aiflame {
namespace {

// All that is known is forgotten beyond so many. Each takes 12 bytes, and at most 64 more where it
// is a loop.
constexpr size_t kMaxInstructions = size_t{4} << 20;

// Loops around an instruction that are told. Source code has few.
constexpr size_t kMaxNesting = 32;

// Jumps back that are looked at for a line. A loop has few.
constexpr size_t kMaxBackJumps = 64;

// How many functions, from the outermost on, hold both instructions. A function is the same inlined
// copy where its callers are, and where they call it at the same line.
size_t common_depth(const std::vector<SourceFrame>& a, const std::vector<SourceFrame>& b) {
  size_t depth = 0;
  for (; depth < std::min(a.size(), b.size()); ++depth) {
    const size_t in_a = a.size() - 1 - depth, in_b = b.size() - 1 - depth;
    if (a[in_a].function != b[in_b].function) break;
    if (depth > 0 && (a[in_a + 1].line != b[in_b + 1].line || a[in_a + 1].file != b[in_b + 1].file))
      break;
  }
  return depth;
}

}  // namespace

const SourceFrame* loop_line(const std::vector<SourceFrame>& head,
                             const std::vector<std::vector<SourceFrame>>& back_jumps) {
  size_t depth = head.size();
  for (const std::vector<SourceFrame>& each : back_jumps)
    depth = std::min(depth, common_depth(head, each));
  if (depth == 0) return nullptr;
  const SourceFrame* best = nullptr;
  for (const std::vector<SourceFrame>& each : back_jumps) {
    const SourceFrame& at = each[each.size() - depth];
    if (at.line != 0 && (best == nullptr || at.line < best->line)) best = &at;
  }
  if (best == nullptr) best = &head[head.size() - depth];
  return best->line == 0 ? nullptr : best;
}

DeviceLoop DeviceLoops::describe(const Function& function, const Loop& loop,
                                 const std::string& path) {
  DeviceLoop out;
  const uint64_t head = function.offsets[loop.head];
  out.head = head - function.offsets.front();
  std::vector<std::vector<SourceFrame>> back_jumps;
  for (size_t i = 0; i < std::min(loop.back_jumps.size(), kMaxBackJumps); ++i)
    back_jumps.push_back(symbolizer_.frames_at({path, function.offsets[loop.back_jumps[i]]}));
  if (const SourceFrame* line = loop_line(symbolizer_.frames_at({path, head}), back_jumps)) {
    out.file = line->file;
    out.line = line->line;
  }
  return out;
}

DeviceLoops::Function* DeviceLoops::function_at(const CodePlace& place) {
  Functions& functions = objects_[place.path];
  const auto known = functions.lower_bound(place.file_offset);
  if (known != functions.end() && known->second.begin <= place.file_offset) return &known->second;
  CodeFlow code = symbolizer_.code_flow_at(place);
  if (code.empty()) return nullptr;
  if (instructions_ + code.offsets.size() > kMaxInstructions) {
    objects_.clear();
    instructions_ = 0;
  }
  instructions_ += code.offsets.size();
  Function it;
  it.offsets = std::move(code.offsets);
  it.loops = find_loops(code.ways);
  // Of a kernel, not all code need have been disassembled.
  it.begin = std::min(it.offsets.front(), place.file_offset);
  uint64_t last = std::max(it.offsets.back(), place.file_offset);
  if (const KernelCode* const kernel = symbolizer_.kernel_at(place); kernel != nullptr) {
    it.begin = std::min(it.begin, kernel->offset);
    last = std::max(last, kernel->offset + kernel->size - 1);
  }
  return &objects_[place.path].insert_or_assign(last, std::move(it)).first->second;
}

std::vector<DeviceLoop> DeviceLoops::around(const CodePlace& place) {
  std::vector<DeviceLoop> out;
  Function* const function = function_at(place);
  if (function == nullptr) return out;
  const std::vector<uint64_t>& offsets = function->offsets;
  const auto next = std::upper_bound(offsets.begin(), offsets.end(), place.file_offset);
  if (next == offsets.begin()) return out;
  const Loops& loops = function->loops;
  for (uint32_t loop = loops.innermost[static_cast<size_t>(next - offsets.begin() - 1)];
       loop != Loop::kNone && out.size() < kMaxNesting; loop = loops.all[loop].parent) {
    const auto [at, added] = function->described.try_emplace(loop);
    if (added) at->second = describe(*function, loops.all[loop], place.path);
    out.push_back(at->second);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace aiflame
