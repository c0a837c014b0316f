// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_map.h"

#include <algorithm>
#include <set>

namespace aiflame::record {

void CodeMap::load(uint32_t pid, std::shared_ptr<const CodeObject> object) {
  unload(pid, object->address);
  std::set<uint32_t> seen;  // the first address of a kernel counts, as in kernel_address()
  for (const CodeObject::Function& f : object->functions)
    if (f.own && seen.insert(f.kernel).second)
      by_kernel_[{pid, f.kernel}][f.address] = object->path;
  longest_ = std::max(longest_, object->bytes);
  by_low_[{static_cast<uint32_t>(object->address), pid}] = object;
  loaded_[{pid, object->address}] = std::move(object);
}

void CodeMap::unload(uint32_t pid, uint64_t address) {
  const auto found = loaded_.find({pid, address});
  if (found == loaded_.end()) return;
  for (const CodeObject::Function& f : found->second->functions) {
    const auto kernel = by_kernel_.find({pid, f.kernel});
    if (!f.own || kernel == by_kernel_.end()) continue;
    kernel->second.erase(f.address);
    if (kernel->second.empty()) by_kernel_.erase(kernel);
  }
  const auto low = by_low_.find({static_cast<uint32_t>(address), pid});
  if (low != by_low_.end() && low->second == found->second) by_low_.erase(low);
  loaded_.erase(found);
}

CodeMap::Found CodeMap::find_in_any_process(uint64_t address, unsigned bits) const {
  Found found;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const auto low = static_cast<uint32_t>(address);
  // From the nearest start below `low` downwards. No object crosses a multiple of 2^32: the heaps
  // that code lies in begin where the low half is 0.
  auto next = by_low_.upper_bound({low, UINT32_MAX});
  while (next != by_low_.begin()) {
    --next;
    const auto& [key, object] = *next;
    if (low - key.first >= longest_) break;
    if (((address - object->address) & mask) >= object->bytes) continue;
    if (found.object != nullptr && found.pid != key.second) return Found{0, nullptr, true};
    // within one process, the nearest start
    if (found.object == nullptr) found = Found{key.second, object, false};
  }
  return found;
}

std::shared_ptr<const CodeObject> CodeMap::find(uint32_t pid, uint64_t address) const {
  auto next = loaded_.upper_bound({pid, address});
  if (next == loaded_.begin()) return nullptr;
  const auto& [key, object] = *std::prev(next);
  if (key.first != pid || address - object->address >= object->bytes) return nullptr;
  return object;
}

const std::map<uint64_t, std::string>& CodeMap::kernel_addresses(uint32_t pid,
                                                                 uint32_t kernel) const {
  static const std::map<uint64_t, std::string> none;
  const auto found = by_kernel_.find({pid, kernel});
  return found == by_kernel_.end() ? none : found->second;
}

}  // namespace aiflame::record
