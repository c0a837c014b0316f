// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/python_frames.h"

#include "libcommon/base/utf8.h"

namespace aiflame::record {
namespace {

// Replaces each byte that is not UTF-8 with '?'. The writer escapes control bytes.
void append_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::string_view rest = text;
    const uint32_t code = take_code_point(rest);
    const std::string_view taken = text.substr(0, text.size() - rest.size());
    out += code == kReplacement && taken.size() == 1 ? "?" : taken;
    text = rest;
  }
}

}  // namespace

void PythonFrames::add(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
                       uint32_t line) {
  // a number that is reported again has the same text
  if (symbols_.contains({pid, id})) return;
  // of the entry, with the replacements and the line
  const uint64_t bytes = 112 + function.size() + file.size();
  if (!budgets_.take(Kept::texts, pid, bytes)) return;
  std::string symbol = "py::";
  append_text(symbol, function);
  symbol += ':';
  append_text(symbol, file);
  symbol += ':';
  symbol += line == 0 ? "?" : std::to_string(line);
  symbols_.try_emplace({pid, id}, std::move(symbol));
}

GpustallFrame PythonFrames::frame(uint32_t pid, uint64_t id) const {
  const auto known = symbols_.find({pid, id});
  return {0, known == symbols_.end() ? "[unknown]" : known->second, GpustallFrame::kNoOffset,
          std::string(kPythonObject)};
}

void PythonFrames::forget(uint32_t pid) {
  symbols_.erase(symbols_.lower_bound({pid, 0}), symbols_.upper_bound({pid, UINT64_MAX}));
  budgets_.give_back_all(Kept::texts, pid);
}

std::string_view without_line(std::string_view symbol) {
  return symbol.substr(0, symbol.rfind(':'));
}

}  // namespace aiflame::record
