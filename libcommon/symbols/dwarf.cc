// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "libcommon/base/hex.h"
#include "libcommon/symbols/dwarf_entries.h"
#include "libcommon/symbols/dwarf_unit.h"
#include "libcommon/symbols/elf_bounds.h"
#include "libcommon/symbols/find_object.h"
#include "libcommon/symbols/inflated_sections.h"

namespace aiflame {
namespace {

// A chain of inlined functions longer than this is damage.
constexpr size_t kMaxFrames = 256;

// Turns off libdw's own search for separate debug files: it would ask debuginfod over the network
// if that is configured. Callers give the path of the debug file.
int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

// A descriptor of a regular file that libelf may open, or -1. Opening a FIFO of that name must not
// block us.
int open_regular(const std::string& path, uint64_t* size = nullptr) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && excess_of_elf(fd) == nullptr) {
    if (size != nullptr) *size = static_cast<uint64_t>(status.st_size);
    return fd;
  }
  ::close(fd);
  return -1;
}

bool is_regular(const std::string& path) {
  const int fd = open_regular(path);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

const char* text_of(Dwarf_Die* die, unsigned int attribute) {
  Dwarf_Attribute memory;
  Dwarf_Attribute* found = dwarf_attr_integrate(die, attribute, &memory);
  const char* text = found == nullptr ? nullptr : dwarf_formstring(found);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

void name(Dwarf_Die* die, SourceFrame& out) {
  for (const unsigned int attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* name = text_of(die, attribute); name != nullptr) {
      out.function = name;
      out.linkage = true;
      return;
    }
  if (const char* name = text_of(die, DW_AT_name); name != nullptr) out.function = name;
}

bool has_mangled_names(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_ObjC_plus_plus:
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
    case DW_LANG_D:
    case DW_LANG_Rust:
    case DW_LANG_Swift:
    case 0x2b:  // C++17, of DWARF 6: newer than this libdw
    case 0x2c:  // C++20
      return true;
    default:
      return false;
  }
}

// 0: it has none.
uint32_t number_of(Dwarf_Die* die, unsigned int attribute) {
  Dwarf_Attribute memory;
  Dwarf_Attribute* found = dwarf_attr(die, attribute, &memory);
  Dwarf_Word value = 0;
  if (found == nullptr || dwarf_formudata(found, &value) != 0) return 0;
  return static_cast<uint32_t>(std::min<Dwarf_Word>(value, UINT32_MAX));
}

// A file by its path. Compilers write an include directory as they were given it (`-Iinclude`), and
// libdw leaves it so: it is relative to the directory of the compilation, which `unit` tells, or
// `skeleton` in place of a split unit.
std::string path_of(const char* name, Dwarf_Die* unit, Dwarf_Die* skeleton) {
  if (*name == '/') return name;
  const char* directory = text_of(unit, DW_AT_comp_dir);
  if (directory == nullptr) directory = text_of(skeleton, DW_AT_comp_dir);
  // one that was made relative on purpose, so that builds are the same everywhere
  if (directory == nullptr || *directory != '/') return name;
  std::string out = directory;
  if (out.back() != '/') out += '/';
  return out + name;
}

// The file that an attribute names: its value is an index into the file table of the attribute's
// unit. (dwarf_decl_file() would abort the program when there is no table.)
std::string file_of(Dwarf_Attribute* attribute, Dwarf_Die* skeleton) {
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (attribute == nullptr || dwarf_formudata(attribute, &index) != 0 ||
      dwarf_cu_die(attribute->cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
          nullptr ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count)
    return "";
  // before DWARF 5, file 0 is no file, and libdw calls it "???"
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  if (name == nullptr || std::string_view(name) == "???") return "";
  return path_of(name, &unit, skeleton);
}

}  // namespace

struct DwarfFile::Impl {
  struct UnitRange {
    uint64_t start, end;
    Dwarf_Off unit;
  };

  explicit Impl(SourceDetail detail) : places(detail == SourceDetail::places) {}

  const bool places;          // files and lines are wanted
  InflatedSections inflated;  // of the files below
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf* dwarf = nullptr;
  int alternate_fd = -1;
  Elf* alternate_elf = nullptr;
  Dwarf* alternate = nullptr;
  DwarfBudget budget;
  std::map<Dwarf_Off, DwarfUnit> units;  // by the offset of the unit's entry
  bool listed = false;
  std::vector<UnitRange> unit_ranges;  // for addresses that .debug_aranges lacks

  ~Impl() {
    if (dwfl != nullptr) dwfl_end(dwfl);
    close_alternate();
  }

  void close_alternate() {
    if (alternate != nullptr) dwarf_end(alternate);
    if (alternate_elf != nullptr) elf_end(alternate_elf);
    if (alternate_fd >= 0) ::close(alternate_fd);
    alternate = nullptr;
    alternate_elf = nullptr;
    alternate_fd = -1;
  }

  void open(const std::string& path, const std::string& object) {
    uint64_t size = 0;
    const int fd = open_regular(path, &size);
    if (fd < 0) return;
    budget.left = kMaxWalk + 4 * std::min(size, UINT64_MAX / 8);
    callbacks.find_debuginfo = no_debug_file;
    callbacks.section_address = dwfl_offline_section_address;
    dwfl = dwfl_begin(&callbacks);
    // libdwfl applies the relocations of a relocatable object; on success it owns the descriptor
    module = dwfl == nullptr ? nullptr : dwfl_report_offline(dwfl, "", path.c_str(), fd);
    if (module == nullptr) {
      ::close(fd);
      return;
    }
    dwfl_report_end(dwfl, nullptr, nullptr);
    Dwarf_Addr bias = 0;
    inflated.inflate(dwfl_module_getelf(module, &bias), places);
    dwarf = dwfl_module_getdwarf(module, &bias);
    if (dwarf != nullptr && !open_alternate(directory_of(object.empty() ? path : object)))
      dwarf = nullptr;
  }

  // Opens the file into which dwz(1) moved what several files share. Otherwise libdw would open
  // whatever path the object names. Returns false when libdw must not get that chance.
  bool open_alternate(const std::string& directory) {
    const char* name = nullptr;
    const void* id = nullptr;
    const ssize_t length = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
    if (length <= 0) return true;
    const std::string build_id =
        hex_of({static_cast<const char*>(id), static_cast<size_t>(length)});
    std::vector<std::string> candidates = {debug_file_of(build_id)};
    if (name != nullptr && *name != '\0')
      candidates.push_back(*name == '/' ? name : directory + name);
    for (const std::string& candidate : candidates) {
      if (candidate.empty()) continue;
      alternate_fd = open_regular(candidate);
      if (alternate_fd < 0) continue;
      alternate_elf = elf_begin(alternate_fd, ELF_C_READ_MMAP_PRIVATE, nullptr);
      inflated.inflate(alternate_elf, places);
      alternate = dwarf_begin_elf(alternate_elf, DWARF_C_READ, nullptr);
      if (alternate != nullptr) {
        dwarf_setalt(dwarf, alternate);
        return true;
      }
      close_alternate();
    }
    // without the file, the parts moved there have no names. If the path exists, libdw could hang
    // on it.
    struct stat status {};
    return stat(candidates.back().c_str(), &status) != 0;
  }

  // False: the budget is spent.
  bool list_ranges(Dwarf_Die& die, Dwarf_Off unit) {
    return each_kept_range(die, budget, [&](uint64_t start, uint64_t end) {
      unit_ranges.push_back({start, end, unit});
    });
  }

  void list_units() {
    listed = true;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* each = dwfl_module_nextcu(module, nullptr, &bias); each != nullptr;
         each = dwfl_module_nextcu(module, each, &bias)) {
      // libdw goes through all attributes to find one that a unit lacks
      const auto count = [](Dwarf_Attribute*, void* spent) {
        return static_cast<DwarfBudget*>(spent)->spend(kEntryCost) ? int{DWARF_CB_OK}
                                                                   : int{DWARF_CB_ABORT};
      };
      if (dwarf_getattrs(each, count, &budget, 0) == -1 || budget.left == 0) return;
      const size_t known = unit_ranges.size();
      if (!list_ranges(*each, dwarf_dieoffset(each))) return;
      if (unit_ranges.size() > known) continue;
      // units written by nvcc have no addresses
      for (Dwarf_Die& function : functions_with_code(*each, budget))
        if (!list_ranges(function, dwarf_dieoffset(each))) return;
    }
    std::sort(unit_ranges.begin(), unit_ranges.end(), [](const UnitRange& a, const UnitRange& b) {
      return a.start != b.start ? a.start < b.start : a.unit < b.unit;
    });
  }

  // The unit that holds an address. Clang writes no .debug_aranges: then the units' own address
  // ranges are searched.
  bool find_unit(Dwarf_Addr vaddr, Dwarf_Die& unit) {
    if (dwarf_addrdie(dwarf, vaddr, &unit) != nullptr) return true;
    if (!listed) list_units();
    auto next = std::upper_bound(unit_ranges.begin(), unit_ranges.end(), vaddr,
                                 [](uint64_t at, const UnitRange& r) { return at < r.start; });
    for (int steps = 0; next != unit_ranges.begin() && steps < 8; ++steps) {
      --next;
      if (vaddr < next->end) return dwarf_offdie(dwarf, next->unit, &unit) != nullptr;
    }
    return false;
  }

  // With split DWARF, replaces the skeleton by the unit in the `.dwo` file. False: no such file.
  static bool whole_unit(Dwarf_Die& unit) {
    uint8_t type = 0;
    if (dwarf_cu_info(unit.cu, nullptr, &type, nullptr, nullptr, nullptr, nullptr, nullptr) != 0)
      return false;
    if (type != DW_UT_skeleton) return true;
    const char* name = text_of(&unit, DW_AT_dwo_name);
    if (name == nullptr) name = text_of(&unit, DW_AT_GNU_dwo_name);
    const char* directory = text_of(&unit, DW_AT_comp_dir);
    if (name == nullptr) return false;
    const std::string file(name);
    const bool absolute = file.starts_with('/') || directory == nullptr;
    // libdw looks in the compilation's directory and in the object's
    if (!is_regular(absolute ? file : std::string(directory) + "/" + file)) return false;
    Dwarf_Die split;
    if (dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) != 0 ||
        split.addr == nullptr)
      return false;
    unit = split;
    return true;
  }

  std::vector<SourceFrame> frames_at(Dwarf_Addr vaddr) {
    std::vector<SourceFrame> out;
    Dwarf_Die skeleton;
    if (dwarf == nullptr || budget.left == 0 || !find_unit(vaddr, skeleton)) return out;
    Dwarf_Die unit = skeleton;
    if (!whole_unit(unit)) return out;
    const Dwarf_Off key = dwarf_dieoffset(&skeleton);
    auto known = units.find(key);
    if (known == units.end()) known = units.emplace(key, DwarfUnit(unit, budget)).first;
    std::vector<Dwarf_Die> functions;
    known->second.functions_at(vaddr, functions);

    std::string file;
    uint32_t line = 0, column = 0;
    if (Dwarf_Line* place = places ? dwarf_getsrc_die(&skeleton, vaddr) : nullptr;
        place != nullptr) {
      const char* name = dwarf_linesrc(place, nullptr, nullptr);
      int number = 0;
      if (name != nullptr && *name != '\0') file = path_of(name, &skeleton, &skeleton);
      if (dwarf_lineno(place, &number) == 0 && number > 0) line = static_cast<uint32_t>(number);
      if (dwarf_linecol(place, &number) == 0 && number > 0) column = static_cast<uint32_t>(number);
    }
    const bool plain_names = !has_mangled_names(&unit);
    if (functions.size() > kMaxFrames) functions.resize(kMaxFrames);
    for (auto each = functions.rbegin(); each != functions.rend(); ++each) {
      SourceFrame frame;
      name(&*each, frame);
      frame.linkage |= plain_names;
      if (!places) {
        out.push_back(std::move(frame));
        continue;
      }
      frame.file = file;
      frame.line = line;
      frame.column = column;
      Dwarf_Attribute memory;
      frame.declared = file_of(dwarf_attr_integrate(&*each, DW_AT_decl_file, &memory), &skeleton);
      out.push_back(std::move(frame));
      // the next outer frame's place is where this one was called
      file = file_of(dwarf_attr(&*each, DW_AT_call_file, &memory), &skeleton);
      line = number_of(&*each, DW_AT_call_line);
      column = number_of(&*each, DW_AT_call_column);
    }
    return out;
  }
};

DwarfFile::DwarfFile(const std::string& path, const std::string& object, SourceDetail detail)
    : impl_(std::make_unique<Impl>(detail)) {
  impl_->open(path, object);
}

DwarfFile::~DwarfFile() = default;

bool DwarfFile::exhausted() const {
  return impl_->dwarf != nullptr && impl_->budget.left == 0;
}

const std::vector<SourceFrame>& DwarfFile::frames_at(uint64_t vaddr) {
  const auto [at, added] = cache_.try_emplace(vaddr);
  if (added) at->second = impl_->frames_at(vaddr);
  return at->second;
}

}  // namespace aiflame
