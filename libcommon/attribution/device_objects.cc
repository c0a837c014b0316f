// SPDX-License-Identifier: MIT
#include "libcommon/attribution/device_objects.h"

namespace aiflame {

void DeviceObjects::map(uint64_t device, int64_t pid, uint64_t address, uint64_t size,
                        uint64_t file_offset, const std::string& path) {
  if (size == 0) return;
  unmap(device, pid, address, size);
  spaces_[{device, pid}][address] = {size, file_offset, path};
}

void DeviceObjects::unmap(uint64_t device, int64_t pid, uint64_t address, uint64_t size) {
  const auto space = spaces_.find({device, pid});
  if (space == spaces_.end() || size == 0) return;
  Space& mappings = space->second;
  const uint64_t end = address + size;
  auto at = mappings.lower_bound(address);
  if (at != mappings.begin()) --at;
  while (at != mappings.end() && at->first < end) {
    const uint64_t start = at->first;
    const Mapping old = at->second;
    if (start + old.size <= address) {
      ++at;
      continue;
    }
    at = mappings.erase(at);
    if (start < address) mappings[start] = {address - start, old.file_offset, old.path};
    if (start + old.size > end)
      at = mappings
               .insert_or_assign(
                   end, Mapping{start + old.size - end, old.file_offset + (end - start), old.path})
               .first;
  }
}

std::optional<DeviceObjects::Place> DeviceObjects::find_in(const Space& space, uint64_t address) {
  auto next = space.upper_bound(address);
  if (next == space.begin()) return std::nullopt;
  --next;
  const uint64_t offset = address - next->first;
  if (offset >= next->second.size) return std::nullopt;
  return Place{&next->second.path, next->second.file_offset + offset};
}

std::optional<DeviceObjects::Place> DeviceObjects::find(uint64_t device, int64_t pid,
                                                        uint64_t address) const {
  for (const int64_t owner : {pid, int64_t{0}}) {
    const auto space = spaces_.find({device, owner});
    if (space == spaces_.end()) continue;
    if (const auto place = find_in(space->second, address)) return place;
  }
  if (pid != 0) return std::nullopt;
  std::optional<Place> found;
  for (auto space = spaces_.lower_bound({device, INT64_MIN});
       space != spaces_.end() && space->first.first == device; ++space) {
    const auto place = find_in(space->second, address);
    if (!place) continue;
    if (found && (*found->path != *place->path || found->file_offset != place->file_offset))
      return std::nullopt;
    found = place;
  }
  return found;
}

}  // namespace aiflame
