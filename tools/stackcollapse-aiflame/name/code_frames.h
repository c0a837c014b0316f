// SPDX-License-Identifier: MIT
// The functions at an address, inlined ones too, as folded frames (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/perf_script/frame_names.h"
#include "libcommon/symbols/dwarf.h"

namespace aiflame::collapse {

// What is asked of debug information.
struct SourceRules {
  bool inlined = false;  // --inline
  bool context = false;  // --context: file and line of what --inline has found
  bool lines = false;    // --srcline
  bool any() const { return inlined || lines; }
  SourceDetail detail() const {
    return context || lines ? SourceDetail::places : SourceDetail::names;
  }
};

// One function at an address: a frame line, and its file and line or nothing.
struct CodeFrame {
  std::string line;
  std::string source;
  bool inlined = false;
};

// `dir/file.cc`, 7 as `file.cc:7`; nothing where there is no file.
std::string source_text(std::string_view file, uint32_t line);

// Appends a frame line for each function that debug information knows at an address, innermost
// first: `line` is that of the address, `symbol` the name in it.
void add_sources(std::string_view line, std::string_view symbol,
                 const std::vector<SourceFrame>& functions, std::vector<CodeFrame>& out);

// The functions at an address, innermost first, as folded frames, root first: the inlined ones
// marked _[i].
std::string fold_code(const std::vector<CodeFrame>& code, std::string_view root,
                      const FrameRules& rules);

}  // namespace aiflame::collapse
