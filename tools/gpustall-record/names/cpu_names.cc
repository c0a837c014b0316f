// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/cpu_names.h"

#include <algorithm>
#include <filesystem>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/process/process_file.h"
#include "libcommon/process/process_maps.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame::record {

void CpuNames::add_mapping(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                           const std::string& path) {
  auto& mappings = processes_[pid];
  auto at = mappings.lower_bound(start);
  if (at != mappings.begin() && std::prev(at)->second.end > start) --at;
  while (at != mappings.end() && at->first < end) {
    budgets_.give_back(Kept::mappings, pid, cost(at->second));
    at = mappings.erase(at);
  }
  const Mapping mapping{end, file_offset, path};
  if (budgets_.take(Kept::mappings, pid, cost(mapping))) mappings[start] = mapping;
}

void CpuNames::read_maps(uint32_t pid, uint64_t address) {
  constexpr uint32_t kMostLeftOut = 1023;
  if (const auto known = futile_.find(pid); known != futile_.end() && known->second.left > 0) {
    --known->second.left;
    return;
  }
  try {
    LineReader maps(format("/proc/%u/maps", pid));
    std::string_view line;
    MapsLine parsed;
    bool first = true;
    while (maps.next(line))
      if (parse_maps_line(line, parsed) && parsed.is_executable()) {
        if (first) forget_mappings(pid);
        first = false;
        add_mapping(pid, parsed.start, parsed.end, parsed.file_offset, std::string(parsed.path));
      }
  } catch (const Error&) {
    // the process has gone: the known mappings stay
  }
  if (knows(pid, address)) {
    futile_.erase(pid);
    return;
  }
  Futile& futile = futile_[pid];
  futile.calls = std::min(2 * futile.calls + 1, kMostLeftOut);
  futile.left = futile.calls;
}

void CpuNames::copy_mappings(uint32_t parent, uint32_t pid) {
  const auto known = processes_.find(parent);
  if (known == processes_.end() || parent == pid) return;
  forget_mappings(pid);
  auto& mappings = processes_[pid];
  for (const auto& [start, mapping] : known->second)
    if (budgets_.take(Kept::mappings, pid, cost(mapping))) mappings[start] = mapping;
  mounts_[pid] = mounts_of(parent);
}

const std::string& CpuNames::mounts_of(uint32_t pid) {
  const auto [known, is_new] = mounts_.try_emplace(pid);
  std::error_code gone;
  if (is_new)
    known->second = std::filesystem::read_symlink(format("/proc/%u/ns/mnt", pid), gone).string();
  return known->second;
}

const ElfFile* CpuNames::open(uint32_t pid, const std::string& path) {
  const auto [known, is_new] = files_.try_emplace({mounts_of(pid), path});
  std::unique_ptr<ElfFile>& file = known->second;
  if (!is_new) return file.get();
  try {
    const ProcessFile opened(pid, path);
    file = std::make_unique<ElfFile>(opened.path());
  } catch (const Error&) {
    // not ELF, or not readable
  }
  return file.get();
}

bool CpuNames::knows(uint32_t pid, uint64_t address) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return false;
  const auto next = process->second.upper_bound(address);
  return next != process->second.begin() && address < std::prev(next)->second.end;
}

GpustallFrame CpuNames::frame_at(uint32_t pid, uint64_t address, bool is_return) {
  GpustallFrame frame{address, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"};
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return frame;
  const uint64_t inside = is_return ? address - 1 : address;
  auto at = process->second.upper_bound(inside);
  if (at == process->second.begin()) return frame;
  --at;
  const Mapping& mapping = at->second;
  if (inside >= mapping.end) return frame;
  frame.object = mapping.path.empty() ? "//anon" : mapping.path;
  if (!mapping.path.starts_with('/')) return frame;
  const ElfFile* file = open(pid, mapping.path);
  if (file == nullptr) return frame;
  const auto vaddr = file->vaddr_of_offset(inside - at->first + mapping.file_offset);
  const auto function = vaddr ? file->function_at(*vaddr) : std::nullopt;
  if (!function) return frame;
  frame.symbol = demangle(function->name, false);
  frame.offset = *vaddr - function->start + (is_return ? 1 : 0);
  return frame;
}

}  // namespace aiflame::record
