// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/interpreter_frames.h"

#include <algorithm>
#include <string>

namespace aiflame::collapse {
namespace {

// stackcollapse-aiflame(1) has the same list. A star matches any ending.
constexpr std::string_view kFunctions[] = {
    // running code
    "_PyEval_EvalFrame", "_PyEval_EvalFrameDefault", "_PyEval_Vector", "PyEval_EvalCode",
    "PyEval_EvalFrame", "PyEval_EvalFrameEx", "run_eval_code_obj", "run_mod",
    "py_trampoline_evaluator",
    // calling
    "_PyFunction_Vectorcall", "PyObject_Vectorcall*", "_PyObject_Vectorcall*", "PyObject_Call*",
    "_PyObject_Call*", "_PyObject_FastCall*", "_PyObject_MakeTpCall", "PyVectorcall_Call",
    "_PyVectorcall_Call", "vectorcall_*", "method_vectorcall*", "cfunction_call*",
    "cfunction_vectorcall*", "object_vacall", "type_call", "slot_tp_call", "slot_tp_init",
    "slot_tp_new",
    // resuming a generator
    "gen_send*", "gen_iternext", "_PyGen_Send", "PyGen_am_send", "PyIter_Send",
    // beginning
    "Py_Main", "Py_BytesMain", "Py_RunMain", "pymain_*", "PyRun_*", "_PyRun_*", "pyrun_*",
    "thread_run", "pythread_wrapper"};

// `[python3.11]`, `[libpython3.13.so.1.0 <7f31>]`
bool is_unnamed(std::string_view frame) {
  return frame.ends_with(']') &&
         (frame.starts_with("[python3") || frame.starts_with("[libpython3"));
}

}  // namespace

bool is_interpreter_frame(std::string_view frame) {
  // `run_mod.constprop.0`, `gen_iternext_[i]`, `run_mod:pythonrun.c:1713`
  const size_t end = std::min({frame.find('.'), frame.find(':'), frame.find("_[")});
  const std::string_view name = frame.substr(0, end);
  return is_unnamed(frame) ||
         std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](std::string_view function) {
           if (!function.ends_with('*')) return name == function;
           return name.starts_with(function.substr(0, function.size() - 1));
         });
}

InterpreterFrames::InterpreterFrames(TextTable& texts) {
  const auto count = static_cast<uint32_t>(texts.size());
  texts_.resize(count);
  std::string rest;
  for (uint32_t number = 0; number < count; ++number) {
    Text& text = texts_[number];
    rest.clear();
    bool is_changed = false;
    std::string_view frames = texts.text(number);
    while (!frames.empty()) {
      const size_t end = std::min(frames.find(';'), frames.size());
      const std::string_view frame = frames.substr(0, end);
      frames.remove_prefix(std::min(end + 1, frames.size()));
      text.has_python = text.has_python || frame.starts_with("py::");
      if (is_interpreter_frame(frame)) {
        is_changed = true;
        continue;
      }
      if (!rest.empty()) rest += ';';
      rest += frame;
    }
    text.rest = !is_changed ? number : rest.empty() ? 0 : texts.number(rest);
  }
}

void InterpreterFrames::hide(std::vector<uint32_t>& frames, size_t begin) const {
  const auto first = frames.begin() + static_cast<ptrdiff_t>(begin);
  if (std::none_of(first, frames.end(), [&](uint32_t i) { return texts_[i].has_python; })) return;
  std::for_each(first, frames.end(), [&](uint32_t& i) { i = texts_[i].rest; });
  frames.erase(std::remove(first, frames.end(), 0u), frames.end());
}

}  // namespace aiflame::collapse
