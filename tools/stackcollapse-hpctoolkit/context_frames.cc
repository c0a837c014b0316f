// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/context_frames.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/imported_names.h"
#include "libcommon/perf_script/function_parameters.h"

namespace aiflame::hpctoolkit {
namespace {

using Lexical = Context::Lexical;
using Relation = Context::Relation;

// No kernel comes near this. The path of each context is walked, so a hostile file that nests them
// all would take the square of its size.
constexpr uint16_t kMaxDeviceDepth = 1024;

constexpr uint32_t kNone = UINT32_MAX;

// HPCToolkit's names for what happens on a device: "<gpu kernel>", "<gpu copyin>"
constexpr std::string_view kGpu = "<gpu ", kKernel = "<gpu kernel>";

constexpr std::string_view kMainThread = "main thread";

bool is_device_module(std::string_view path) {
  return path.ends_with(".gpubin") || path.starts_with("gpubins/") ||
         path.find("/gpubins/") != std::string_view::npos;
}

// A file that is not known is called after its module: "[libc.so.6]".
bool is_source(std::string_view path) {
  return !path.empty() && !path.starts_with('[') && !path.starts_with('<');
}

// Intel's name of a counter that HPCToolkit makes one reason of, so that recordings by either have
// the same word. Its stl_pipe and stl_othr are made of several counters, and stay.
std::string_view intel_name(std::string_view reason) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"isu_unk", "active"},
                                                                      {"stl_gmem", "send"},
                                                                      {"stl_idep", "sbid"},
                                                                      {"stl_ifet", "inst_fetch"},
                                                                      {"stl_sync", "sync"}};
  for (const auto& [theirs, intels] : kNames)
    if (reason == theirs) return intels;
  return reason;
}

}  // namespace

ContextFrames::ContextFrames(const Metadata& metadata, DeviceFrames& device, CodeObjects& objects,
                             ImportedStacks& stacks)
    : metadata_(metadata), device_(device), objects_(objects), stacks_(stacks) {
  const size_t count = metadata.contexts().size();
  cpu_.resize(count);
  device_depth_.resize(count);
  unlaunched_.resize(count);
  for (uint32_t i = 0; i < count; ++i) add(i);
}

bool ContextFrames::begins_device(const Context& context) const {
  uint64_t module = context.module;
  if (context.lexical == Lexical::function) {
    const Function function = metadata_.function(context.function);
    if (function.name.starts_with(kGpu)) return true;
    module = function.module;
  }
  return is_device_module(metadata_.module_path(module));
}

void ContextFrames::add(uint32_t number) {
  const Context& context = metadata_.contexts()[number];
  if (context.lexical == Lexical::entry) {
    const std::string_view name = metadata_.entry_name(context);
    if (name != kMainThread)
      cpu_[number] = stacks_.child(ImportedStacks::kEmpty, "[" + std::string(name) + "]");
    return;
  }
  const uint32_t parent = context.parent;
  cpu_[number] = cpu_[parent];
  unlaunched_[number] = unlaunched_[parent];
  if (device_depth_[parent] > 0) {
    device_depth_[number] = static_cast<uint16_t>(device_depth_[parent] + 1);
    if (device_depth_[number] > kMaxDeviceDepth)
      metadata_.fail("contexts of a device that are nested too deep");
    return;
  }
  if (!begins_device(context)) {
    const uint32_t frame = cpu_frame(context);
    if (frame != kNone) cpu_[number] = stacks_.child(cpu_[parent], frame);
    return;
  }
  device_depth_[number] = 1;
  if (metadata_.contexts()[parent].lexical == Lexical::entry) {
    unlaunched_[number] = true;
    cpu_[number] = stacks_.child(cpu_[parent], "[unknown launch]");
  }
  cpu_[number] = stacks_.child(cpu_[number], "-");
}

// The frame that a context of the CPU adds, or kNone.
uint32_t ContextFrames::cpu_frame(const Context& context) {
  if (context.lexical == Lexical::function) return function_frame(context);
  // Code without a known function is an instruction that was called; one of a function is none.
  if (context.lexical != Lexical::instruction || context.relation == Relation::lexical)
    return kNone;
  return stacks_.frame("[" + std::string(module_name(context.module)) + "]");
}

uint32_t ContextFrames::function_frame(const Context& context) {
  const bool inlined = context.relation == Relation::inlined_call;
  const auto [at, added] = functions_.try_emplace(context.function * 2 + (inlined ? 1 : 0));
  if (!added) return at->second;
  const Function function = metadata_.function(context.function);
  std::string text(without_parameters(function_name(function)));
  if (text.empty() && function.module != 0)
    text = "[" + std::string(module_name(function.module)) + "]";
  else if (text.empty())
    text = "[unknown]";
  const std::string_view file = metadata_.source_path(function.file);
  if (function.module == 0 && file.ends_with(".py"))
    text = python_frame(text, file, function.line, {});
  at->second = stacks_.frame(inlined ? text + "_[i]" : text);
  return at->second;
}

std::string_view ContextFrames::module_name(uint64_t module) const {
  const std::string_view path = metadata_.module_path(module);
  return path.empty() ? "unknown" : path.substr(path.rfind('/') + 1);
}

// Where the source is not known, the module stands behind the name: "f(int) [libf.so]".
std::string_view ContextFrames::function_name(const Function& function) const {
  std::string_view name = function.name;
  const std::string end = " [" + std::string(module_name(function.module)) + "]";
  if (name.ends_with(end)) name.remove_suffix(end.size());
  return name;
}

bool ContextFrames::is_instruction(uint32_t context) const {
  return metadata_.contexts()[context].lexical == Lexical::instruction;
}

// What stands between the boundary and a context.
ContextFrames::DevicePath ContextFrames::device_path(uint32_t number) const {
  const std::vector<Context>& all = metadata_.contexts();
  DevicePath out;
  for (uint32_t at = number;; at = all[at].parent) {
    const Context& one = all[at];
    if (one.lexical == Lexical::line && !out.has_kernel && out.source.line == 0) {
      const std::string_view file = metadata_.source_path(one.file);
      if (is_source(file)) out.source.line_file = file, out.source.line = one.line;
    }
    if (one.lexical == Lexical::function) {
      const Function function = metadata_.function(one.function);
      if (function.name.starts_with(kGpu)) {
        if (function.name != kKernel) out.operation = function.name;
        break;
      }
      // the outermost function is the kernel
      if (out.has_kernel) out.source.functions.push_back(function_name(out.kernel));
      out.kernel = function;
      out.has_kernel = true;
      if (one.relation != Relation::inlined_call && out.holder.module == 0) out.holder = function;
    }
    if (device_depth_[at] == 1) break;
  }
  std::reverse(out.source.functions.begin(), out.source.functions.end());
  if (const auto file = metadata_.source_path(out.kernel.file); is_source(file))
    out.source.file = file;
  return out;
}

std::string ContextFrames::device_text(uint32_t number, std::string_view reason) {
  DevicePath path = device_path(number);
  if (!path.operation.empty())
    return device_frame("[" + std::string(path.operation.substr(1, path.operation.size() - 2)) +
                        "]");
  DeviceCode code;
  code.reason = reason;
  if (path.has_kernel) {
    code.kernel = function_name(path.kernel);
    code.start = objects_.place(metadata_.module_path(path.kernel.module), path.kernel.offset);
  }
  const Context& own = metadata_.contexts()[number];
  if (own.lexical == Lexical::instruction) {
    code.place = objects_.place(metadata_.module_path(own.module), own.offset);
    if (code.place && objects_.is_intel()) code.reason = intel_name(reason);
    if (path.holder.module == own.module && own.offset >= path.holder.offset)
      code.offset = own.offset - path.holder.offset;
  }
  code.source = std::move(path.source);
  return device_.fold(code, &unnamed_);
}

uint32_t ContextFrames::stack(uint32_t root, uint32_t context, std::string_view reason) {
  uint32_t out = stacks_.append(root, cpu_[context]);
  if (!is_on_device(context)) return out;
  const std::string text = device_text(context, reason);
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = rest.find(';');
    out = stacks_.child(out, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return out;
}

}  // namespace aiflame::hpctoolkit
