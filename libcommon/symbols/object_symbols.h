// SPDX-License-Identifier: MIT
// Names of the code in one object that is mapped into processes: from the object, its debug file,
// and the stubs of its calls into other objects. Also names of the code in the vdso.
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
  // An object that cannot be read, or whose build id differs from a given one, has no names. Nor
  // has one that does not run on the architecture of uname(2), where that is given. `detail` is for
  // sources_at().
  static ObjectSymbols of_file(const std::string& path, const std::string& build_id,
                               SourceDetail detail = SourceDetail::places,
                               const std::string& architecture = "");
  // This process's vdso, which is the same in all processes of one kernel.
  static ObjectSymbols of_vdso(const std::string& build_id);

  // The function at an offset in the file, demangled without parameters.
  std::optional<std::string> at(uint64_t file_offset) const;
  // A number of that function within the object: the same for all of its addresses.
  std::optional<uint64_t> function_at(uint64_t file_offset) const;
  // The functions at an offset in the file by debug information, innermost first: inlined
  // functions, then the one that holds the code, by linkage names. Empty without debug information.
  const std::vector<SourceFrame>& sources_at(uint64_t file_offset);
  // The file offset of a function, by its demangled name; nothing when several have that name.
  std::optional<uint64_t> offset_of(const std::string& function);
  // The file whose program headers say how it is loaded, or nullptr.
  const ElfFile* object() const { return runtime_.get(); }
  // The call frame information of its functions.
  CallFrames& call_frames();
  // See DwarfFile::exhausted().
  bool exhausted() const { return dwarf_ != nullptr && dwarf_->exhausted(); }
  // Why the object is not read although it is there (excess_of_elf()), or nullptr.
  const char* refused() const { return refused_; }

 private:
  std::optional<ElfFunction> find(uint64_t file_offset, bool& is_stub) const;

  const char* refused_ = nullptr;
  std::shared_ptr<ElfFile> symbols_, runtime_;
  std::vector<std::string> debug_files_;  // that may hold debug information
  std::string build_id_;
  SourceDetail detail_ = SourceDetail::places;
  std::unique_ptr<DwarfFile> dwarf_;  // made at the first call of sources_at()
  std::unique_ptr<CallFrames> call_frames_;
  bool by_name_made_ = false;
  std::unordered_map<std::string, uint64_t> by_name_;  // addresses, or kSeveral
};

}  // namespace aiflame
