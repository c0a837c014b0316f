// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/compiler_frames.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/import/compiled_frames.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/perf_script/perf_script.h"
#include "tools/stackcollapse-aiflame/name/interpreter_frames.h"

namespace aiflame::collapse {
namespace {

// A Python frame, py::FUNCTION:FILE or py::FUNCTION:FILE:LINE, without its line.
struct PythonFrame {
  std::string_view function, file;
  uint64_t line = 0;
};

std::optional<PythonFrame> parse_python_frame(std::string_view text) {
  constexpr std::string_view kPython = "py::";
  if (!text.starts_with(kPython)) return std::nullopt;
  text.remove_prefix(kPython.size());
  PythonFrame out;
  const size_t colon = text.find(':');
  out.function = text.substr(0, colon);
  if (colon == std::string_view::npos) return out;
  out.file = text.substr(colon + 1);
  const size_t last = out.file.rfind(':');
  if (last == std::string_view::npos) return out;
  if (const auto line = parse_number<uint64_t>(out.file.substr(last + 1))) {
    out.line = *line;
    out.file = out.file.substr(0, last);
  }
  return out;
}

// Files of PyTorch's in which all functions call compiled code or launch its kernels, as of
// PyTorch 2.11 and 2.14.
constexpr std::string_view kFiles[] = {
    "eval_frame.py",  "aot_autograd.py",         "runtime_wrappers.py",
    "output_code.py", "triton_heuristics.py",    "static_triton_launcher.py",
    "compile_fx.py",  "static_cuda_launcher.py", "cudagraph_trees.py"};
// Functions of files with a name that others have too.
constexpr std::string_view kFunctions[] = {"call_func_at_runtime_with_args",
                                           "make_boxed_func.<locals>.g",
                                           "align_inputs_from_check_idxs.<locals>.run"};
// What else PyTorch calls in between.
constexpr std::string_view kBetween[] = {"Module._call_impl", "Module._wrapped_call_impl",
                                         "Function.apply", "BackwardCFunction.apply"};

template <size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::optional<std::string> compiled_lines(std::string_view line, const CompiledCode& code,
                                          bool full_paths) {
  ScriptFrame frame;
  if (!parse_frame(line, frame)) return std::nullopt;
  const auto python = parse_python_frame(frame.symbol);
  if (!python || python->line == 0) return std::nullopt;
  const std::string_view file = compiled_file(python->file);
  const CompiledGraph* graph = file.empty() ? nullptr : code.of_file(file);
  if (graph == nullptr) return std::nullopt;
  const auto kernel =
      std::find_if(graph->kernels.begin(), graph->kernels.end(),
                   [&](const CompiledKernel& one) { return one.line == python->line; });
  if (kernel == graph->kernels.end()) return std::nullopt;
  const CompiledKernel* const one = &*kernel;
  const CompiledFrames frames = compiled_frames({&one, 1}, {.full_paths = full_paths});
  std::string out;
  for (const std::string& each : frames.lines) out += folded_text(each) + ";";
  out += kCompiled;
  if (!frames.fused.empty()) out += ";" + folded_text(frames.fused);
  return out;
}

CompilerFrames::CompilerFrames(TextTable& texts) : texts_(texts) {
  const auto count = static_cast<uint32_t>(texts.size());
  uint32_t first = 0;
  while (first < count && !is_code(code_part_of(texts.text(first)))) ++first;
  if (first == count) return;
  compiled_ = texts.number(kCompiled);
  parts_.reserve(count);
  for (uint32_t number = 0; number < count; ++number) parts_.push_back(part_of(texts.text(number)));
}

// Part::wrapper or Part::lines, or another one.
CompilerFrames::Part CompilerFrames::code_part_of(std::string_view text) {
  if (text.starts_with(kCompiled) || text.find(";[compiled]") != text.npos) return Part::lines;
  const auto python = parse_python_frame(text);
  return python && !compiled_file(python->file).empty() ? Part::wrapper : Part::native;
}

CompilerFrames::Part CompilerFrames::part_of(std::string_view text) {
  if (text == "[cuda graph]" || text == "[command list]") return Part::mark;
  if (const Part code = code_part_of(text); is_code(code)) return code;
  const auto python = parse_python_frame(text);
  if (!python) return is_interpreter_frame(text) ? Part::interpreter : Part::native;
  const std::string_view file = base_name(python->file);
  if (is_one_of(file, kFiles) || is_one_of(python->function, kFunctions) ||
      (python->function == "launcher" && file == "<string>"))
    return Part::compiler;
  return is_one_of(python->function, kBetween) ? Part::pytorch : Part::python;
}

void CompilerFrames::fold(std::vector<uint32_t>& frames, size_t begin) const {
  if (parts_.empty() || std::none_of(frames.begin() + static_cast<ptrdiff_t>(begin), frames.end(),
                                     [&](uint32_t frame) { return is_code(part(frame)); }))
    return;
  std::vector<uint32_t> out(frames.begin(), frames.begin() + static_cast<ptrdiff_t>(begin));
  const uint32_t* const end = frames.data() + frames.size();
  for (const uint32_t* at = frames.data() + begin; at < end;) {
    const uint32_t* const mark =
        std::find_if(at, end, [&](uint32_t frame) { return part(frame) == Part::mark; });
    fold_stack(at, mark, out);
    if (mark != end) out.push_back(*mark);
    at = mark == end ? end : mark + 1;
  }
  frames = std::move(out);
}

void CompilerFrames::fold_stack(const uint32_t* begin, const uint32_t* end,
                                std::vector<uint32_t>& out) const {
  const auto is_compilers = [&](uint32_t frame) { return part(frame) >= Part::compiler; };
  const auto is_interpreters = [&](uint32_t frame) { return part(frame) == Part::interpreter; };
  const uint32_t* first = std::find_if(begin, end, is_compilers);
  if (first == end) {
    out.insert(out.end(), begin, end);
    return;
  }
  const uint32_t* last = end;  // behind the compiler's last frame
  while (!is_compilers(last[-1])) --last;
  // functions of CPython and PyTorch that call the first one, and CPython's that the last one calls
  while (first != begin && (is_interpreters(first[-1]) || part(first[-1]) == Part::pytorch))
    --first;
  while (last != end && is_interpreters(*last)) ++last;
  // the innermost wrapper
  const uint32_t* code = last;
  while (code != first && !is_code(part(code[-1]))) --code;
  code = code == first ? last : code - 1;

  out.insert(out.end(), begin, first);
  for (const uint32_t* at = first; at != last; ++at) {
    if (at == code)
      out.push_back(part(*at) == Part::lines ? *at : compiled_);
    else if (part(*at) == Part::python &&
             !(at < code && code != last && is_compiled_function(*at, *code)))
      out.push_back(*at);
  }
  out.insert(out.end(), last, end);
}

// Whether a frame is the function that was compiled: the outermost of the model's lines.
bool CompilerFrames::is_compiled_function(uint32_t frame, uint32_t lines) const {
  const std::string_view text = texts_.text(lines);
  const auto line = parse_python_frame(text.substr(0, text.find(';')));
  return line && is_function_of(texts_.text(frame),
                                {std::string(line->file), std::string(line->function), line->line});
}

}  // namespace aiflame::collapse
