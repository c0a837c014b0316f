// SPDX-License-Identifier: MIT
// Contexts as stacks. Those of the CPU are read from the root; below the boundary each context is
// an instruction, whose kernel and functions are found above it.
//
//   main thread → main → line → instruction → twork(int, int) → … → <gpu kernel> → xcompute → …
//   app         ; main                      ; twork           ; … ; -            ; FILE_[G];…
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/device/device_frames.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-hpctoolkit/code_objects.h"
#include "tools/stackcollapse-hpctoolkit/metadata.h"

namespace aiflame::hpctoolkit {

class ContextFrames {
 public:
  ContextFrames(const Metadata& metadata, DeviceFrames& device, CodeObjects& objects,
                ImportedStacks& stacks);

  // The stack of a context, by its index: on the device, for this reason. `root` stands below.
  uint32_t stack(uint32_t root, uint32_t context, std::string_view reason);

  bool is_on_device(uint32_t context) const { return device_depth_[context] > 0; }
  // Whether a context of the device is an instruction, and why it has no mnemonic.
  bool is_instruction(uint32_t context) const;
  Unnamed unnamed() const { return unnamed_; }
  // Whether a context of the device was found without a launch.
  bool is_unlaunched(uint32_t context) const { return unlaunched_[context]; }

 private:
  struct DevicePath {
    std::string_view operation;  // "<gpu copyin>", if it is no kernel
    bool has_kernel = false;
    Function kernel, holder;  // the function that holds the code: the kernel, or one that it calls
    KnownSource source;
  };

  void add(uint32_t context);
  bool begins_device(const Context& context) const;
  uint32_t cpu_frame(const Context& context);
  uint32_t function_frame(const Context& context);
  std::string_view module_name(uint64_t module) const;
  std::string_view function_name(const Function& function) const;
  DevicePath device_path(uint32_t context) const;
  std::string device_text(uint32_t context, std::string_view reason);

  const Metadata& metadata_;
  DeviceFrames& device_;
  CodeObjects& objects_;
  ImportedStacks& stacks_;
  // by context: the stack of its CPU frames up to the boundary, and how deep on the device it is
  std::vector<uint32_t> cpu_;
  std::vector<uint16_t> device_depth_;
  std::vector<bool> unlaunched_;
  std::unordered_map<uint64_t, uint32_t> functions_;  // frames, by pointer and kind of call
  Unnamed unnamed_ = Unnamed::no;
};

}  // namespace aiflame::hpctoolkit
