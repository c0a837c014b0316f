// SPDX-License-Identifier: MIT
// Disassembles code of Intel GPUs with the library libiga64, or with the program iga64 on PATH
// where the GPU is newer than the library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/objects/disassembly.h"
#include "libcommon/objects/intel/iga_listing.h"
#include "libcommon/process/bounded_child.h"

namespace aiflame {

class Iga {
 public:
  struct Listing {
    std::vector<IgaInstruction> code;
    DisassemblyFailure failure = DisassemblyFailure::none;
  };

  static constexpr const char* kProgram = "iga64";

  // Longer code is not disassembled. The largest known kernels have a few hundred kilobytes.
  static constexpr size_t kMaxCode = size_t{8} << 20;

  // `platform` is Zebin::platform(). Each call runs a child process, since the library crashes on
  // some damaged code.
  Listing disassemble(const std::string& platform, std::string_view code);

 private:
  enum class Way { library, program, none };
  struct Platform {
    Way way = Way::library;
    bool tried = false;  // whether the program was tried on this platform
    DisassemblyFailure failure = DisassemblyFailure::none;  // why the library, or both, failed
  };

  static void stop_if_limited(const ChildResult& child, Platform& known);
  bool by_library(const std::string& platform, std::string_view code, Platform& known,
                  Listing& out);
  bool by_program(const std::string& platform, std::string_view code, Platform& known,
                  Listing& out);

  std::map<std::string, Platform> platforms_;
};

}  // namespace aiflame
