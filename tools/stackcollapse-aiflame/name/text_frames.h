// SPDX-License-Identifier: MIT
// Frame lines of `perf script` text, with the functions inlined there (--inline), from the
// debug information of the objects that the lines name.
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

  // As fold_frame(), which it is without --inline and where nothing is known of the code.
  std::string fold(std::string_view line, std::string_view root, std::string_view source);

  // Whether the place in a function makes a difference.
  bool by_place() const { return sources_.inlined; }

 private:
  ObjectSymbols* object(std::string_view path);
  static std::optional<uint64_t> offset_of(ObjectSymbols& object, const ScriptFrame& frame);

  FrameRules rules_;
  SourceRules sources_;
  std::unordered_map<std::string, std::unique_ptr<ObjectSymbols>> objects_;
};

}  // namespace aiflame::collapse
