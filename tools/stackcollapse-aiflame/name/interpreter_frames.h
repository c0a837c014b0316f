// SPDX-License-Identifier: MIT
// --hide-interpreter removes CPython's own functions, which only execute the Python functions
// (py::) in the same stack.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

// Whether a frame, in the form of folded(5), is a function by which CPython runs, calls or resumes
// another one, or a function of the interpreter that has no symbol: `_PyEval_EvalFrameDefault`,
// `[python3.11]`.
bool is_interpreter_frame(std::string_view frame);

class InterpreterFrames {
 public:
  // Classifies all texts that exist now. Where a text of several frames loses some, it adds a text
  // with the remaining ones.
  explicit InterpreterFrames(TextTable& texts);

  // Removes the interpreter's frames from frames[begin…], which are numbers of texts. Does nothing
  // without a Python function among them. Only Python functions may remain.
  void hide(std::vector<uint32_t>& frames, size_t begin) const;

 private:
  struct Text {
    bool has_python = false;
    uint32_t rest = 0;  // the text without the interpreter's frames; 0: nothing is left
  };
  std::vector<Text> texts_;
};

}  // namespace aiflame::collapse
