// SPDX-License-Identifier: MIT
#include "libcommon/symbols/object_symbols.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "libcommon/process/process_maps.h"
#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/elf_bounds.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {
namespace {

constexpr uint64_t kSeveral = UINT64_MAX;

// Null when the file cannot be read, has another build id, or does not run on that architecture.
std::shared_ptr<ElfFile> open_object(const std::string& path, const std::string& build_id,
                                     const std::string& architecture = "") {
  // most candidates do not exist, and an exception costs many times as much as access()
  if (access(path.c_str(), R_OK) != 0) return nullptr;
  try {
    auto file = std::make_shared<ElfFile>(path);
    if (!build_id.empty() && file->build_id() != build_id) return nullptr;
    if (!may_run_on(architecture, file->machine())) return nullptr;
    return file;
  } catch (const Error&) {
    return nullptr;
  }
}

// Why an object that is there is not read, or nullptr.
const char* excess_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  const char* const excess = excess_of_elf(fd);
  ::close(fd);
  return excess;
}

// The vdso as a file in memory, or -1.
int copy_vdso() {
  const std::string maps = read_text("/proc/self/maps", size_t{16} << 20);
  const size_t name = maps.find("[vdso]");
  if (name == std::string::npos) return -1;
  const size_t newline = maps.rfind('\n', name);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  MapsLine map;
  if (!parse_maps_line(std::string_view(maps).substr(begin, name - begin), map) ||
      map.end - map.start > (size_t{1} << 20))
    return -1;
  std::string image(map.end - map.start, '\0');
  const auto size = static_cast<ssize_t>(image.size());
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) return -1;
  const bool read =
      ::pread(memory, image.data(), image.size(), static_cast<off_t>(map.start)) == size;
  ::close(memory);
  const int fd = read ? memfd_create("vdso", MFD_CLOEXEC) : -1;
  if (fd >= 0 && ::write(fd, image.data(), image.size()) != size) {
    ::close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

ObjectSymbols ObjectSymbols::of_file(const std::string& path, const std::string& build_id,
                                     SourceDetail detail, const std::string& architecture) {
  ObjectSymbols out;
  out.detail_ = detail;
  const std::shared_ptr<ElfFile> object = open_object(path, build_id, architecture);
  if (object == nullptr) out.refused_ = excess_of(path);
  const std::string wanted = build_id.empty() && object != nullptr ? object->build_id() : build_id;
  const std::string link = object == nullptr ? "" : object->debug_link();
  // perf's rule: names come from the first file with a full symbol table, the layout from the first
  // with a dynamic symbol table. When only one is found, it serves for both.
  out.build_id_ = wanted;
  out.debug_files_ = symbol_files(path, wanted, link);
  for (const std::string& candidate : out.debug_files_) {
    const std::shared_ptr<ElfFile> file =
        candidate == path ? object : open_object(candidate, wanted, architecture);
    if (file == nullptr) continue;
    if (out.symbols_ == nullptr && file->has_symbols()) out.symbols_ = file;
    if (out.runtime_ == nullptr && file->has_dynamic_symbols()) out.runtime_ = file;
    if (out.symbols_ != nullptr && out.runtime_ != nullptr) break;
  }
  if (out.symbols_ == nullptr) out.symbols_ = out.runtime_;
  if (out.runtime_ == nullptr) out.runtime_ = out.symbols_;
  return out;
}

ObjectSymbols ObjectSymbols::of_vdso(const std::string& build_id) {
  // the descriptor stays open, so that the path stays valid as long as the process
  static const int fd = copy_vdso();
  ObjectSymbols out;
  if (fd >= 0)
    out.symbols_ = out.runtime_ = open_object("/proc/self/fd/" + std::to_string(fd), build_id);
  return out;
}

std::optional<ElfFunction> ObjectSymbols::find(uint64_t file_offset, bool& is_stub) const {
  is_stub = false;
  if (runtime_ == nullptr) return std::nullopt;
  const auto vaddr = runtime_->vaddr_of_offset(file_offset);
  if (!vaddr) return std::nullopt;
  // Stubs first: `_init`, which precedes them, has no size and so seems to hold them.
  if (const auto stub = runtime_->stub_at(*vaddr); stub) {
    is_stub = true;
    return stub;
  }
  return symbols_->function_at(*vaddr);
}

std::optional<std::string> ObjectSymbols::at(uint64_t file_offset) const {
  bool is_stub = false;
  const auto function = find(file_offset, is_stub);
  if (!function) return std::nullopt;
  return demangle(function->name, false) + (is_stub ? "@plt" : "");
}

std::optional<uint64_t> ObjectSymbols::function_at(uint64_t file_offset) const {
  bool is_stub = false;
  const auto function = find(file_offset, is_stub);
  return function ? std::optional(function->start) : std::nullopt;
}

const std::vector<SourceFrame>& ObjectSymbols::sources_at(uint64_t file_offset) {
  static const std::vector<SourceFrame> kNone;
  const auto vaddr = runtime_ == nullptr ? std::nullopt : runtime_->vaddr_of_offset(file_offset);
  if (!vaddr) return kNone;
  if (dwarf_ == nullptr) {
    std::string path;
    for (const std::string& candidate : debug_files_) {
      const std::shared_ptr<ElfFile> file = open_object(candidate, build_id_);
      if (file == nullptr || !file->has_debug_information()) continue;
      path = candidate;
      break;
    }
    // the last candidate is the object itself
    dwarf_ =
        std::make_unique<DwarfFile>(path, debug_files_.empty() ? "" : debug_files_.back(), detail_);
  }
  return dwarf_->frames_at(*vaddr);
}

CallFrames& ObjectSymbols::call_frames() {
  if (call_frames_ == nullptr)
    call_frames_ = std::make_unique<CallFrames>(runtime_ == nullptr ? "" : runtime_->path());
  return *call_frames_;
}

std::optional<uint64_t> ObjectSymbols::offset_of(const std::string& function) {
  if (runtime_ == nullptr) return std::nullopt;
  if (!by_name_made_) {
    by_name_made_ = true;
    for (const ElfFunction& each : symbols_->functions()) {
      const auto [at, added] = by_name_.try_emplace(demangle(each.name, false), each.start);
      if (!added) at->second = kSeveral;
    }
  }
  const auto found = by_name_.find(function);
  if (found == by_name_.end() || found->second == kSeveral) return std::nullopt;
  return runtime_->offset_of_vaddr(found->second);
}

}  // namespace aiflame
