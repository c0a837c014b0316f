// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/stack_frames.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/device/short_name.h"
#include "libcommon/io/input.h"

namespace aiflame::torch_memory {
namespace {

// Every stack ends in functions of the recorder of stacks, the C library, the dispatcher and the
// allocator itself. _memory_viz.py leaves most of them out, too.
constexpr std::string_view kNoise[] = {
    "torch::unwind::unwind", "torch::CapturedTraceback::gather",
    "gather_with_cpp",       "__libc_start_main",
    "__libc_init_first",     "c10::impl::wrap_kernel_functor",
    "::redispatch(",         "CachingAllocator::",
};

bool is_python_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '<' || c == '>' || c == '.';
  });
}

// "/a/train.py", "<string>", "<eval_with_key>.12"; a script without an ending, "/a/train", has
// lines, as C++ without debug information has not.
bool is_python_file(std::string_view name, std::string_view file, uint32_t line) {
  if (file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<')) return true;
  const std::string_view base = file.substr(file.rfind('/') + 1);
  return line > 0 && !base.empty() && base != "??" && base.find('.') == std::string_view::npos &&
         is_python_name(name);
}

// Python's own functions: PyObject_Vectorcall, _PyEval_EvalFrameDefault, Py_RunMain.
bool is_interpreter(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  return name.starts_with("Py") && name.find(':') == std::string_view::npos;
}

}  // namespace

FrameKind frame_kind(std::string_view name, std::string_view file, uint32_t line) {
  if (is_python_file(name, file, line)) return FrameKind::python;
  if (name.find("Engine::thread_init(") != std::string_view::npos ||
      name.find("Engine::thread_main(") != std::string_view::npos)
    return FrameKind::autograd;
  if (name == "_start" || name == "__clone" || name == "main" || is_interpreter(name))
    return FrameKind::noise;
  for (const std::string_view one : kNoise)
    if (name.find(one) != std::string_view::npos) return FrameKind::noise;
  return FrameKind::native;
}

StackFrames::Known& StackFrames::known(uint32_t frame) {
  if (frames_.size() < snapshot_.frames.size()) frames_.resize(snapshot_.frames.size());
  Known& out = frames_[frame];
  if (out.text != kUnknown) return out;
  const Frame& from = snapshot_.frames.key(frame);
  const std::string_view name = from.name == 0 ? "" : snapshot_.texts.text(from.name);
  const std::string_view file = from.file == 0 ? "" : snapshot_.texts.text(from.file);
  const NameRules& rules = settings_.import.names;
  out.kind = frame_kind(name, file, from.line);
  if (out.kind == FrameKind::python)
    out.text = stacks_.frame(python_frame(name, file, from.line, rules));
  else
    out.text = stacks_.frame(rules.full_names ? std::string(name) : short_name(name));
  return out;
}

uint32_t StackFrames::on(uint32_t below, uint32_t stack) {
  std::vector<Known> frames;
  snapshot_.stacks.each(stack, [&](uint32_t frame) { frames.push_back(known(frame)); });
  const auto has = [&](FrameKind kind) {
    return std::any_of(frames.begin(), frames.end(),
                       [&](const Known& frame) { return frame.kind == kind; });
  };
  if (frames.empty()) return stacks_.child(below, "[no stack]");
  const bool python = has(FrameKind::python);
  if (!python) {
    // Backward passes run in threads without Python. What is outside of their beginning is the
    // C library's, and often wrongly named.
    const auto begin = std::find_if(frames.begin(), frames.end(), [](const Known& frame) {
      return frame.kind == FrameKind::autograd;
    });
    if (begin != frames.end()) below = stacks_.child(below, "[autograd thread]");
    frames.erase(begin, frames.end());
  }
  const bool only_noise = !has(FrameKind::python) && !has(FrameKind::native);
  uint64_t size = 0;
  for (size_t i = frames.size(); i-- > 0;) {  // the innermost comes first
    const Known& frame = frames[i];
    if (python && !settings_.native && frame.kind != FrameKind::python) continue;
    if (frame.kind == FrameKind::noise && !only_noise) continue;
    size += stacks_.text(frame.text).size() + 1;
    if (size > LineReader::kMaxLine)
      throw Error(snapshot_.name + ": a stack of more than 16 MiB of text");
    below = stacks_.child(below, frame.text);
  }
  return below;
}

}  // namespace aiflame::torch_memory
