// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/loaded_code.h"

#include <algorithm>
#include <cstring>

#include "libcommon/device/nvidia/cubin.h"
#include "tools/gpustall-record/write/device_code.h"

namespace aiflame::record {
namespace {

// Samples of code that is gone come this late at most: what a source waits for when its device is
// stopped, and a tick.
constexpr uint64_t kLateNs = 50000000;

// Each of `ranges` as an object of its own, which lie anywhere on the device.
std::vector<std::shared_ptr<CodeObject>> make_objects(const std::vector<DeviceCode>& ranges,
                                                      const std::string& path, Names& kernels) {
  std::vector<std::shared_ptr<CodeObject>> objects;
  for (const DeviceCode& range : ranges) {
    auto object = std::make_shared<CodeObject>();
    object->address = range.address;
    object->bytes = range.bytes;
    object->file_offset = range.file_offset;
    object->path = path.empty() ? "[" + range.kernel + "]" : path;
    const uint32_t kernel = kernels.number(range.kernel);
    if (!range.kernel.empty())
      object->functions.push_back({range.address, range.bytes, range.kernel, kernel, true});
    for (const DeviceCode::Function& f : range.functions)
      if (range.kernel.empty()) object->functions.push_back({f.address, f.bytes, f.name, 0, false});
    objects.push_back(std::move(object));
  }
  return objects;
}

// The whole file at `base`, a cubin, with the functions that lie inside kernels.
std::shared_ptr<CodeObject> make_object_at(uint64_t base, uint64_t bytes,
                                           const std::vector<DeviceCode>& ranges,
                                           const std::string& path, Names& kernels) {
  auto object = std::make_shared<CodeObject>();
  object->address = base;
  object->bytes = bytes;
  object->path = path.empty() ? "[device code]" : path;
  for (const DeviceCode& range : ranges) {
    const uint32_t kernel = kernels.number(range.kernel);
    object->functions.push_back({range.address, range.bytes, range.kernel, kernel, true});
    for (const DeviceCode::Function& f : range.functions)
      if (f.name != range.kernel)
        object->functions.push_back(
            {f.address, f.bytes, std::string(cubin_function_name(f.name)), kernel, false});
  }
  // those that begin where their kernel does come behind it: they are inside
  std::stable_sort(object->functions.begin(), object->functions.end(),
                   [](const auto& a, const auto& b) { return a.address < b.address; });
  return object;
}

// What an agent says a file is: the end of its copy's name.
std::string extension_of(const agent_code& code) {
  const std::string text(code.extension, strnlen(code.extension, sizeof code.extension));
  const bool fine = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  return text.empty() || !fine ? ".zebin" : "." + text;
}

}  // namespace

// ---- what the source tells ---------------------------------------------------------------------

void LoadedCode::load(const gpustall_event& event) {
  const gpustall_object& from = event.u.object;
  auto object = std::make_shared<CodeObject>();
  object->address = from.address;
  object->bytes = from.bytes;
  object->path = from.saved[0] != '\0' ? from.saved : store_.save(event.pid, from.path);
  for (uint32_t i = 0; i < from.function_count; ++i) {
    const gpustall_function& f = from.functions[i];
    object->functions.push_back(CodeObject::Function{
        f.address, f.bytes, f.name, kernels_.number(f.kernel), std::string(f.name) == f.kernel});
  }
  SliceEvent out;
  out.kind = SliceEvent::Kind::load;
  out.time = event.time;
  out.pid = event.pid;
  out.device = event.device;
  out.file_offset = from.file_offset;
  out.object = object;
  slices_.event(out);
  objects_[event.device].load(event.pid, std::move(object));
}

void LoadedCode::unload(const gpustall_event& event) {
  SliceEvent out;
  out.kind = SliceEvent::Kind::unload;
  out.time = event.time;
  out.pid = event.pid;
  out.device = event.device;
  Objects& objects = objects_[event.device];
  out.object = objects.at(event.pid, event.u.object.address);
  objects.unload(event.pid, event.u.object.address);
  if (out.object != nullptr) slices_.event(out);
}

// ---- what the agents tell ----------------------------------------------------------------------

void LoadedCode::load(uint32_t pid, const agent_code& code, const std::string& content,
                      uint64_t time, const std::vector<uint32_t>& devices) {
  // a base that would go past the end of all addresses is nobody's
  if (code.base > UINT64_MAX - content.size()) return;
  const std::vector<DeviceCode> ranges = device_code(content, code.base);
  // without addresses (an old driver's, or not ELF) there is nothing to look up in it
  const std::string path = ranges.empty() ? "" : store_.keep(content, extension_of(code));
  auto& loaded = of_agents_[{pid, code.id}];
  std::vector<std::shared_ptr<CodeObject>> objects;
  if (code.base == 0)
    objects = make_objects(ranges, path, kernels_);
  else if (!ranges.empty())
    objects.push_back(make_object_at(code.base, content.size(), ranges, path, kernels_));
  for (const auto& object : objects)
    for (const uint32_t device : devices) {
      loaded.push_back({pid, device, object});
      place_load(loaded.back(), time);
    }
}

void LoadedCode::place_load(const Loaded& loaded, uint64_t time) {
  const auto& [pid, device, object] = loaded;
  // what was there before went away, though its unload waits
  for (const Unload& before : unloads_)
    if (before.loaded.pid == pid && before.loaded.device == device &&
        before.loaded.object->address < object->address + object->bytes &&
        object->address < before.loaded.object->address + before.loaded.object->bytes)
      place_unload(before.loaded, time, true);
  SliceEvent out;
  out.kind = SliceEvent::Kind::load;
  out.before_samples = true;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.file_offset = object->file_offset;
  out.object = object;
  slices_.event(out);
  objects_[device].load(pid, object);
}

void LoadedCode::unload(uint32_t pid, uint64_t id, uint64_t time) {
  const auto found = of_agents_.find({pid, id});
  if (found == of_agents_.end()) return;
  unload_late(found->second, time);
  of_agents_.erase(found);
}

// Not at once: hardware and driver hand out samples late, and a module is often the last thing that
// a program does away with.
void LoadedCode::unload_late(const std::vector<Loaded>& loaded, uint64_t time) {
  for (const Loaded& one : loaded) unloads_.push_back({time + kLateNs, one});
}

void LoadedCode::place_unload(const Loaded& loaded, uint64_t time, bool before_samples) {
  const auto& [pid, device, object] = loaded;
  Objects& objects = objects_[device];
  if (objects.at(pid, object->address) != object) return;
  SliceEvent out;
  out.before_samples = before_samples;
  out.kind = SliceEvent::Kind::unload;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.object = object;
  slices_.event(out);
  objects.unload(pid, object->address);
}

void LoadedCode::place_unloads(uint64_t until) {
  for (; !unloads_.empty() && unloads_.front().time <= until; unloads_.pop_front())
    place_unload(unloads_.front().loaded, unloads_.front().time, false);
}

void LoadedCode::forget(uint32_t pid, uint64_t time) {
  const auto first = of_agents_.lower_bound({pid, 0});
  const auto last = of_agents_.upper_bound({pid, UINT64_MAX});
  for (auto at = first; at != last; ++at) unload_late(at->second, time);
  of_agents_.erase(first, last);
}

// ---- questions ---------------------------------------------------------------------------------

std::shared_ptr<const CodeObject> LoadedCode::at(uint32_t device, uint32_t pid,
                                                 uint64_t address) const {
  const auto known = objects_.find(device);
  return known == objects_.end() ? nullptr : known->second.at(pid, address);
}

LoadedCode::KernelPlace LoadedCode::find_kernel(uint32_t pid, uint64_t id, uint32_t kernel) const {
  KernelPlace out;
  const auto known = of_agents_.find({pid, id});
  if (known == of_agents_.end()) return out;
  for (const Loaded& loaded : known->second)
    if (const uint64_t address = loaded.object->kernel_address(kernel); address != 0)
      out = {address, loaded.object->path};
  return out;
}

}  // namespace aiflame::record
