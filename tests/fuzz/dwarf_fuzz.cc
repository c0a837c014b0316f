// SPDX-License-Identifier: MIT
// Reads debug information and code of a device object: the frames of samples in it.
#include <cstdint>

#include "libcommon/base/program.h"
#include "libcommon/device/device_frames.h"
#include "libcommon/symbols/elf.h"
#include "tests/fuzz/libdw_leaks.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  file.set({reinterpret_cast<const char*>(data), size});
  std::vector<uint64_t> places;
  try {
    const ElfFile elf(file.path());
    for (const ElfFunction& function : elf.functions()) {
      if (places.size() >= 32) break;
      for (const uint64_t inside : {uint64_t{0}, function.size / 2})
        if (const auto at = elf.offset_of_vaddr(function.start + inside)) places.push_back(*at);
    }
  } catch (const Error&) {
    return 0;
  }
  DeviceRules rules;
  rules.levels = parse_levels("file,kernel,function,line,mnemonic,reason,offset");
  DeviceFrames frames(rules);
  for (const uint64_t place : places) {
    DeviceCode code;
    code.kernel = "kernel";
    code.offset = place;
    code.place = CodePlace{file.path(), place};
    code.start = CodePlace{file.path(), places.front()};
    frames.fold(code);
  }
  return 0;
}
