// SPDX-License-Identifier: MIT
#include "libcommon/symbols/elf_functions.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace aiflame {

struct ElfFunctions::Candidate {
  uint64_t start, size, limit;  // limit: end of its section
  const char* name;
  bool weak, global;
};

namespace {

// Names are compared by length and leading underscores up to this many bytes.
constexpr size_t kMaxCompared = 65536;

bool is_code_symbol(const GElf_Sym& symbol, bool in_code) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
  // labels of hand-written assembly, which perf takes too
  const int visibility = GELF_ST_VISIBILITY(symbol.st_other);
  return type == STT_NOTYPE && in_code && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

// The order of perf's choose_best_symbol(), best first.
template <typename Candidate>
auto rank(const Candidate& candidate) {
  const std::string_view name(candidate.name, strnlen(candidate.name, kMaxCompared));
  return std::make_tuple(candidate.size == 0, candidate.weak, !candidate.global,
                         std::min(name.find_first_not_of('_'), name.size()), ~name.size());
}

// The string table of a symbol table, cut so that it ends with a zero byte.
std::string_view names_of(Elf* elf, const GElf_Shdr& table) {
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

// gelf_getsym() costs more than everything else that is done with a symbol, and reads the same
// array.
bool symbol_of(const char* bytes, Elf_Data* data, uint32_t number, GElf_Sym& out) {
  if (bytes == nullptr) return gelf_getsym(data, static_cast<int>(number), &out) != nullptr;
  std::memcpy(&out, bytes + size_t{number} * sizeof out, sizeof out);
  return true;
}

}  // namespace

ElfFunctions::ElfFunctions(Elf* elf, bool file_offsets) : elf_(elf), file_offsets_(file_offsets) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) != nullptr) machine_ = header.e_machine;
  bool taken[2] = {};  // .symtab, .dynsym: the first of each
  std::vector<Elf_Scn*> tables;
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr section;
    sections_.resize(elf_ndxscn(scn) + 1);
    if (gelf_getshdr(scn, &section) == nullptr) continue;
    sections_.back() = {true, (section.sh_flags & SHF_EXECINSTR) != 0, section.sh_offset,
                        file_offsets_ ? section.sh_offset : section.sh_addr, section.sh_size};
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    bool& done = taken[section.sh_type == SHT_DYNSYM ? 1 : 0];
    if (!done) tables.push_back(scn);
    done = true;
  }
  for (Elf_Scn* scn : tables) take(scn);
  divide();
}

void ElfFunctions::take(Elf_Scn* table) {
  GElf_Shdr header;
  if (gelf_getshdr(table, &header) == nullptr || header.sh_size > kMaxTable ||
      header.sh_entsize == 0)
    return;
  Elf_Data* data = elf_getdata(table, nullptr);
  if (data == nullptr || data->d_type != ELF_T_SYM || data->d_buf == nullptr) return;
  const bool direct = gelf_getclass(elf_) == ELFCLASS64;
  const uint64_t held = direct ? data->d_size / sizeof(GElf_Sym) : INT32_MAX;
  const auto count = static_cast<uint32_t>(
      std::min<uint64_t>({header.sh_size / header.sh_entsize, held, INT32_MAX}));
  const uint32_t first = tables_.empty() ? 0 : tables_.front().count;
  tables_.push_back({data, names_of(elf_, header), count,
                     direct ? static_cast<const char*>(data->d_buf) : nullptr});
  list(tables_.back(), first);
}

void ElfFunctions::list(const Table& table, uint32_t first) {
  places_.reserve(places_.size() + table.count);  // untouched pages take no memory
  for (uint32_t i = 0; i < table.count; ++i) {
    GElf_Sym symbol;
    if (!symbol_of(table.bytes, table.data, i, symbol)) break;
    if (symbol.st_name == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
      continue;
    if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) continue;  // usually half of them
    if (symbol.st_shndx >= sections_.size()) continue;
    const Section& section = sections_[symbol.st_shndx];
    if (!section.is_there || !is_code_symbol(symbol, section.is_code)) continue;
    if (symbol.st_name >= table.names.size() || table.names[symbol.st_name] == '\0') continue;
    // a label inside a kernel, after the code that loads its arguments
    if (machine_ == EM_INTELGT && std::strcmp(table.names.data() + symbol.st_name, "_entry") == 0)
      continue;
    places_.push_back({symbol.st_value + (file_offsets_ ? section.offset : 0), first + i});
  }
}

// Divides the places into ranges of addresses with two places each on average.
void ElfFunctions::divide() {
  if (places_.empty()) return;
  const auto [low, high] = std::minmax_element(places_.begin(), places_.end());
  lowest_ = low->start;
  const uint64_t most = std::max<uint64_t>(places_.size() / 2, 1);
  while (shift_ < 63 && range_of(high->start) >= most) ++shift_;
  ranges_.resize(range_of(high->start) + 2);
  sorted_.resize(ranges_.size() - 1);
  for (const Place& place : places_) ++ranges_[range_of(place.start) + 1];
  for (size_t i = 1; i < ranges_.size(); ++i) ranges_[i] += ranges_[i - 1];
  std::vector<Place> divided(places_.size());
  std::vector<uint32_t> next(ranges_.begin(), ranges_.end() - 1);
  for (const Place& place : places_) divided[next[range_of(place.start)]++] = place;
  places_.swap(divided);
}

void ElfFunctions::sort(size_t range) {
  if (sorted_[range]) return;
  std::sort(places_.begin() + ranges_[range], places_.begin() + ranges_[range + 1]);
  sorted_[range] = true;
}

// The address of a place; sorts its range first.
uint64_t ElfFunctions::start_of(size_t place) {
  sort(range_of(places_[place].start));
  return places_[place].start;
}

ElfFunctions::Candidate ElfFunctions::candidate(uint32_t symbol) const {
  const bool second = symbol >= tables_.front().count;
  const Table& table = second ? tables_.back() : tables_.front();
  GElf_Sym found{};
  symbol_of(table.bytes, table.data, second ? symbol - tables_.front().count : symbol, found);
  const Section& section = sections_[found.st_shndx];
  return {found.st_value + (file_offsets_ ? section.offset : 0),
          found.st_size,
          section.begin + section.size,
          table.names.data() + found.st_name,
          GELF_ST_BIND(found.st_info) == STB_WEAK,
          GELF_ST_BIND(found.st_info) == STB_GLOBAL};
}

// The function of the places `begin` to `end`, which have one address.
ElfFunction ElfFunctions::function(size_t begin, size_t end) {
  // of several aliases the best, of equally good ones the first
  Candidate best = candidate(places_[begin].symbol);
  for (size_t i = begin + 1; i < end; ++i)
    if (const Candidate other = candidate(places_[i].symbol); rank(other) < rank(best))
      best = other;
  const bool has_limit = best.limit > best.start;
  uint64_t size = has_limit ? std::min(best.size, best.limit - best.start) : best.size;
  if (size == 0 && end < places_.size()) size = start_of(end) - best.start;
  if (size == 0 && has_limit) size = best.limit - best.start;
  return {best.start, size, best.name};
}

std::optional<ElfFunction> ElfFunctions::at(uint64_t address) {
  if (places_.empty() || address < lowest_) return std::nullopt;
  const size_t range = std::min<uint64_t>(range_of(address), sorted_.size() - 1);
  sort(range);
  const auto place = [this](size_t number) {
    return places_.begin() + static_cast<ptrdiff_t>(number);
  };
  size_t end =
      static_cast<size_t>(std::upper_bound(place(ranges_[range]), place(ranges_[range + 1]),
                                           Place{address, UINT32_MAX}) -
                          places_.begin());
  // A symbol can lie inside a longer one (`__restore_rt`, entry points): a few steps back find the
  // longer one.
  for (int steps = 0; end > 0 && steps < 8; ++steps) {
    const uint64_t start = start_of(end - 1);
    const auto begin = static_cast<size_t>(
        std::lower_bound(place(ranges_[range_of(start)]), place(end), Place{start, 0}) -
        places_.begin());
    const auto [known, added] = known_.try_emplace(begin);
    if (added) known->second = function(begin, end);
    if (address - start < known->second.size) return known->second;
    end = begin;
  }
  return std::nullopt;
}

std::vector<ElfFunction> ElfFunctions::all() {
  std::vector<ElfFunction> out;
  for (size_t begin = 0, end; begin < places_.size(); begin = end) {
    const uint64_t start = start_of(begin);
    for (end = begin + 1; end < places_.size() && start_of(end) == start;) ++end;
    out.push_back(function(begin, end));
  }
  return out;
}

}  // namespace aiflame
