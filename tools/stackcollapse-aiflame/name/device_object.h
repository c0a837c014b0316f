// SPDX-License-Identifier: MIT
// One code object of a device: what its debug information and a disassembler say of a place in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcommon/device/capstone.h"
#include "libcommon/device/iga.h"
#include "libcommon/device/nvdisasm.h"
#include "libcommon/symbols/dwarf.h"

namespace aiflame::collapse {

// Shared by all objects: what is loaded once, and told once.
struct Disassemblers {
  Capstone x86;
  Iga intel;
  Nvdisasm nvidia;
  std::set<std::string> told;  // of what was warned
};

// Offsets are those in the file.
class DeviceObject {
 public:
  virtual ~DeviceObject() = default;

  // As DwarfFile has them.
  virtual const std::vector<SourceFrame>& frames_at(uint64_t offset) = 0;

  // Where the code of the kernel that holds an offset begins, of objects that have functions of
  // other names in it.
  virtual std::optional<uint64_t> code_start(uint64_t) const { return std::nullopt; }

  // Empty where it is not known.
  virtual std::string mnemonic_at(uint64_t offset) = 0;

  // Those whose results the instruction there may wait for, as offsets in the file.
  virtual std::vector<uint64_t> producers_of(uint64_t) { return {}; }
};

// Of whatever machine. Throws Error.
std::unique_ptr<DeviceObject> open_device_object(const std::string& path,
                                                 Disassemblers& disassemblers);

}  // namespace aiflame::collapse
