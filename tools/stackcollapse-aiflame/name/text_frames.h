// SPDX-License-Identifier: MIT
// Folds frame lines of `perf script` text. With --inline it adds the functions that are inlined
// there, from the debug information of the objects that the lines name, and with --srcline the
// lines of recorded frames (other text has its lines from perf).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_script/perf_script.h"
#include "libcommon/symbols/object_symbols.h"
#include "tools/stackcollapse-aiflame/name/code_frames.h"

namespace aiflame::collapse {

class TextFrames {
 public:
  TextFrames(FrameRules rules, SourceRules sources) : rules_(rules), sources_(sources) {}

  // The same as fold_frame() without --inline, and where there is no debug information.
  std::string fold(std::string_view line, std::string_view root, std::string_view source) {
    return fold(line, root, source, sources_.inlined, "");
  }
  // Of a frame that a recording has. Only an object with this build id is read; "" = any.
  std::string fold_recorded(std::string_view line, std::string_view root,
                            std::string_view build_id) {
    return fold(line, root, "", reads_recorded(), build_id);
  }

  // Whether the frames depend on the place in a function.
  bool by_place() const { return sources_.inlined; }
  // Whether recorded frames depend on their objects.
  bool reads_recorded() const { return sources_.any(); }

 private:
  std::string fold(std::string_view line, std::string_view root, std::string_view source,
                   bool reads_object, std::string_view build_id);
  void choose(std::string_view line, std::string_view source, std::vector<CodeFrame>& code) const;
  ObjectSymbols* object(std::string_view path, std::string_view build_id);
  static std::optional<uint64_t> offset_of(ObjectSymbols& object, const ScriptFrame& frame);

  FrameRules rules_;
  SourceRules sources_;
  std::unordered_map<std::string, std::unique_ptr<ObjectSymbols>> objects_;  // by build id and path
};

}  // namespace aiflame::collapse
