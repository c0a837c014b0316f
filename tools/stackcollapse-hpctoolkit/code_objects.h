// SPDX-License-Identifier: MIT
// Finds the code objects of devices that a database names. hpcrun writes them beside its
// measurements; the database has their names alone:
//
//   hpctoolkit-app-measurements/gpubins/73a6cf2fd4844baf239d0e2c13911c34.gpubin
//   hpctoolkit-app-database/meta.db: "gpubins/73a6cf2fd4844baf239d0e2c13911c34.gpubin"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/device/device_symbolizer.h"
#include "libcommon/symbols/elf.h"

namespace aiflame::hpctoolkit {

class CodeObjects {
 public:
  // `folders`: where the user says that they are, before the places where hpcrun leaves them.
  CodeObjects(const std::string& database, const std::vector<std::string>& folders);

  // The place of `offset` in a module. Nothing where the module is not found, or has no code there.
  std::optional<CodePlace> place(std::string_view module, uint64_t offset);
  // Whether the module that was asked for last is of an Intel GPU.
  bool is_intel() const;
  // The modules that were asked for and not found.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  const std::string& path_of(std::string_view module);

  std::vector<std::string> folders_;
  std::unordered_map<std::string, std::string> paths_;  // by module; empty: not found
  std::vector<std::string> missing_;
  // the object asked for last; most questions are about the same
  std::string opened_;
  std::optional<ElfFile> elf_;
};

}  // namespace aiflame::hpctoolkit
