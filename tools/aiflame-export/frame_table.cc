// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/frame_table.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"
#include "libcommon/folded/folded.h"

namespace aiflame::exporter {
namespace {

// "train.py:41", or "train.py"
SourcePlace split_place(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos)
    if (const auto line = parse_number<uint32_t>(text.substr(colon + 1)))
      return {text.substr(0, colon), *line};
  return {text};
}

}  // namespace

SourcePlace source_place(std::string_view frame) {
  constexpr std::string_view kPython = "py::";
  if (frame.starts_with(kPython)) {
    const std::string_view function = frame.substr(kPython.size());
    const size_t colon = function.find(':');
    if (colon == std::string_view::npos) return {};
    return split_place(function.substr(colon + 1));
  }
  switch (role_of(frame)) {
    case FrameRole::line:
    case FrameRole::file:
      return split_place(without_annotation(frame));
    default:
      return {};
  }
}

uint32_t FrameTable::number(std::string_view frame) {
  std::string safe;
  if (frame.empty())
    frame = "[unknown]";
  else if (!is_printable(frame))
    frame = safe = printable(frame);
  bool added = false;
  const uint32_t number = texts_.number(frame, &added);
  if (added) roles_.push_back(role_of(frame));
  return number;
}

}  // namespace aiflame::exporter
