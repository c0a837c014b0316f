// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace aiflame {
namespace {

// A chain of inlined functions longer than this is damage.
constexpr size_t kMaxDepth = 256;

// No separate debug files: device objects carry their own, and libdw's own search would ask
// debuginfod over the network where that is configured.
int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

std::string name_of(Dwarf_Die* die) {
  for (const unsigned int attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute memory;
    Dwarf_Attribute* found = dwarf_attr_integrate(die, attribute, &memory);
    const char* name = found == nullptr ? nullptr : dwarf_formstring(found);
    if (name != nullptr && *name != '\0') return name;
  }
  const char* name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

uint64_t number_of(Dwarf_Die* die, unsigned int attribute) {
  Dwarf_Attribute memory;
  Dwarf_Attribute* found = dwarf_attr(die, attribute, &memory);
  Dwarf_Word value = 0;
  if (found == nullptr || dwarf_formudata(found, &value) != 0) return 0;
  return value;
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

}  // namespace

struct DwarfFile::Impl {
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf* dwarf = nullptr;

  ~Impl() {
    if (dwfl != nullptr) dwfl_end(dwfl);
  }

  void open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(fd);
      return;
    }
    callbacks.find_debuginfo = no_debug_file;
    callbacks.section_address = dwfl_offline_section_address;
    dwfl = dwfl_begin(&callbacks);
    // libdwfl applies a relocatable's relocations, and owns the descriptor once it succeeds
    module = dwfl == nullptr ? nullptr : dwfl_report_offline(dwfl, "", path.c_str(), fd);
    if (module == nullptr) {
      ::close(fd);
      return;
    }
    dwfl_report_end(dwfl, nullptr, nullptr);
    Dwarf_Addr bias = 0;
    dwarf = dwfl_module_getdwarf(module, &bias);
  }

  // The unit that holds an address. Clang writes no .debug_aranges: then every unit is asked.
  bool find_unit(Dwarf_Addr vaddr, Dwarf_Die& unit) {
    if (dwarf_addrdie(dwarf, vaddr, &unit) != nullptr) return true;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* each = dwfl_module_nextcu(module, nullptr, &bias); each != nullptr;
         each = dwfl_module_nextcu(module, each, &bias)) {
      if (dwarf_haspc(each, vaddr) <= 0) continue;
      unit = *each;
      return true;
    }
    return false;
  }

  std::vector<SourceFrame> frames_at(Dwarf_Addr vaddr) {
    std::vector<SourceFrame> out;
    Dwarf_Die unit;
    if (dwarf == nullptr || !find_unit(vaddr, unit)) return out;
    // The first call finds the innermost scope, but then follows where an inlined function was
    // written; the second follows where its code stands.
    Dwarf_Die* innermost = nullptr;
    const int found = dwarf_getscopes(&unit, vaddr, &innermost);
    if (found <= 0) return out;
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes_die(&innermost[0], &scopes);
    std::free(innermost);

    std::string file;
    uint32_t line = 0;
    if (Dwarf_Line* place = dwarf_getsrc_die(&unit, vaddr); place != nullptr) {
      const char* name = dwarf_linesrc(place, nullptr, nullptr);
      int number = 0;
      if (name != nullptr) file = name;
      if (dwarf_lineno(place, &number) == 0 && number > 0) line = static_cast<uint32_t>(number);
    }
    Dwarf_Files* files = nullptr;
    size_t file_count = 0;
    if (dwarf_getsrcfiles(&unit, &files, &file_count) != 0) files = nullptr;
    for (int i = 0; i < count && out.size() < kMaxDepth; ++i) {
      Dwarf_Die* scope = &scopes[i];
      if (!is_function(scope)) continue;
      SourceFrame frame{name_of(scope), file, line, ""};
      if (const char* declared = dwarf_decl_file(scope); declared != nullptr)
        frame.declared = declared;
      out.push_back(std::move(frame));
      // the next frame out stands where this one was called
      file.clear();
      const uint64_t index = number_of(scope, DW_AT_call_file);
      const char* name = files != nullptr && index > 0 && index < file_count
                             ? dwarf_filesrc(files, index, nullptr, nullptr)
                             : nullptr;
      if (name != nullptr) file = name;
      line = static_cast<uint32_t>(number_of(scope, DW_AT_call_line));
    }
    if (count > 0) std::free(scopes);
    return out;
  }
};

DwarfFile::DwarfFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->open(path);
}

DwarfFile::~DwarfFile() = default;

const std::vector<SourceFrame>& DwarfFile::frames_at(uint64_t vaddr) {
  const auto [at, added] = cache_.try_emplace(vaddr);
  if (added) at->second = impl_->frames_at(vaddr);
  return at->second;
}

}  // namespace aiflame
