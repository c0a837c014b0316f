// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/compiled_calls.h"

#include <algorithm>
#include <string>

#include "libcommon/base/parse.h"

namespace aiflame::trace {
namespace {

// What the profiler calls Inductor's kernels in C++, all of them.
constexpr std::string_view kCpp = "<built-in function kernel>";

constexpr std::string_view kTriton = "triton_";

// A frame's text without what marks its kind.
std::string_view without_mark(std::string_view frame, std::string_view mark) {
  if (frame.ends_with(mark)) frame.remove_suffix(mark.size());
  return frame;
}

// The name under which the profiler shows a kernel that a wrapper calls: extern_kernels.mm and
// torch.ops.aten.mm.default are aten::mm.
std::string profiled_name(std::string_view name) {
  if (take_prefix(name, "extern_kernels.")) return "aten::" + std::string(name);
  if (name.starts_with("cpp_fused_")) return std::string(kCpp);
  if (!take_prefix(name, "torch.ops.")) return std::string(name);
  const size_t space = name.find('.');
  if (space == std::string_view::npos) return std::string(name);
  const std::string_view rest = name.substr(space + 1);
  return std::string(name.substr(0, space)) + "::" + std::string(rest.substr(0, rest.find('.')));
}

// The name of a slice that may be a kernel's call: an operator, without its shapes, or a kernel in
// C++; else empty.
std::string_view call_name(const Slice& slice, const ImportedStacks& stacks) {
  std::string_view text = stacks.text(slice.frame);
  if (slice.kind == Kind::op) {
    text = without_mark(text, "_[o]");
    return text.substr(0, text.find(' '));
  }
  return is_cpp_kernel(slice, stacks) ? kCpp : std::string_view();
}

}  // namespace

bool is_cpp_kernel(const Slice& slice, const ImportedStacks& stacks) {
  std::string_view text = stacks.text(slice.frame);
  return slice.kind == Kind::python && take_prefix(text, "py::") && text == kCpp;
}

const CompiledGraph* CompiledCalls::graph_of(uint32_t slice) {
  const Slice& call = trace_.slices[slice];
  const auto [at, is_new] = graphs_.try_emplace(call.frame, nullptr);
  if (!is_new) return at->second;
  std::string_view text = stacks_.text(call.frame);
  if (take_prefix(text, "## Call CompiledFxGraph ")) {
    at->second = code_.of_key(text.substr(0, text.find(' ')));
  } else {
    // py::call:/tmp/torchinductor_u/ap/capby7….py:90
    const size_t end = text.rfind(".py");
    if (end != std::string_view::npos) {
      text = text.substr(0, end + 3);
      at->second = code_.of_file(compiled_file(text.substr(text.rfind(':') + 1)));
    }
  }
  return at->second;
}

CompiledChoice CompiledCalls::kernel_of(const std::vector<uint32_t>& stack, size_t code) {
  const CompiledGraph* graph = graph_of(stack[code]);
  if (graph == nullptr) return {};
  const Index& index = index_of(*graph);
  for (size_t i = code + 1; i < stack.size(); ++i) {
    const Slice& slice = trace_.slices[stack[i]];
    if (is_python(slice) && slice.sequence != kNoId)
      if (const auto found = index.by_line.find(slice.sequence); found != index.by_line.end())
        return {&found->second, 1};
    const std::string_view name = call_name(slice, stacks_);
    if (name.empty()) continue;
    const auto same = index.by_name.find(name);
    if (same == index.by_name.end()) return {};
    const Calls& calls = calls_of(stack[code]);
    const auto made = calls.find(name);
    if (made == calls.end() || made->second.size() != same->second.size()) return same->second;
    const auto place = std::lower_bound(made->second.begin(), made->second.end(), stack[i]);
    if (place == made->second.end() || *place != stack[i]) return same->second;
    return {&same->second[static_cast<size_t>(place - made->second.begin())], 1};
  }
  return {};
}

std::vector<CompiledChoice> CompiledCalls::kernels_of(const CompiledGraph& graph,
                                                      const std::vector<size_t>& works) {
  const Index& index = index_of(graph);
  std::vector<CompiledChoice> out(works.size());
  // Triton's kernels have the wrapper's names.
  std::map<std::string_view, std::vector<size_t>> ran;
  for (size_t i = 0; i < works.size(); ++i)
    ran[without_mark(stacks_.text(trace_.work[works[i]].frame), "_[G]")].push_back(i);
  for (const auto& [name, places] : ran) {
    const auto called = index.by_name.find(name);
    if (called == index.by_name.end() || !name.starts_with(kTriton)) continue;
    const Kernels& kernels = called->second;
    for (size_t i = 0; i < places.size(); ++i)
      out[places[i]] = places.size() == kernels.size() ? CompiledChoice(&kernels[i], 1)
                                                       : CompiledChoice(kernels);
  }
  // A library's kernels are of what the wrapper calls between two of Triton's.
  size_t before = 0;
  for (size_t i = 0; i < works.size();) {
    if (out[i].size() == 1) {
      before = static_cast<size_t>(out[i++][0] - graph.kernels.data()) + 1;
      continue;
    }
    size_t next = i;
    while (next < works.size() && out[next].size() != 1) ++next;
    const size_t end = next < works.size()
                           ? static_cast<size_t>(out[next][0] - graph.kernels.data())
                           : graph.kernels.size();
    for (; i < next; ++i) {
      if (!out[i].empty() || !trace_.work[works[i]].kernel || end <= before) continue;
      const size_t first = index.library_before[before];
      out[i] = CompiledChoice(index.library).subspan(first, index.library_before[end] - first);
    }
  }
  return out;
}

const CompiledCalls::Index& CompiledCalls::index_of(const CompiledGraph& graph) {
  const auto [at, is_new] = indexes_.try_emplace(&graph);
  if (!is_new) return at->second;
  Index& index = at->second;
  for (const CompiledKernel& kernel : graph.kernels) {
    index.by_name[profiled_name(kernel.name)].push_back(&kernel);
    index.by_line.try_emplace(kernel.line, &kernel);
    index.library_before.push_back(index.library.size());
    if (!kernel.name.starts_with(kTriton)) index.library.push_back(&kernel);
  }
  index.library_before.push_back(index.library.size());
  return index;
}

const CompiledCalls::Calls& CompiledCalls::calls_of(uint32_t slice) {
  const auto [at, is_new] = calls_.try_emplace(slice);
  if (!is_new) return at->second;
  const Slice& code = trace_.slices[slice];
  int64_t end = INT64_MIN;  // of the call that is under way
  for (uint32_t i = slice + 1;
       i < nesting_.end_of(code.thread) && trace_.slices[i].start < code.end && left_ > 0; ++i) {
    --left_;
    const Slice& one = trace_.slices[i];
    // a kernel in C++ is a built-in function, which is a part of PyTorch
    const bool may_be = one.part == CompilerPart::none || one.part == CompilerPart::pytorch;
    const std::string_view name = may_be ? call_name(one, stacks_) : std::string_view();
    if (one.start < end || name.empty()) continue;
    end = one.end;
    at->second[std::string(name)].push_back(i);
  }
  return at->second;
}

}  // namespace aiflame::trace
