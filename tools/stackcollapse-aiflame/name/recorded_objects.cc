// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/recorded_objects.h"

#include "libcommon/gpustall/object_build_id.h"

namespace aiflame::collapse {

void RecordedObjects::take_header(const GpustallRecord& header) {
  if (!is_build_id_key(header.key)) return;
  const auto object = parse_build_id(header.key, header.value);
  if (!object) return;  // of a later writer
  auto& known = object->pid ? of_process_[*object->pid] : of_all_;
  known[object->path] = object->build_id;
}

void RecordedObjects::end_recording() {
  of_all_.clear();
  of_process_.clear();
}

std::string_view RecordedObjects::build_id(int64_t pid, std::string_view path) const {
  if (const auto process = of_process_.find(pid); process != of_process_.end())
    if (const auto own = process->second.find(path); own != process->second.end())
      return own->second;
  const auto all = of_all_.find(path);
  return all == of_all_.end() ? std::string_view() : all->second;
}

}  // namespace aiflame::collapse
