// SPDX-License-Identifier: MIT
// Folds frame lines of `perf script` text. With --inline it adds the functions that are inlined
// there, from the debug information of the objects that the lines name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcommon/perf_script/perf_script.h"
#include "libcommon/symbols/object_symbols.h"
#include "tools/stackcollapse-aiflame/name/code_frames.h"

namespace aiflame::collapse {

class TextFrames {
 public:
  TextFrames(FrameRules rules, SourceRules sources) : rules_(rules), sources_(sources) {}

  // The same as fold_frame() without --inline, and where there is no debug information.
  std::string fold(std::string_view line, std::string_view root, std::string_view source);

  // Whether the frames depend on the place in a function.
  bool by_place() const { return sources_.inlined; }

 private:
  ObjectSymbols* object(std::string_view path);
  static std::optional<uint64_t> offset_of(ObjectSymbols& object, const ScriptFrame& frame);

  FrameRules rules_;
  SourceRules sources_;
  std::unordered_map<std::string, std::unique_ptr<ObjectSymbols>> objects_;
};

}  // namespace aiflame::collapse
