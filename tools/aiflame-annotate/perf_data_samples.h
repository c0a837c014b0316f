// SPDX-License-Identifier: MIT
// The samples of a perf.data file: which instruction of which function each of them was taken at.
// Call graphs are not looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libcommon/io/input.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/symbols/elf.h"

namespace aiflame::annotate {

struct PerfCode {
  std::string symbol;     // of the function; empty: not known, or it is the kernel's code
  std::string object;     // path
  uint64_t start = 0;     // of the function, in the object's file
  uint64_t position = 0;  // of the instruction, in the object's file
};

class PerfDataSamples {
 public:
  // Takes `count` events of a sample.
  using Take = std::function<void(std::string_view event, const PerfCode& code, uint64_t count)>;

  explicit PerfDataSamples(Take take) : take_(std::move(take)) {}

  // Reads to the end. `directory`: as PerfDataReader's. Throws Error.
  void read(ByteSource&& source, const std::string& directory);

 private:
  PerfCode code_of(const PerfSample& sample);
  const ElfFile* elf(const PerfObject& object);

  Take take_;
  PerfMachine machine_;
  std::unordered_map<std::string, std::unique_ptr<ElfFile>> objects_;  // null: not to be used
};

}  // namespace aiflame::annotate
