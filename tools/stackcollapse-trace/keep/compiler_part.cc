// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/compiler_part.h"

#include "libcommon/import/compiled_code.h"

namespace aiflame::trace {
namespace {

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

// The file of "/a/model.py(41): step".
std::string_view file_of(std::string_view name) {
  const size_t end = name.rfind("): ");
  return end == std::string_view::npos ? std::string_view() : name.substr(0, name.rfind('(', end));
}

CompilerPart part_of_function(std::string_view name) {
  // they translate a function, and a graph, while the program runs
  if (has(name, "torch/_dynamo/convert_frame.py") || has(name, "torch/_inductor/graph.py"))
    return CompilerPart::compiling;
  if (!compiled_file(file_of(name)).empty()) return CompilerPart::code;
  for (const std::string_view folder : {"torch/_dynamo/", "torch/_functorch/", "torch/_inductor/"})
    if (has(name, folder)) return CompilerPart::compiler;
  // Triton's launcher is made at run time
  if (name.starts_with("<string>(") && name.ends_with(": launcher")) return CompilerPart::compiler;
  if (has(name, "torch/") || name.starts_with("<built-in ")) return CompilerPart::pytorch;
  return CompilerPart::none;
}

CompilerPart part_of_operator(std::string_view name) {
  if (name.starts_with("## Call CompiledFxGraph ")) return CompilerPart::code;
  for (const std::string_view prefix :
       {"Torch-Compiled Region: ", "CompiledFunction", "TorchDynamo Cache Lookup",
        "AOTDispatcher Runtime Wrapper Prologue", "Pregraph bytecode",
        "autograd::engine::evaluate_function: CompiledFunction"})
    if (name.starts_with(prefix)) return CompilerPart::compiler;
  return CompilerPart::none;
}

}  // namespace

CompilerPart compiler_part(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::python:
      return part_of_function(name);
    case Kind::module:
      return has(name, "OptimizedModule") ? CompilerPart::compiler : CompilerPart::none;
    case Kind::op:
    case Kind::range:
      return part_of_operator(name);
    case Kind::runtime:
    case Kind::forward:
    case Kind::plain:
      break;
  }
  return CompilerPart::none;
}

}  // namespace aiflame::trace
