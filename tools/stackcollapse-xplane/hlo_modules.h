// SPDX-License-Identifier: MIT
// The programs of XLA, from the plane /host:metadata: which operator has which path and which lines
// of Python. HloProto {1 module {1 name, 3 computation {2 instruction}, 5 id, 17 frames}}:
//
//   12 … 0a 09 "wrapped_x"  3a … 12 0e "jit(f)/jvp()/x" 78 0b     1 name, 7 {2 path, 15 frame 11}
//   8a 01 … 22 04 08 03 10 02       17 {1 files, 2 functions, 3 places, 4 {1 place 3, 2 parent 2}}
//
// Numbers of frames count from 1; parent 0 is none. Versions of before have file (3) and line (4)
// in 7 instead of frames.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "libcommon/text/id_map.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

struct HloOperator {
  std::string_view path;
  std::string_view file;  // of before
  uint64_t line = 0, frame = 0;
};

class HloModule {
 public:
  // HloModuleProto. Throws protozero::exception.
  explicit HloModule(std::string_view message);

  std::string_view name() const { return name_; }
  uint64_t id() const { return id_; }
  // nullptr: it has none of this name.
  const HloOperator* find(std::string_view name);
  // The operator's frames of Python on top of each other; kEmpty if it has none. Of a
  // stack that is too deep the innermost frames stand on [truncated].
  uint32_t python_stack(const HloOperator& of, const NameRules& rules, ImportedStacks& stacks);

 private:
  struct Place {
    uint64_t file = 0, function = 0, line = 0;
  };
  struct Frame {
    uint64_t place = 0, parent = 0;
  };
  void read_computation(std::string_view message);
  void read_frames(std::string_view message);
  std::string frame_text(const Frame& frame, const NameRules& rules) const;

  std::string_view name_;
  uint64_t id_ = 0;
  TextTable names_;  // of operators
  std::vector<HloOperator> operators_;
  std::vector<std::string_view> files_, functions_;
  std::vector<Place> places_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> stacks_;  // by frame; kEmpty: not yet known
};

class HloModules {
 public:
  // Those of a plane.
  void add(const Plane& plane);
  // nullptr: the file does not have it. A program is read when it is first asked for.
  HloModule* find(uint64_t program);

 private:
  struct Program {
    std::string_view proto;
    std::unique_ptr<HloModule> module;
  };
  IdMap<Program> programs_;
};

}  // namespace aiflame::xplane
