// SPDX-License-Identifier: MIT
// The code of device samples: their lines in, a number of the folded frames out. The same lines
// come thousands of times, so each distinct set is parsed and named once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/device/device_frames.h"
#include "libcommon/recording/recording.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"
#include "tools/stackcollapse-aiflame/fold/digest.h"
#include "tools/stackcollapse-aiflame/fold/digest_table.h"

namespace aiflame::collapse {

class DeviceCodes {
 public:
  struct Code {
    uint32_t text = 0;              // its folded frames, in texts
    uint32_t name = 0;              // its kernel, in origins
    uint32_t kernel = 0;            // its kernel, in texts; Attribution::kUnknownKernel
    Unnamed unnamed = Unnamed::no;  // why its instruction has no name in `text`
    uint64_t start = 0;             // address of the kernel; 0 where it is not known
  };

  DeviceCodes(const DeviceRules& rules, TextTable& texts, SampleOrigins& origins)
      : texts_(texts), origins_(origins), frames_(rules) {}

  // The code of a device sample. Throws Error where its lines are malformed.
  Code of(const GpustallReader& reader, const GpustallRecord& sample, const Recording& recording);
  // The frames of a kernel, without an instruction, in texts.
  uint32_t kernel_frames(std::string_view kernel, const std::optional<CodePlace>& start);
  // Those of a copy or a fill.
  uint32_t operation_frames(std::string_view name);
  DeviceFrames& frames() { return frames_; }
  // Warns about kernels that are drawn as one.
  void report() const { frames_.report(); }
  // An object came or went: the same lines may be other code now.
  void forget();

 private:
  struct Frames {
    uint32_t text = 0;  // in texts
    Unnamed unnamed = Unnamed::no;
  };

  Code read(const GpustallReader& reader, const GpustallRecord& sample, const Recording& recording);
  // key_ holds everything that the frames of a code depend on.
  const Frames& frames_by_key(const DeviceCode& code);

  TextTable& texts_;
  SampleOrigins& origins_;
  DeviceFrames frames_;
  Digester digester_;
  DigestTable numbers_;  // indexes in codes_, by lines, process and device
  std::vector<Code> codes_;
  TextTable keys_;
  std::vector<Frames> by_key_;  // by the numbers of keys_
  std::string key_;
};

// The same place, for naming its code.
std::optional<CodePlace> code_place(const std::optional<DeviceObjects::Place>& place);

}  // namespace aiflame::collapse
