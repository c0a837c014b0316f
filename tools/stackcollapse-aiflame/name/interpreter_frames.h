// SPDX-License-Identifier: MIT
// --hide-interpreter: CPython's own functions, which carry out what the Python functions (py::)
// beside them say.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

// A function by which CPython runs, calls or resumes another one, or a function of the interpreter
// without a name: `_PyEval_EvalFrameDefault`, `[python3.11]`. `frame` as folded(5) has it.
bool is_interpreter_frame(std::string_view frame);

class InterpreterFrames {
 public:
  // Of all texts that there are now; it adds those that are left of a text of several frames.
  explicit InterpreterFrames(TextTable& texts);

  // Takes the interpreter's frames out of those from `begin` on, numbers of texts, if there is a
  // Python function among them. What is left may be nothing but that.
  void hide(std::vector<uint32_t>& frames, size_t begin) const;

 private:
  struct Text {
    bool has_python = false;
    uint32_t rest = 0;  // without the interpreter's; 0 = nothing
  };
  std::vector<Text> texts_;
};

}  // namespace aiflame::collapse
