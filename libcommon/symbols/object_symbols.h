// SPDX-License-Identifier: MIT
// Names in what is mapped into processes: objects (with their debug files and the stubs of calls
// into other objects), the vdso, and code compiled at run time that /tmp/perf-PID.map names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/symbols/call_frames.h"
#include "libcommon/symbols/dwarf.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class ObjectSymbols {
 public:
  // What cannot be read, or is not of that build id where one is given, has no names. `detail`: of
  // sources_at().
  static ObjectSymbols of_file(const std::string& path, const std::string& build_id,
                               SourceDetail detail = SourceDetail::places);
  // This process's own vdso, which is that of all processes as long as the kernel is the same.
  static ObjectSymbols of_vdso(const std::string& build_id);

  // The function at an offset in the file, demangled without parameters.
  std::optional<std::string> at(uint64_t file_offset) const;
  // A number of that function, of this object: the same for all of its addresses.
  std::optional<uint64_t> function_at(uint64_t file_offset) const;
  // The functions at an offset in the file by its debug information, innermost first: inlined ones
  // and the one that holds the code, by linkage names. Empty where it has none.
  const std::vector<SourceFrame>& sources_at(uint64_t file_offset);
  // Where a function begins in the file, by its demangled name; not told of several with that name.
  std::optional<uint64_t> offset_of(const std::string& function);
  // The file that says where it is loaded, or nullptr.
  const ElfFile* object() const { return runtime_.get(); }
  // How its functions call one another.
  CallFrames& call_frames();
  // There was more debug information than anyone can search.
  bool exhausted() const { return dwarf_ != nullptr && dwarf_->exhausted(); }

 private:
  std::optional<ElfFunction> find(uint64_t file_offset, bool& is_stub) const;

  std::shared_ptr<ElfFile> symbols_, runtime_;
  std::vector<std::string> debug_files_;  // where debug information may be
  std::string build_id_;
  SourceDetail detail_ = SourceDetail::places;
  std::unique_ptr<DwarfFile> dwarf_;  // made at the first question
  std::unique_ptr<CallFrames> call_frames_;
  bool by_name_made_ = false;
  std::unordered_map<std::string, uint64_t> by_name_;  // addresses; kSeveral: not one
};

// /tmp/perf-PID.map: `ADDRESS SIZE NAME`, hexadecimal.
class JitSymbols {
 public:
  explicit JitSymbols(std::string text);
  std::optional<std::string_view> at(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t start, size;
    size_t name, length;  // in text_
  };
  std::string text_;
  std::vector<Symbol> symbols_;
};

}  // namespace aiflame
