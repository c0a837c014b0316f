// SPDX-License-Identifier: MIT
#include "libcommon/symbols/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "libcommon/program.h"

namespace aiflame {
namespace {

// A sparse file can claim any size. The largest symbol tables known (browsers) are near 100 MB.
constexpr uint64_t kMaxTable = uint64_t{1} << 30;

struct Segment {
  uint64_t vaddr, offset, size;
};

// A symbol of code.
struct Candidate {
  uint64_t start, size, limit;  // limit: end of its section
  const char* name;
  bool weak, global;
};

// A candidate's place, for sorting: a browser has a million of them.
struct Place {
  uint64_t start;
  uint32_t candidate;
  bool operator<(const Place& other) const {
    return start != other.start ? start < other.start : candidate < other.candidate;
  }
};

// Names of which one is longer than this are not compared any further.
constexpr size_t kMaxCompared = 65536;

// perf's choose_best_symbol(), best first
auto rank(const Candidate& candidate) {
  const std::string_view name(candidate.name, strnlen(candidate.name, kMaxCompared));
  return std::make_tuple(candidate.size == 0, candidate.weak, !candidate.global,
                         std::min(name.find_first_not_of('_'), name.size()), ~name.size());
}

bool is_code_symbol(const GElf_Sym& symbol, const GElf_Shdr& section) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
  // labels of hand-written assembly, as perf has them
  const int visibility = GELF_ST_VISIBILITY(symbol.st_other);
  return type == STT_NOTYPE && (section.sh_flags & SHF_EXECINSTR) != 0 &&
         visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

}  // namespace

struct ElfFile::Impl {
  std::string path;
  int fd = -1;
  Elf* elf = nullptr;
  GElf_Ehdr header{};
  uint64_t file_size = 0;
  std::vector<Segment> segments;
  std::vector<ElfFunction> functions;
  bool functions_loaded = false;
  bool symbols = false, dynamic_symbols = false, debug_information = false;

  ~Impl() {
    if (elf != nullptr) elf_end(elf);
    if (fd >= 0) ::close(fd);
  }

  void open() {
    elf_version(EV_CURRENT);
    // O_NONBLOCK: a FIFO in an object's place must not hold us up
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
      throw Error(path + ": not a regular file");
    file_size = static_cast<uint64_t>(status.st_size);
    // not mapped: a file that shrinks while it is read would be SIGBUS
    elf = elf_begin(fd, ELF_C_READ, nullptr);
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr)
      throw Error(path + ": not an ELF object");
  }

  void load_segments() {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) break;
      if (segment.p_type == PT_LOAD && segment.p_filesz > 0)
        segments.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    }
  }

  // A section by its name, or nullptr.
  Elf_Scn* find_section(std::string_view wanted, GElf_Shdr& out) const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
      if (gelf_getshdr(scn, &out) == nullptr) continue;
      const char* name = elf_strptr(elf, names, out.sh_name);
      if (name != nullptr && wanted == name) return scn;
    }
    return nullptr;
  }

  // The names of a symbol table: each ends within.
  std::string_view names_of(const GElf_Shdr& table) const {
    Elf_Scn* scn = elf_getscn(elf, table.sh_link);
    GElf_Shdr section;
    if (scn == nullptr || gelf_getshdr(scn, &section) == nullptr || section.sh_type != SHT_STRTAB ||
        (section.sh_flags & SHF_COMPRESSED) != 0)
      return {};
    const Elf_Data* data = elf_getdata(scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    const std::string_view all(static_cast<const char*>(data->d_buf), data->d_size);
    return all.substr(0, all.rfind('\0') + 1);
  }

  void take_symbols(Elf_Scn* table, const GElf_Shdr& table_header, std::vector<Candidate>& out) {
    if (table_header.sh_size > kMaxTable || table_header.sh_entsize == 0) return;
    Elf_Data* data = elf_getdata(table, nullptr);
    if (data == nullptr || data->d_type != ELF_T_SYM || data->d_buf == nullptr) return;
    const std::string_view names = names_of(table_header);
    // libelf's way to a symbol costs more than what is done with it, and leads to this array
    const bool direct = gelf_getclass(elf) == ELFCLASS64;
    const uint64_t held = direct ? data->d_size / sizeof(GElf_Sym) : INT32_MAX;
    const auto count = static_cast<int>(
        std::min<uint64_t>({table_header.sh_size / table_header.sh_entsize, held, INT32_MAX}));
    const char* const table_bytes = static_cast<const char*>(data->d_buf);
    out.reserve(out.size() + static_cast<size_t>(count));  // what is not filled takes no memory
    GElf_Shdr section{};
    size_t section_index = SHN_UNDEF;  // whose `section` is
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (direct)
        std::memcpy(&symbol, table_bytes + static_cast<size_t>(i) * sizeof symbol, sizeof symbol);
      else if (gelf_getsym(data, i, &symbol) == nullptr)
        break;
      if (symbol.st_name == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
        continue;
      if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) continue;  // half of them, as a rule
      if (symbol.st_shndx != section_index) {
        if (gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &section) == nullptr) continue;
        section_index = symbol.st_shndx;
      }
      if (!is_code_symbol(symbol, section)) continue;
      if (symbol.st_name >= names.size() || names[symbol.st_name] == '\0') continue;
      // behind the code that loads a kernel's arguments; the kernel goes on there
      if (header.e_machine == EM_INTELGT &&
          std::strcmp(names.data() + symbol.st_name, "_entry") == 0)
        continue;
      Candidate candidate{};
      candidate.start = symbol.st_value;
      candidate.limit = section.sh_addr + section.sh_size;
      if (segments.empty()) {
        candidate.start += section.sh_offset;
        candidate.limit = section.sh_offset + section.sh_size;
      }
      candidate.size = symbol.st_size;
      candidate.name = names.data() + symbol.st_name;
      candidate.weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
      candidate.global = GELF_ST_BIND(symbol.st_info) == STB_GLOBAL;
      out.push_back(candidate);
    }
  }

  void list_sections() {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
      GElf_Shdr section;
      if (gelf_getshdr(scn, &section) == nullptr) continue;
      symbols |= section.sh_type == SHT_SYMTAB;
      dynamic_symbols |= section.sh_type == SHT_DYNSYM;
      const char* name = elf_strptr(elf, names, section.sh_name);
      if (name == nullptr || section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
      const std::string_view text(name);
      debug_information |= text == ".debug_info" || text == ".zdebug_info";
    }
  }

  void load_functions() {
    if (functions_loaded) return;
    functions_loaded = true;
    std::vector<Candidate> candidates;
    bool taken[2] = {};  // .symtab, .dynsym: an object has one of each
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
      GElf_Shdr section;
      if (gelf_getshdr(scn, &section) == nullptr) continue;
      // .dynsym too: a stripped library has nothing else, and the aliases sort themselves out
      if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
      bool& done = taken[section.sh_type == SHT_DYNSYM ? 1 : 0];
      if (!done) take_symbols(scn, section, candidates);
      done = true;
    }
    std::vector<Place> places(candidates.size());
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = {candidates[i].start, static_cast<uint32_t>(i)};
    std::sort(places.begin(), places.end());
    functions.reserve(places.size());
    for (size_t i = 0; i < places.size();) {
      // of aliases the best, and of equally good ones the first
      const Candidate* best = &candidates[places[i].candidate];
      size_t next = i + 1;
      for (; next < places.size() && places[next].start == best->start; ++next)
        if (const Candidate& other = candidates[places[next].candidate]; rank(other) < rank(*best))
          best = &other;
      const bool has_limit = best->limit > best->start;
      uint64_t size = has_limit ? std::min(best->size, best->limit - best->start) : best->size;
      if (size == 0 && next < places.size()) size = places[next].start - best->start;
      if (size == 0 && has_limit) size = best->limit - best->start;
      functions.push_back({best->start, size, best->name});
      i = next;
    }
  }
};

ElfFile::ElfFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open();
  impl_->load_segments();
  impl_->list_sections();
}

ElfFile::~ElfFile() = default;
ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&&) noexcept = default;

const std::string& ElfFile::path() const {
  return impl_->path;
}

int ElfFile::machine() const {
  return impl_->header.e_machine;
}

const std::vector<ElfFunction>& ElfFile::functions() const {
  impl_->load_functions();
  return impl_->functions;
}

bool ElfFile::has_symbols() const {
  return impl_->symbols;
}

bool ElfFile::has_dynamic_symbols() const {
  return impl_->dynamic_symbols;
}

bool ElfFile::has_debug_information() const {
  return impl_->debug_information;
}

std::string ElfFile::debug_link() const {
  GElf_Shdr section;
  Elf_Scn* scn = impl_->find_section(".gnu_debuglink", section);
  if (scn == nullptr || section.sh_size > 4096 || section.sh_type == SHT_NOBITS) return "";
  Elf_Data* data = elf_getdata(scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return "";
  const auto* text = static_cast<const char*>(data->d_buf);
  return std::string(text, strnlen(text, data->d_size));
}

// One for each relocation, in their order, behind a header that is as long as one of them.
std::vector<ElfFunction> ElfFile::stubs() const {
  std::vector<ElfFunction> out;
  GElf_Shdr relocations, stubs, symbols;
  Elf_Scn* table = impl_->find_section(".rela.plt", relocations);
  if (table == nullptr || impl_->find_section(".plt", stubs) == nullptr ||
      relocations.sh_type != SHT_RELA || relocations.sh_size > kMaxTable ||
      relocations.sh_entsize == 0 || stubs.sh_entsize == 0)
    return out;
  Elf_Scn* symbol_table = elf_getscn(impl_->elf, relocations.sh_link);
  if (symbol_table == nullptr || gelf_getshdr(symbol_table, &symbols) == nullptr ||
      symbols.sh_type != SHT_DYNSYM || symbols.sh_size > kMaxTable)
    return out;
  Elf_Data* data = elf_getdata(table, nullptr);
  Elf_Data* symbol_data = elf_getdata(symbol_table, nullptr);
  if (data == nullptr || symbol_data == nullptr) return out;
  const auto count =
      static_cast<int>(std::min<uint64_t>(relocations.sh_size / relocations.sh_entsize, INT32_MAX));
  uint64_t at = stubs.sh_addr;
  for (int i = 0; i < count; ++i) {
    GElf_Rela relocation;
    if (gelf_getrela(data, i, &relocation) == nullptr) break;
    at += stubs.sh_entsize;
    GElf_Sym symbol;
    const uint64_t index = GELF_R_SYM(relocation.r_info);
    const char* name = "";
    if (index <= INT32_MAX && gelf_getsym(symbol_data, static_cast<int>(index), &symbol) != nullptr)
      name = elf_strptr(impl_->elf, symbols.sh_link, symbol.st_name);
    out.push_back({at, stubs.sh_entsize, name == nullptr ? "" : name});
  }
  return out;
}

const ElfFunction* ElfFile::function_at(uint64_t vaddr) const {
  const auto& functions = this->functions();
  auto next = std::upper_bound(functions.begin(), functions.end(), vaddr,
                               [](uint64_t at, const ElfFunction& f) { return at < f.start; });
  // A symbol can lie inside a longer one (`__restore_rt`, entry points): a few steps back find it.
  for (int steps = 0; next != functions.begin() && steps < 8; ++steps) {
    --next;
    if (vaddr - next->start < next->size) return &*next;
  }
  return nullptr;
}

bool ElfFile::has_segments() const {
  return !impl_->segments.empty();
}

std::optional<uint64_t> ElfFile::vaddr_of_offset(uint64_t offset) const {
  if (impl_->segments.empty()) return offset;
  for (const Segment& segment : impl_->segments)
    if (offset >= segment.offset && offset - segment.offset < segment.size)
      return segment.vaddr + (offset - segment.offset);
  return std::nullopt;
}

std::optional<uint64_t> ElfFile::offset_of_vaddr(uint64_t vaddr) const {
  if (impl_->segments.empty()) return vaddr;
  for (const Segment& segment : impl_->segments)
    if (vaddr >= segment.vaddr && vaddr - segment.vaddr < segment.size)
      return segment.offset + (vaddr - segment.vaddr);
  return std::nullopt;
}

std::vector<ElfSection> ElfFile::sections() const {
  std::vector<ElfSection> out;
  size_t names = 0;
  if (elf_getshdrstrndx(impl_->elf, &names) != 0) return out;
  for (Elf_Scn* scn = elf_nextscn(impl_->elf, nullptr); scn != nullptr;
       scn = elf_nextscn(impl_->elf, scn)) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr) continue;
    const char* name = elf_strptr(impl_->elf, names, header.sh_name);
    out.push_back({name == nullptr ? "" : name, header.sh_type, header.sh_flags, header.sh_addr,
                   header.sh_offset, header.sh_size, header.sh_info,
                   static_cast<uint32_t>(elf_ndxscn(scn))});
  }
  return out;
}

std::string ElfFile::bytes_of(const ElfSection& section) const {
  if (section.type == SHT_NOBITS || section.offset >= impl_->file_size || section.size > kMaxTable)
    return "";
  std::string bytes(std::min(section.size, impl_->file_size - section.offset), '\0');
  const ssize_t n =
      ::pread(impl_->fd, bytes.data(), bytes.size(), static_cast<off_t>(section.offset));
  bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return bytes;
}

std::string ElfFile::bytes_at(uint64_t vaddr, size_t size) const {
  const auto offset = offset_of_vaddr(vaddr);
  if (!offset || *offset > INT64_MAX) return "";
  std::string bytes(std::min<size_t>(size, size_t{1} << 20), '\0');
  const ssize_t n = ::pread(impl_->fd, bytes.data(), bytes.size(), static_cast<off_t>(*offset));
  bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return bytes;
}

std::string ElfFile::build_id() const {
  for (Elf_Scn* scn = elf_nextscn(impl_->elf, nullptr); scn != nullptr;
       scn = elf_nextscn(impl_->elf, scn)) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr || section.sh_type != SHT_NOTE ||
        section.sh_size > kMaxTable)
      continue;
    Elf_Data* data = elf_getdata(scn, nullptr);
    if (data == nullptr) continue;
    GElf_Nhdr note;
    size_t name = 0, description = 0;
    size_t next = 0;
    for (size_t at = 0; (next = gelf_getnote(data, at, &note, &name, &description)) > at;
         at = next) {
      const auto* bytes = static_cast<const char*>(data->d_buf);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
          std::memcmp(bytes + name, "GNU", 4) != 0 || note.n_descsz > 64)
        continue;
      std::string hex;
      for (size_t i = 0; i < note.n_descsz; ++i)
        hex += format("%02x", static_cast<unsigned char>(bytes[description + i]));
      return hex;
    }
  }
  return "";
}

}  // namespace aiflame
