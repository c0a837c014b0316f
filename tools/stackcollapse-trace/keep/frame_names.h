// SPDX-License-Identifier: MIT
// The frames of names as they stand in a trace. A name is turned into its frame once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/importer.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-trace/keep/compiler_part.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

class FrameNames {
 public:
  FrameNames(ImportedStacks& stacks, const TraceSettings& settings)
      : stacks_(stacks), rules_(settings.import.names), merge_modules_(settings.merge_modules) {}

  struct Host {
    uint32_t frame = 0;
    CompilerPart part = CompilerPart::none;
  };

  // A frame of the host. Python functions that stand for modules become modules.
  Host host(Kind& kind, std::string_view name);
  // Once all events are read: gives Python functions their lines where several of one name are in
  // files of one name. All slices of the trace have frames of host().
  void tell_functions_apart(GrowingArray<Slice>& slices);
  // The kind of numbered modules of which there are more than eight, or empty: "Layer_0" to
  // "Layer_35" are 36 Layers.
  std::string many_modules() const;
  uint32_t kernel(std::string_view name);
  // What is no kernel: a copy, a collective.
  uint32_t device(std::string_view name);

 private:
  template <typename Frame>
  struct Table {
    TextTable names;
    std::vector<Frame> frames;
  };
  template <typename Frame, typename Make>
  Frame find(Table<Frame>& table, std::string_view name, const Make& make) {
    bool added = false;
    const uint32_t number = table.names.number(name, &added);
    if (added) table.frames.push_back(make());
    return table.frames[number];
  }
  std::string host_text(Kind kind, std::string_view name) const;
  uint32_t python(std::string_view name);

  ImportedStacks& stacks_;
  NameRules rules_;
  bool merge_modules_;
  std::array<Table<Host>, kKinds> host_;
  Table<uint32_t> kernels_, others_;
  // by frame of a Python function with its line: the frame without it
  std::unordered_map<uint32_t, uint32_t> without_line_;
};

}  // namespace aiflame::trace
