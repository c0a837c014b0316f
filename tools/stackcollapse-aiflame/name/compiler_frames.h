// SPDX-License-Identifier: MIT
// Folds the frames of torch.compile: between a model and its compiled code, the wrapper of
// Inductor's, stand some thirty functions that are the same for every model.
//
//   py::step:train.py; py::compile_wrapper:eval_frame.py; …; py::Runner.call:cogq….py;
//   py::CachingAutotuner.run:triton_heuristics.py; py::launcher:<string>; …; launchKernel
//
// becomes py::step:train.py; [compiled]; launchKernel. Where the model's lines are known,
// compiled_lines() has put them in the wrapper's place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/compiled_code.h"
#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

// The model's lines and [compiled] for a frame line of a wrapper, joined by ';':
//
//   0 py::Runner.call:/tmp/torchinductor_u/og/cogq….py:1112 ([python])
//   py::forward:net.py:58;py::attend:net.py:40;[compiled];[fused: matmul, softmax at net.py:39,40]
//
// Nothing for other frames, and where the wrapper's line calls no kernel that `code` knows.
std::optional<std::string> compiled_lines(std::string_view line, const CompiledCode& code,
                                          bool full_paths);

class CompilerFrames {
 public:
  // Classifies all texts that exist now.
  explicit CompilerFrames(TextTable& texts);

  // Folds frames[begin…], numbers of texts, if compiled code is among them.
  void fold(std::vector<uint32_t>& frames, size_t begin) const;

 private:
  enum class Part : uint8_t {
    native,  // no Python function
    interpreter,
    python,
    pytorch,  // what stands between functions of the compiler
    compiler,
    wrapper,
    lines,  // compiled_lines()
    mark,   // [cuda graph]: another stack follows
  };

  static Part part_of(std::string_view text);
  static Part code_part_of(std::string_view text);
  static bool is_code(Part part) { return part == Part::wrapper || part == Part::lines; }
  Part part(uint32_t text) const { return parts_[text]; }
  void fold_stack(const uint32_t* begin, const uint32_t* end, std::vector<uint32_t>& out) const;
  bool is_compiled_function(uint32_t frame, uint32_t lines) const;

  const TextTable& texts_;
  uint32_t compiled_ = 0;    // the text [compiled]
  std::vector<Part> parts_;  // by text; empty: there is no compiled code
};

}  // namespace aiflame::collapse
