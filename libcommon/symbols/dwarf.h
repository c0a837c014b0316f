// SPDX-License-Identifier: MIT
// Debug information of one object: functions, inlined ones too, files and lines. With call_frames.h
// and dwarf_code.h the only user of libdw. As in elf.h, nothing in an object is believed; what
// cannot be read is not there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace aiflame {

struct SourceFrame {
  std::string function;  // linkage name where there is one: demangle() for people
  bool linkage = false;  // so it is, or the language has no other names
  std::string file;      // where this frame's code stands, as the debug information spells it
  uint32_t line = 0;     // 0: not known
  std::string declared;  // file that declares the function
};

// What is asked of an address. Tables of lines take longer to read than everything else.
enum class SourceDetail { names, places };

class DwarfFile {
 public:
  // An object that has no debug information, or cannot be read, answers with nothing. Beside it are
  // read the files that it names: `.dwo` of split DWARF, and what dwz(1) has taken out
  // (.gnu_debugaltlink), by build id or path.
  // Relative paths are those of `object`, where the file is a copy or the debug file of another.
  // Of names alone, files and lines are left out of all answers.
  explicit DwarfFile(const std::string& path, const std::string& object = "",
                     SourceDetail detail = SourceDetail::places);
  ~DwarfFile();
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  // The functions at an address of the object, innermost first: inlined ones, then the one that
  // holds the code. Cached.
  const std::vector<SourceFrame>& frames_at(uint64_t vaddr);
  // There was so much to search in it (more than kMaxWalk and four times the file) that the rest
  // has no answers: no honest debug information is known to need it.
  bool exhausted() const;
  static constexpr uint64_t kMaxWalk = uint64_t{1} << 30;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unordered_map<uint64_t, std::vector<SourceFrame>> cache_;
};

}  // namespace aiflame
