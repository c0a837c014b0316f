// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/cpu_names.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/process/process_maps.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame::record {

void CpuNames::add_mapping(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                           const std::string& path) {
  add(pid, start, {end, file_offset, path});
}

void CpuNames::add(uint32_t pid, uint64_t start, Mapping mapping) {
  auto& mappings = processes_[pid];
  auto at = mappings.lower_bound(start);
  if (at != mappings.begin() && std::prev(at)->second.end > start) --at;
  while (at != mappings.end() && at->first < mapping.end) {
    budgets_.give_back(Kept::mappings, pid, cost(at->second));
    at = mappings.erase(at);
  }
  if (budgets_.take(Kept::mappings, pid, cost(mapping))) mappings[start] = std::move(mapping);
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
        add(pid, parsed.start, {parsed.end, parsed.file_offset, std::string(parsed.path), true});
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
  roots_.copy(parent, pid);
}

// Each process that compiles code has a map of its own, and each map keeps a descriptor and some
// memory of the child.
std::optional<uint64_t> CpuNames::map_of(uint32_t pid, const Mapping& mapping) {
  constexpr size_t kMostMaps = 512;
  if (!mapping.path.empty() && !is_anonymous(mapping.path)) return std::nullopt;
  if (const auto known = maps_.find(pid); known != maps_.end()) return known->second;
  if (maps_opened_ == kMostMaps) return std::nullopt;
  const std::optional<ProcessFile> file = jit_maps_.open(pid);
  if (!file) return std::nullopt;
  ++maps_opened_;
  return maps_[pid] = symbols_.add_file(file->descriptor(), FileSymbols::Kind::jitted);
}

std::optional<FileSymbols::Place> CpuNames::in_file(
    uint32_t pid, uint64_t inside, const std::pair<const uint64_t, Mapping>& mapping) {
  const auto& [start, what] = mapping;
  if (const auto map = map_of(pid, what))
    return FileSymbols::Place{*map, inside, FileSymbols::Kind::jitted};
  if (!what.path.starts_with('/')) return std::nullopt;
  const uint64_t root = roots_.number_of(pid);
  const bool is_ours = what.is_ours || !roots_.was_told(pid);  // probes report both kinds
  // beyond kMostFiles no other file is readable: a program may map any number of them
  if (files_.size() >= kMostFiles && !files_.contains({root, what.path, is_ours}))
    return std::nullopt;
  const auto [known, is_new] = files_.try_emplace({root, what.path, is_ours});
  if (is_new) {
    known->second.pid = pid;
    try {
      known->second.number = symbols_.add_file(roots_.open(root, what.path, is_ours).descriptor());
    } catch (const Error&) {
      // not readable
    }
  }
  if (!known->second.number) return std::nullopt;
  return FileSymbols::Place{*known->second.number, inside - start + what.file_offset};
}

const std::pair<const uint64_t, CpuNames::Mapping>* CpuNames::mapping_at(uint32_t pid,
                                                                         uint64_t inside) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return nullptr;
  const auto next = process->second.upper_bound(inside);
  if (next == process->second.begin()) return nullptr;
  const auto at = std::prev(next);
  return inside < at->second.end ? &*at : nullptr;
}

bool CpuNames::knows(uint32_t pid, uint64_t address) const {
  return mapping_at(pid, address) != nullptr;
}

void CpuNames::read_ahead(uint32_t pid, const std::vector<Place>& places) {
  std::vector<FileSymbols::Place> wanted;
  for (const Place& place : places) {
    const auto* mapping = mapping_at(pid, place.inside());
    if (mapping == nullptr) continue;
    if (const auto found = in_file(pid, place.inside(), *mapping)) wanted.push_back(*found);
  }
  symbols_.read_ahead(wanted);
}

GpustallFrame CpuNames::frame_at(uint32_t pid, const Place& place) {
  GpustallFrame frame{place.address, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"};
  const auto* mapping = mapping_at(pid, place.inside());
  if (mapping == nullptr) return frame;
  const std::string& path = mapping->second.path;
  frame.object = path.empty() ? "//anon" : path;
  const auto found = in_file(pid, place.inside(), *mapping);
  const FileSymbols::Symbol* const symbol = found ? symbols_.find(*found) : nullptr;
  if (found && found->kind == FileSymbols::Kind::jitted)
    frame.object = JitMaps::object(pid);
  else if (found)
    build_ids_.see(pid, path, symbols_.build_id(found->file));
  if (symbol == nullptr) return frame;
  frame.symbol = symbol->name;
  frame.offset = symbol->offset + (place.is_return ? 1 : 0);
  return frame;
}

std::vector<CpuNames::Object> CpuNames::objects() const {
  std::vector<Object> out;
  for (const auto& [key, file] : files_)
    if (file.number)
      out.push_back({file.pid, std::get<1>(key), symbols_.build_id(*file.number),
                     symbols_.descriptor(*file.number)});
  return out;
}

}  // namespace aiflame::record
