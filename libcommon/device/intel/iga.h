// SPDX-License-Identifier: MIT
// Disassembles code of Intel GPUs: by the library libiga64 and, of GPUs that are newer than it, by
// the program iga64 on PATH.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/device/disassembly.h"
#include "libcommon/device/intel/iga_listing.h"
#include "libcommon/process/bounded_child.h"

namespace aiflame {

class Iga {
 public:
  struct Listing {
    std::vector<IgaInstruction> code;
    DisassemblyFailure failure = DisassemblyFailure::none;
  };

  // Code longer than this is not looked at: the largest kernels known have some hundred kilobytes.
  static constexpr size_t kMaxCode = size_t{8} << 20;

  // `platform` as Zebin has it. One process each: the library crashes on some damaged code.
  Listing disassemble(const std::string& platform, std::string_view code);

 private:
  enum class Way { library, program, none };
  struct Platform {
    Way way = Way::library;
    bool tried = false;                                     // the program, on this platform
    DisassemblyFailure failure = DisassemblyFailure::none;  // of way none
  };

  static void stop_if_limited(const ChildResult& child, Platform& known);
  bool by_library(const std::string& platform, std::string_view code, Platform& known,
                  Listing& out);
  bool by_program(const std::string& platform, std::string_view code, Platform& known,
                  Listing& out);

  std::map<std::string, Platform> platforms_;
};

}  // namespace aiflame
