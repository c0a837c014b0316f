// SPDX-License-Identifier: MIT
#include "libcommon/symbols/inflated_sections.h"

#include <gelf.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <set>
#include <string_view>

#include "libcommon/parallel/parallel.h"

namespace aiflame {
namespace {

// Locations of variables (a sixth of libc's debug information), macros, call frames, name indexes.
constexpr std::string_view kUnused[] = {
    ".debug_loc",          ".debug_loclists", ".debug_frame",    ".debug_macro",
    ".debug_macinfo",      ".debug_pubnames", ".debug_pubtypes", ".debug_gnu_pubnames",
    ".debug_gnu_pubtypes", ".debug_names"};

// Deflate expands a byte to at most this many (RFC 1951: 258 bytes from a code of two bits). zstd
// has no such bound, but no honest debug information is that repetitive.
constexpr uint64_t kMostOfAByte = 1032;

// Sections can overlap in the file, and each can expand the same bytes. So all sections together
// may inflate to kOfAnyFile plus kOfAByteInAll times the file. Honest files inflate to a few times
// their size. libdw makes 120 bytes in memory of each byte of a line table, and 100 of each
// abbreviation of 5, so tables of lines and files are held to the file's own size.
constexpr uint64_t kOfAByteInAll = 16, kOfAnyFile = uint64_t{2} << 20;
constexpr uint64_t kLinesOfAnyFile = uint64_t{1} << 20;

constexpr uint32_t kZlib = 1, kZstd = 2;  // ch_type: ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD (of gABI)

struct Section {
  std::string_view name;
  Elf_Scn* scn;
  GElf_Chdr header;
  std::string_view compressed;
  std::unique_ptr<char[]> bytes = nullptr;  // once inflated
};

// The size to which libelf would inflate a section; 0 if it is not compressed.
uint64_t inflated_size(Elf_Scn* scn, const GElf_Shdr& header, std::string_view name) {
  GElf_Chdr compression;
  if ((header.sh_flags & SHF_COMPRESSED) != 0)
    return gelf_getchdr(scn, &compression) == nullptr ? 0 : compression.ch_size;
  // the older form, without SHF_COMPRESSED: `ZLIB`, the size (8 bytes, big-endian), the zlib stream
  if (name.find(".zdebug") == std::string_view::npos) return 0;
  const Elf_Data* raw = elf_rawdata(scn, nullptr);
  if (raw == nullptr || raw->d_buf == nullptr) return 0;
  const std::string_view bytes(static_cast<const char*>(raw->d_buf), raw->d_size);
  if (bytes.size() < 12 || bytes.substr(0, 4) != "ZLIB") return 0;
  uint64_t size = 0;
  for (const char byte : bytes.substr(4, 8)) size = size << 8 | static_cast<unsigned char>(byte);
  return size;
}

bool inflate_zlib(std::string_view from, char* to, size_t size) {
  libdeflate_decompressor* const inflater = libdeflate_alloc_decompressor();
  if (inflater == nullptr) return false;
  const libdeflate_result result =
      libdeflate_zlib_decompress(inflater, from.data(), from.size(), to, size, nullptr);
  libdeflate_free_decompressor(inflater);
  return result == LIBDEFLATE_SUCCESS;
}

void inflate_one(Section& section) {
  const uint64_t size = section.header.ch_size;
  if (size / kMostOfAByte > section.compressed.size()) return;
  // libdw may return a string without looking for its end: a zero byte follows the last byte
  std::unique_ptr<char[]> bytes(new (std::nothrow) char[size + 1]);
  if (bytes == nullptr) return;
  bytes[size] = '\0';
  const bool whole = section.header.ch_type == kZlib
                         ? inflate_zlib(section.compressed, bytes.get(), size)
                         : ZSTD_decompress(bytes.get(), size, section.compressed.data(),
                                           section.compressed.size()) == size;
  if (whole) section.bytes = std::move(bytes);
}

// Makes the section look as if it had never been compressed. libdw reads the raw data, libdwfl the
// converted data when it relocates them.
void replace(const Section& section) {
  GElf_Shdr header;
  if (gelf_getshdr(section.scn, &header) == nullptr) return;
  header.sh_flags &= ~GElf_Xword{SHF_COMPRESSED};
  header.sh_size = section.header.ch_size;
  header.sh_addralign = section.header.ch_addralign;
  gelf_update_shdr(section.scn, &header);
  for (Elf_Data* data : {elf_rawdata(section.scn, nullptr), elf_getdata(section.scn, nullptr)}) {
    if (data == nullptr) continue;
    data->d_buf = section.bytes.get();
    data->d_size = section.header.ch_size;
    data->d_align = section.header.ch_addralign;
    data->d_type = ELF_T_BYTE;
  }
}

}  // namespace

void InflatedSections::inflate(Elf* elf, bool lines) {
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return;
  const size_t own_header =
      gelf_getclass(elf) == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
  size_t file_size = 0;
  elf_rawfile(elf, &file_size);
  uint64_t left = kOfAnyFile + kOfAByteInAll * std::min<uint64_t>(file_size, UINT64_MAX >> 8);
  std::vector<Section> sections;
  std::set<std::string_view> known;
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr) continue;
    const char* text = elf_strptr(elf, names, header.sh_name);
    const std::string_view name = text == nullptr ? "" : text;
    const bool is_compressed = (header.sh_flags & SHF_COMPRESSED) != 0;
    const uint64_t size = inflated_size(scn, header, name);
    const bool unused =
        std::find(std::begin(kUnused), std::end(kUnused), name) != std::end(kUnused) ||
        (!lines && name == ".debug_line");
    const bool excess_of_lines = name.ends_with("debug_line") && size > kLinesOfAnyFile + file_size;
    if ((is_compressed && unused) || excess_of_lines || size > left) {
      header.sh_type = SHT_NOBITS;
      gelf_update_shdr(scn, &header);
      continue;
    }
    left -= size;
    // libdw takes the first section of a name
    if (!is_compressed || !known.insert(name).second) continue;
    GElf_Chdr compression;
    const Elf_Data* raw = elf_rawdata(scn, nullptr);
    if (gelf_getchdr(scn, &compression) == nullptr || raw == nullptr || raw->d_size < own_header ||
        (compression.ch_type != kZlib && compression.ch_type != kZstd))
      continue;
    sections.push_back(
        {name,
         scn,
         compression,
         {static_cast<const char*>(raw->d_buf) + own_header, raw->d_size - own_header}});
  }
  // the longest first: it takes as long as all others together
  std::stable_sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) {
    return a.header.ch_size > b.header.ch_size;
  });
  in_parallel(sections.size(), [&](size_t number) { inflate_one(sections[number]); });
  for (Section& section : sections) {
    if (section.bytes == nullptr) continue;
    replace(section);
    bytes_.push_back(std::move(section.bytes));
  }
}

}  // namespace aiflame
