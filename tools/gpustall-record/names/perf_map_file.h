// SPDX-License-Identifier: MIT
// A perf map (/tmp/perf-PID.map) whose program is still writing it. It is untrusted text, so only
// the child of symbol_child.h reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/symbols/jit_symbols.h"

namespace aiflame::record {

class PerfMapFile {
 public:
  // Takes the descriptor over.
  explicit PerfMapFile(int descriptor) : descriptor_(descriptor) {}
  ~PerfMapFile();
  PerfMapFile(const PerfMapFile&) = delete;
  PerfMapFile& operator=(const PerfMapFile&) = delete;

  // The function at an address, and how far into it the address is. Reads the file again when it
  // has grown and has not been read in vain too often. False when there is none.
  [[nodiscard]] bool find(uint64_t address, std::string& name, uint64_t& offset);
  // Whether the file is larger than is read.
  bool is_beyond() const { return is_beyond_; }

 private:
  // Some hundred thousand functions; a large Java program has some ten thousand.
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

  [[nodiscard]] bool read();

  const int descriptor_;
  std::optional<JitSymbols> symbols_;
  uint64_t bytes_ = 0;  // that have been read
  bool is_beyond_ = false;
  // Misses for which the file is not read again: each reading in vain doubles them, since a hostile
  // program can add a line for each address that it makes up.
  uint64_t patience_ = 0, left_ = 0;
};

}  // namespace aiflame::record
