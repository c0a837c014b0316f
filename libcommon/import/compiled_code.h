// SPDX-License-Identifier: MIT
// What PyTorch's compiler, Inductor, says of the code that it makes (pure, but for reading files).
//
// torch.compile turns a graph of a model into a Python file, the wrapper, which calls the kernels:
//
//   # Topologically Sorted Source Nodes: [input_1, input_2], Original ATen: [aten.addmm, aten.gelu]
//   # [Provenance debug handles] triton_poi_fused_gelu_view_7:13
//   stream0 = get_raw_stream(0)
//   triton_poi_fused_gelu_view_7.run(buf22, buf23, 2097152, stream=stream0)
//
// With INDUCTOR_PROVENANCE=1 and TORCH_TRACE=DIR the compiler also writes a log. It holds each
// wrapper, and then for each handle the lines of the model that the kernel was made of.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// A line of a Python function.
struct ModelLine {
  std::string file, function;
  uint64_t line = 0;
  bool operator==(const ModelLine&) const = default;
};
// Outermost first.
using ModelStack = std::vector<ModelLine>;

// A call of a kernel in a wrapper.
struct CompiledKernel {
  std::string name;                // triton_poi_fused_gelu_view_7, extern_kernels.mm
  uint64_t line = 0;               // of the wrapper, from 1
  std::string handle;              // "NAME:13"; empty: the wrapper has no provenance
  std::vector<std::string> nodes;  // the model's operations in it, without their numbers
  std::vector<ModelStack> stacks;  // the model's lines in it; empty: not known
};

// A wrapper.
struct CompiledGraph {
  std::vector<CompiledKernel> kernels;  // in the order in which they are called
};

// "  File \"/a/model.py\", line 23, in forward\n    x = self.a(x)\n", and so on, outermost first.
// Lines of another form are passed over.
ModelStack parse_model_stack(std::string_view text);

// The part of the stacks that all of them share, from the root. Where they part within one
// function, that function without a line is its last.
ModelStack common_model_stack(std::span<const CompiledKernel* const> kernels);

// "ap/capby7…zhzf.py" → "capby7…zhzf": the wrapper's name, which is a hash of its text. Empty: the
// path is not of a file that Inductor has made.
std::string_view compiled_file(std::string_view path);

class CompiledCode {
 public:
  // Reads a log of TORCH_TRACE, a wrapper (*.py), or a copy of one with what lies beside it
  // (output_code.py of TORCH_COMPILE_DEBUG=1). Throws Error with "path:line: what".
  void read(const std::string& path);

  bool empty() const { return graphs_.empty(); }
  // By compiled_file(), and by the key of Inductor's cache, which traces show as
  // "## Call CompiledFxGraph KEY ##"; null: none.
  const CompiledGraph* of_file(std::string_view file) const;
  const CompiledGraph* of_key(std::string_view key) const;
  // Kernels, and those of them whose lines are known.
  size_t kernels() const;
  size_t with_lines() const;

 private:
  class LogReader;

  void read_debug_wrapper(const std::string& path);

  std::map<std::string, CompiledGraph, std::less<>> graphs_;
  std::map<std::string, std::string, std::less<>> files_by_key_;
  std::string last_debug_;  // the wrapper that what follows is of; empty: none
  size_t model_lines_ = 0;  // in all graphs
};

// The files of the operands of --inductor: of a directory, its logs (*.log, *.log.gz, *.log.zst),
// else the copies of wrappers that TORCH_COMPILE_DEBUG=1 has made, else the wrappers in it and in
// its folders, sorted. Throws Error where a directory has none of them.
std::vector<std::string> compiled_code_files(const std::vector<std::string>& given);

}  // namespace aiflame
