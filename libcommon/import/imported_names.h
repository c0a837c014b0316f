// SPDX-License-Identifier: MIT
// Frames in the forms of folded(5), from names as other profilers write them (pure). The results go
// through ImportedStacks::frame(), which makes them safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// What the user wants of names; the same options as stackcollapse-aiflame's.
struct NameRules {
  bool full_names = false;  // --full-names: functions with parameters
  bool full_paths = false;  // --full-paths: files with directories
  bool lines = false;       // --srcline: py::FUNCTION:FILE:LINE
};

// PyTorch's names of Python functions and modules:
//
//   /a/train.py(41): step                                    py::step:train.py
//   /a/train.py(43): <lambda>                                py::<lambda>:train.py:43
//   <built-in method mm of type object at 0x7f2a>            py::<built-in method mm>
//   nn.Module: Linear_3                                      Linear_3_[m]
//
// Another text is a Python function without a file.
std::string python_frame(std::string_view name, const NameRules& rules);
// py::FUNCTION:FILE, of the parts. Line 0: not known.
std::string python_frame(std::string_view function, std::string_view file, uint64_t line,
                         const NameRules& rules);
// An operator of a framework: aten::mm_[o]
std::string operator_frame(std::string_view name);
// A module of a model: Linear_3_[m]
std::string module_frame(std::string_view name);
// A range that the program marked: NVTX, roctx, ITT, record_function(): forward_[r]
std::string range_frame(std::string_view name);
// A kernel or device function, mangled or not, as stackcollapse-aiflame names it: gemm<float>_[G]
std::string kernel_frame(std::string_view name, const NameRules& rules);
// What the driver does on its own account, under the source's name: Memcpy HtoD_[G]
std::string device_frame(std::string_view name);
// A source file or line on the device: matmul.cl_[G], matmul.cl:41_[G]
std::string device_file_frame(std::string_view path, uint64_t line, const NameRules& rules);
// The mnemonic of an instruction in SASS, Intel's or AMD's text, without its operands and its
// predicate: `@!P0 LDG.E.64 R2, [R4]` is LDG.E.64_[g].
std::string instruction_frame(std::string_view text);
// A stall reason by the name that the reports and colours know: long_scoreboard_[g]
std::string reason_frame(std::string_view name);
// 0xa30_[g]
std::string offset_frame(uint64_t offset);

}  // namespace aiflame
