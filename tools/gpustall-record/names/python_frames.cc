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
  if (bytes_ > kMaxBytes) return;
  std::string symbol = "py::";
  append_text(symbol, function);
  symbol += ':';
  append_text(symbol, file);
  symbol += ':';
  symbol += line == 0 ? "?" : std::to_string(line);
  // a number that is reported again has the same text
  const auto [at, is_new] = symbols_.try_emplace({pid, id}, std::move(symbol));
  if (is_new) bytes_ += sizeof(*at) + at->second.size();
}

GpustallFrame PythonFrames::frame(uint32_t pid, uint64_t id) const {
  const auto known = symbols_.find({pid, id});
  return {0, known == symbols_.end() ? "[unknown]" : known->second, GpustallFrame::kNoOffset,
          std::string(kPythonObject)};
}

void PythonFrames::forget(uint32_t pid) {
  const auto first = symbols_.lower_bound({pid, 0});
  const auto last = symbols_.upper_bound({pid, UINT64_MAX});
  for (auto at = first; at != last; ++at) bytes_ -= sizeof(*at) + at->second.size();
  symbols_.erase(first, last);
}

std::string_view without_line(std::string_view symbol) {
  return symbol.substr(0, symbol.rfind(':'));
}

}  // namespace aiflame::record
