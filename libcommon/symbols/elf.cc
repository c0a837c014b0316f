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
#include <iterator>
#include <utility>

#include "libcommon/base/hex.h"
#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/symbols/elf_bounds.h"
#include "libcommon/symbols/elf_functions.h"
#include "libcommon/symbols/embedded_symbols.h"

namespace aiflame {
namespace {

constexpr uint64_t kMaxTable = ElfFunctions::kMaxTable;
// Notes that are searched for a build id, which takes 36 bytes: each, and all together. Many
// sections can be the same bytes of the file, and libelf keeps a copy of each.
constexpr uint64_t kMaxNote = uint64_t{1} << 20, kMaxNotes = uint64_t{16} << 20;

struct Segment {
  uint64_t vaddr, offset, size;
};

// Sizes in .plt; `bytes` is 0 where they are not known.
struct StubLayout {
  uint64_t header_bytes = 0, bytes = 0;
};

// x86-64 has a header as long as a stub. On AArch64, GNU ld tells no size of stubs: the header has
// 32 bytes, and a stub 16 (adrp; ldr; add; br x17), or 24 where branch targets are marked or
// addresses signed.
StubLayout stub_layout(int machine, uint64_t entry_bytes, Elf_Scn* stubs) {
  if (machine != EM_AARCH64) return {entry_bytes, entry_bytes};
  constexpr size_t kHeader = 32, kLast = 12, kBranch = 4;
  constexpr uint32_t kBranchToX17 = 0xd61f0220;
  const Elf_Data* const data = elf_rawdata(stubs, nullptr);
  if (data == nullptr || data->d_buf == nullptr || data->d_size < kHeader + kLast + kBranch)
    return {};
  uint32_t last = 0;
  std::memcpy(&last, static_cast<const char*>(data->d_buf) + kHeader + kLast, sizeof last);
  return {kHeader, last == kBranchToX17 ? uint64_t{16} : uint64_t{24}};
}

}  // namespace

struct ElfFile::Impl {
  std::string path;
  int fd = -1;
  Elf* elf = nullptr;
  GElf_Ehdr header{};
  uint64_t file_size = 0;
  std::vector<Segment> segments;
  std::unique_ptr<ElfFunctions> functions;  // made at the first call
  bool symbols = false, debug_information = false, cut = false;
  Elf_Scn *debug_link = nullptr, *stubs = nullptr, *stub_relocations = nullptr;
  Elf_Scn* exports = nullptr;             // .dynsym
  Elf_Scn* compressed_symbols = nullptr;  // .gnu_debugdata, until it is expanded
  std::unique_ptr<Impl> embedded;         // the object in it

  ~Impl() {
    if (elf != nullptr) elf_end(elf);
    if (fd >= 0) ::close(fd);
  }

  void open() {
    // O_NONBLOCK: opening a FIFO must not block us
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
  }

  void read() {
    elf_version(EV_CURRENT);
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
      throw Error(path + ": not a regular file");
    file_size = static_cast<uint64_t>(status.st_size);
    if (const char* excess = excess_of_elf(fd)) throw Error(path + ": not read: " + excess);
    // not mapped: a file that shrinks while it is read would be SIGBUS
    elf = elf_begin(fd, ELF_C_READ, nullptr);
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr)
      throw Error(path + ": not an ELF object");
    load_segments();
    list_sections();
  }

  void load_segments() {
    size_t count = 0;
    if (header.e_machine == EM_CUDA || elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) break;
      if (segment.p_type == PT_LOAD && segment.p_filesz > 0)
        segments.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
    }
  }

  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset <= file_size && bytes <= file_size - offset;
  }

  void list_sections() {
    cut = !holds(header.e_shoff, uint64_t{header.e_shentsize} * header.e_shnum);
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
      GElf_Shdr section;
      if (gelf_getshdr(scn, &section) == nullptr) continue;
      cut |= section.sh_type != SHT_NOBITS && !holds(section.sh_offset, section.sh_size);
      symbols |= section.sh_type == SHT_SYMTAB;
      if (section.sh_type == SHT_DYNSYM) exports = scn;
      const char* name = elf_strptr(elf, names, section.sh_name);
      if (name == nullptr || section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
      const std::string_view text(name);
      if (text == ".gnu_debuglink") debug_link = scn;
      if (text == ".gnu_debugdata") compressed_symbols = scn;
      if (text == ".plt") stubs = scn;
      if (text == ".rela.plt") stub_relocations = scn;
      debug_information |= text == ".debug_info" || text == ".zdebug_info";
    }
  }

  ElfFunctions& symbol_functions() {
    if (functions == nullptr) functions = std::make_unique<ElfFunctions>(elf, segments.empty());
    return *functions;
  }

  // The functions of the object in .gnu_debugdata, which has the addresses of this one; nullptr
  // when there is none.
  ElfFunctions* embedded_functions() {
    if (Elf_Scn* const scn = std::exchange(compressed_symbols, nullptr); scn != nullptr)
      expand(scn);
    return embedded == nullptr ? nullptr : &embedded->symbol_functions();
  }

  void expand(Elf_Scn* scn) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr || section.sh_size > std::min(kMaxTable, file_size))
      return;
    const Elf_Data* data = elf_rawdata(scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    try {
      const MemoryFile file(
          expand_embedded_symbols({static_cast<const char*>(data->d_buf), data->d_size}));
      auto object = std::make_unique<Impl>();
      object->fd = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
      object->read();
      object->compressed_symbols = nullptr;  // not one in another
      if (object->header.e_machine != header.e_machine) return;
      // its sections are empty, and so are its segments: no reason to take offsets for addresses
      object->functions = std::make_unique<ElfFunctions>(object->elf, segments.empty());
      embedded = std::move(object);
    } catch (const Error&) {
      // as if the section were missing
    }
  }
};

ElfFile::ElfFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open();
  impl_->read();
}

ElfFile::ElfFile(int descriptor, const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->path = name;
  impl_->fd = descriptor;
  impl_->read();
}

ElfFile::~ElfFile() = default;
ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&&) noexcept = default;

const std::string& ElfFile::path() const {
  return impl_->path;
}

uint64_t ElfFile::size() const {
  return impl_->file_size;
}

bool ElfFile::is_cut() const {
  return impl_->cut;
}

int ElfFile::machine() const {
  return impl_->header.e_machine;
}

uint32_t ElfFile::flags() const {
  return impl_->header.e_flags;
}

unsigned ElfFile::abi_version() const {
  return impl_->header.e_ident[EI_ABIVERSION];
}

std::vector<ElfFunction> ElfFile::functions() const {
  std::vector<ElfFunction> all = impl_->symbol_functions().all();
  if (ElfFunctions* embedded = impl_->embedded_functions(); embedded != nullptr) {
    const auto by_address = [](const ElfFunction& a, const ElfFunction& b) {
      return a.start < b.start;
    };
    std::vector<ElfFunction> both, more = embedded->all();
    std::merge(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both),
               by_address);
    both.erase(std::unique(both.begin(), both.end(),
                           [](const auto& a, const auto& b) { return a.start == b.start; }),
               both.end());
    all.swap(both);
  }
  return all;
}

std::optional<ElfFunction> ElfFile::function_at(uint64_t vaddr) const {
  const auto found = impl_->symbol_functions().at(vaddr);
  if (found) return found;
  ElfFunctions* const embedded = impl_->embedded_functions();
  return embedded == nullptr ? std::nullopt : embedded->at(vaddr);
}

bool ElfFile::has_symbols() const {
  return impl_->symbols;
}

bool ElfFile::has_dynamic_symbols() const {
  return impl_->exports != nullptr;
}

bool ElfFile::has_debug_information() const {
  return impl_->debug_information;
}

std::string ElfFile::debug_link() const {
  GElf_Shdr section;
  if (gelf_getshdr(impl_->debug_link, &section) == nullptr || section.sh_size > 4096) return "";
  Elf_Data* data = elf_getdata(impl_->debug_link, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return "";
  const auto* text = static_cast<const char*>(data->d_buf);
  return std::string(text, strnlen(text, data->d_size));
}

std::optional<uint64_t> ElfFile::export_at(std::string_view name) const {
  GElf_Shdr header;
  if (gelf_getshdr(impl_->exports, &header) == nullptr || header.sh_size > kMaxTable ||
      header.sh_entsize == 0)
    return std::nullopt;
  Elf_Data* data = elf_getdata(impl_->exports, nullptr);
  const uint64_t count = std::min<uint64_t>(header.sh_size / header.sh_entsize, INT32_MAX);
  GElf_Sym symbol;
  for (uint64_t i = 0; i < count; ++i) {
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (symbol.st_shndx == SHN_UNDEF) continue;
    const char* found = elf_strptr(impl_->elf, header.sh_link, symbol.st_name);
    if (found != nullptr && name == found) return symbol.st_value;
  }
  return std::nullopt;
}

// .plt has a header, then one stub for each relocation, in the same order.
std::optional<ElfFunction> ElfFile::stub_at(uint64_t vaddr) const {
  GElf_Shdr relocations, stubs, symbols;
  if (gelf_getshdr(impl_->stubs, &stubs) == nullptr ||
      gelf_getshdr(impl_->stub_relocations, &relocations) == nullptr ||
      relocations.sh_type != SHT_RELA || relocations.sh_size > kMaxTable ||
      relocations.sh_entsize == 0 || vaddr < stubs.sh_addr ||
      vaddr - stubs.sh_addr >= stubs.sh_size || stubs.sh_size > kMaxTable)
    return std::nullopt;
  const StubLayout layout = stub_layout(impl_->header.e_machine, stubs.sh_entsize, impl_->stubs);
  if (layout.bytes == 0 || vaddr - stubs.sh_addr < layout.header_bytes) return std::nullopt;
  const uint64_t number = (vaddr - stubs.sh_addr - layout.header_bytes) / layout.bytes;
  if (number >= relocations.sh_size / relocations.sh_entsize) return std::nullopt;
  Elf_Scn* symbol_table = elf_getscn(impl_->elf, relocations.sh_link);
  if (gelf_getshdr(symbol_table, &symbols) == nullptr || symbols.sh_type != SHT_DYNSYM ||
      symbols.sh_size > kMaxTable)
    return std::nullopt;
  Elf_Data* data = elf_getdata(impl_->stub_relocations, nullptr);
  Elf_Data* symbol_data = elf_getdata(symbol_table, nullptr);
  GElf_Rela relocation;
  if (data == nullptr || symbol_data == nullptr ||
      gelf_getrela(data, static_cast<int>(number), &relocation) == nullptr)
    return std::nullopt;
  // behind the others there are relocations without a stub: of variables of threads
  if (impl_->header.e_machine == EM_AARCH64 &&
      GELF_R_TYPE(relocation.r_info) != R_AARCH64_JUMP_SLOT)
    return std::nullopt;
  GElf_Sym symbol;
  const uint64_t index = GELF_R_SYM(relocation.r_info);
  const char* name = nullptr;
  if (index <= INT32_MAX && gelf_getsym(symbol_data, static_cast<int>(index), &symbol) != nullptr)
    name = elf_strptr(impl_->elf, symbols.sh_link, symbol.st_name);
  return ElfFunction{stubs.sh_addr + layout.header_bytes + number * layout.bytes, layout.bytes,
                     name == nullptr ? "" : name};
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
  uint64_t left = kMaxNotes;
  for (Elf_Scn* scn = elf_nextscn(impl_->elf, nullptr); scn != nullptr;
       scn = elf_nextscn(impl_->elf, scn)) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr || section.sh_type != SHT_NOTE ||
        section.sh_size > std::min(kMaxNote, left))
      continue;
    left -= section.sh_size;
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
      return hex_of({bytes + description, note.n_descsz});
    }
  }
  return "";
}

}  // namespace aiflame
