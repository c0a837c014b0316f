// SPDX-License-Identifier: MIT
// Debug information of one object: functions, inlined functions, files and lines. Only dwarf*.h,
// call_frames.h and frame_expression.h use libdw. As in elf.h, objects are untrusted; what cannot
// be read is treated as missing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace aiflame {

struct SourceFrame {
  std::string function;  // linkage name if there is one: demangle() for display
  bool linkage = false;  // `function` is a linkage name, or the language has no other names
  std::string file;      // of this frame's code; absolute where the debug information tells
  uint32_t line = 0;     // 0: unknown
  uint32_t column = 0;   // of the line, in bytes from 1; 0: unknown, as in all that nvcc writes
  std::string declared;  // file that declares the function
};

// What the caller wants to know about an address. Line tables take longer to read than everything
// else.
enum class SourceDetail { names, places };

class DwarfFile {
 public:
  // An object without debug information, or one that cannot be read, has no frames. The files that
  // it names are read too: `.dwo` files of split DWARF, and the file into which dwz(1) moved shared
  // parts (.gnu_debugaltlink), found by build id or path.
  // When `path` is a copy or a debug file of `object`, relative paths are relative to `object`.
  // With SourceDetail::names, frames have no files and lines.
  explicit DwarfFile(const std::string& path, const std::string& object = "",
                     SourceDetail detail = SourceDetail::places);
  ~DwarfFile();
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  // The functions at an address of the object, innermost first: inlined ones, then the one that
  // holds the code. Cached.
  const std::vector<SourceFrame>& frames_at(uint64_t vaddr);
  // The search has read more than kMaxWalk bytes plus four times the file, and has been given up.
  // Further addresses have no frames. No honest debug information is known to need that much.
  bool exhausted() const;
  static constexpr uint64_t kMaxWalk = uint64_t{1} << 30;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unordered_map<uint64_t, std::vector<SourceFrame>> cache_;
};

}  // namespace aiflame
