// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/code_frames.h"

#include "libcommon/base/program.h"
#include "libcommon/perf_script/perf_script.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame::collapse {

std::string source_text(std::string_view file, uint32_t line) {
  if (file.empty()) return "";
  return printable(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

void add_sources(std::string_view line, std::string_view symbol,
                 const std::vector<SourceFrame>& functions, std::vector<CodeFrame>& out) {
  FrameText text;
  if (!split_frame(line, text)) return;
  for (const SourceFrame& function : functions) {
    const bool outermost = &function == &functions.back();
    // A static function has no linkage name, and its full name, `(anonymous namespace)::f`, is only
    // in the symbol table. addr2line(1) prints it too.
    const bool by_symbol = function.function.empty() || (outermost && !function.linkage);
    CodeFrame& frame = out.emplace_back();
    frame.line.assign(text.address).append(" ");
    frame.line += by_symbol ? std::string(symbol) : printable(demangle(function.function, false));
    // the offset only marks the preceding text as a symbol
    frame.line.append("+0x0 (").append(text.object).append(")");
    frame.inlined = !outermost;
    frame.source = source_text(function.file, function.line);
  }
}

std::string fold_code(const std::vector<CodeFrame>& code, std::string_view root,
                      const FrameRules& rules) {
  std::string out;
  for (auto frame = code.rbegin(); frame != code.rend(); ++frame) {
    std::string name = fold_frame(frame->line, root, frame->inlined ? "" : frame->source, rules);
    if (name.empty()) continue;
    if (frame->inlined) {
      if (name.find("_[i]") == std::string::npos) name += "_[i]";
      if (!frame->source.empty()) name.append(":").append(folded_text(frame->source));
    }
    if (!out.empty()) out += ';';
    out += name;
  }
  return out;
}

}  // namespace aiflame::collapse
