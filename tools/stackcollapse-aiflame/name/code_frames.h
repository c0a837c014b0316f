// SPDX-License-Identifier: MIT
// Folded frames of CPU code, inlined functions included (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/compiled_code.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/symbols/dwarf.h"

namespace aiflame::collapse {

// What the user wants from debug information, and from the log of PyTorch's compiler.
struct SourceRules {
  bool inlined = false;  // --inline
  bool context = false;  // --context: file and line of the functions that --inline finds
  bool lines = false;    // --srcline
  const CompiledCode* compiled = nullptr;  // --inductor
  bool any() const { return inlined || lines; }
  SourceDetail detail() const {
    return context || lines ? SourceDetail::places : SourceDetail::names;
  }
};

// One function at an address.
struct CodeFrame {
  std::string line;    // as `perf script` prints a frame
  std::string source;  // `file.cc:7`, or empty
  bool inlined = false;
};

// `dir/file.cc`, 7 as `file.cc:7`; empty without a file.
std::string source_text(std::string_view file, uint32_t line);

// Appends a frame for each of `functions`, the functions at an address, innermost first. `line` is
// the frame line of the address, and `symbol` the name in it.
void add_sources(std::string_view line, std::string_view symbol,
                 const std::vector<SourceFrame>& functions, std::vector<CodeFrame>& out);

// Turns the functions at an address, innermost first, into folded frames, root first. Inlined ones
// are marked _[i]. `root` and `rules` are those of fold_frame().
std::string fold_code(const std::vector<CodeFrame>& code, std::string_view root,
                      const FrameRules& rules);

}  // namespace aiflame::collapse
