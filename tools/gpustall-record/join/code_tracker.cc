// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/code_tracker.h"

#include <algorithm>
#include <cstring>

#include "libcommon/objects/nvidia/cubin.h"

namespace aiflame::record {
namespace {

// Samples of code may arrive this long after its unload: the time that a source waits when its
// device is stopped, plus a tick of the recorder.
constexpr uint64_t kUnloadDelayNs = 50000000;

// What an object takes in memory, with its entries in the tables of two CodeMaps and both of its
// events.
uint64_t cost(const CodeObject& object) {
  uint64_t bytes = 1024 + 3 * object.path.size();
  for (const CodeObject::Function& f : object.functions)
    bytes += sizeof f + f.name.size() + (f.own ? 320 + 2 * object.path.size() : 0);
  return bytes;
}

// The extension of the copy's name, which an agent chooses; ".zebin" when it is empty or bad.
std::string extension_of(const agent_code& code) {
  const std::string text(code.extension, strnlen(code.extension, sizeof code.extension));
  const bool fine = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  return text.empty() || !fine ? ".zebin" : "." + text;
}

}  // namespace

// ---- reports of the source ---------------------------------------------------------------------

void CodeTracker::load(const gpustall_event& event) {
  const gpustall_object& from = event.u.object;
  auto object = std::make_shared<CodeObject>();
  object->address = from.address;
  object->bytes = from.bytes;
  object->path = from.saved[0] != '\0' ? from.saved : store_.save_file(event.pid, from.path);
  for (uint32_t i = 0; i < from.function_count; ++i) {
    const gpustall_function& f = from.functions[i];
    const uint32_t kernel = kernels_.intern(f.kernel, event.pid, budgets_);
    if (kernel != 0)
      object->functions.push_back(CodeObject::Function{f.address, f.bytes, f.name, kernel,
                                                       std::string_view(f.name) == f.kernel});
  }
  const uint64_t bytes = cost(*object);
  if (!budgets_.take(Kept::code, event.pid, bytes)) return;
  object->share = BudgetShare(budgets_, Kept::code, event.pid, bytes);
  SliceEvent out;
  out.kind = SliceEvent::Kind::load;
  out.time = event.time;
  out.pid = event.pid;
  out.device = event.device;
  out.file_offset = from.file_offset;
  out.object = object;
  joiner_.add_event(out);
  current_[event.device].load(event.pid, std::move(object));
}

void CodeTracker::unload(const gpustall_event& event) {
  SliceEvent out;
  out.kind = SliceEvent::Kind::unload;
  out.time = event.time;
  out.pid = event.pid;
  out.device = event.device;
  CodeMap& current = current_[event.device];
  out.object = current.find(event.pid, event.u.object.address);
  current.unload(event.pid, event.u.object.address);
  if (out.object != nullptr) joiner_.add_event(out);
}

// ---- reports of agents -------------------------------------------------------------------------

// The functions of a section, if their kernel's name fits.
void CodeTracker::add_functions(uint32_t pid, const CodeSection& section, bool with_inner,
                                CodeObject& object) {
  const uint32_t kernel = kernels_.intern(section.kernel, pid, budgets_);
  if (kernel == 0) return;
  if (with_inner || !section.kernel.empty())
    object.functions.push_back({section.address, section.bytes, section.kernel, kernel, true});
  if (!with_inner && !section.kernel.empty()) return;
  for (const CodeSection::Function& f : section.functions)
    if (!with_inner)
      object.functions.push_back({f.address, f.bytes, f.name, 0, false});
    else if (f.name != section.kernel)
      object.functions.push_back(
          {f.address, f.bytes, std::string(cubin_function_name(f.name)), kernel, false});
}

// Makes an object of each section, since each may lie anywhere on the device.
std::vector<std::shared_ptr<CodeObject>> CodeTracker::make_objects(
    uint32_t pid, const std::vector<CodeSection>& sections, const std::string& path) {
  std::vector<std::shared_ptr<CodeObject>> objects;
  for (const CodeSection& section : sections) {
    auto object = std::make_shared<CodeObject>();
    object->address = section.address;
    object->bytes = section.bytes;
    object->file_offset = section.file_offset;
    object->path = path.empty() ? "[" + section.kernel + "]" : path;
    add_functions(pid, section, false, *object);
    objects.push_back(std::move(object));
  }
  return objects;
}

// Makes one object of a cubin, which lies at `base` as a whole, with the functions inside kernels.
std::shared_ptr<CodeObject> CodeTracker::make_object_at(uint32_t pid, uint64_t base, uint64_t bytes,
                                                        const std::vector<CodeSection>& sections,
                                                        const std::string& path) {
  auto object = std::make_shared<CodeObject>();
  object->address = base;
  object->bytes = bytes;
  object->path = path.empty() ? "[device code]" : path;
  for (const CodeSection& section : sections) add_functions(pid, section, true, *object);
  // stable: a function inside a kernel stays after it, even if both begin at the same address
  std::stable_sort(object->functions.begin(), object->functions.end(),
                   [](const auto& a, const auto& b) { return a.address < b.address; });
  return object;
}

void CodeTracker::load(uint32_t pid, const agent_code& code, const ObjectContent& content,
                       uint64_t time, const std::vector<uint32_t>& devices) {
  // its bytes did not arrive, or are not what was announced
  if (content.empty()) {
    budgets_.drop(Kept::code, pid);
    return;
  }
  // no honest agent chooses a base from which the file would go past the last address
  if (code.base > UINT64_MAX - content.size()) return;
  bool is_cut = false;
  const std::vector<CodeSection> sections = read_code_sections(content.view(), code.base, &is_cut);
  if (is_cut) budgets_.drop(Kept::code, pid);
  // without addresses (an old driver, or not ELF) nothing could be looked up in a copy
  if (sections.empty()) return;
  const std::string path = store_.save_content(pid, content, extension_of(code));
  std::vector<std::shared_ptr<CodeObject>> objects;
  if (code.base == 0)
    objects = make_objects(pid, sections, path);
  else
    objects.push_back(make_object_at(pid, code.base, content.size(), sections, path));
  for (const auto& object : objects) {
    const uint64_t bytes = cost(*object) * devices.size();
    if (!budgets_.take(Kept::code, pid, bytes)) continue;
    object->share = BudgetShare(budgets_, Kept::code, pid, bytes);
    auto& loaded = of_agents_[{pid, code.id}];
    for (const uint32_t device : devices) {
      loaded.push_back({pid, device, object});
      place_load(loaded.back(), time);
    }
  }
}

void CodeTracker::place_load(const Loaded& loaded, uint64_t time) {
  const auto& [pid, device, object] = loaded;
  // an earlier object at this place has been unloaded by now, even if its unload is still delayed
  for (const Unload& earlier : delayed_unloads_)
    if (earlier.loaded.pid == pid && earlier.loaded.device == device &&
        earlier.loaded.object->address < object->address + object->bytes &&
        object->address < earlier.loaded.object->address + earlier.loaded.object->bytes)
      place_unload(earlier.loaded, time, true);
  SliceEvent out;
  out.kind = SliceEvent::Kind::load;
  out.before_samples = true;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.file_offset = object->file_offset;
  out.object = object;
  joiner_.add_event(out);
  current_[device].load(pid, object);
}

void CodeTracker::unload(uint32_t pid, uint64_t id, uint64_t time) {
  const auto found = of_agents_.find({pid, id});
  if (found == of_agents_.end()) return;
  delay_unloads(found->second, time);
  of_agents_.erase(found);
}

// Hardware and driver deliver samples late, and programs often unload their modules at the very
// end: an unload at once would leave the last samples without their code.
void CodeTracker::delay_unloads(const std::vector<Loaded>& loaded, uint64_t time) {
  for (const Loaded& one : loaded) delayed_unloads_.push_back({time + kUnloadDelayNs, one});
}

void CodeTracker::place_unload(const Loaded& loaded, uint64_t time, bool before_samples) {
  const auto& [pid, device, object] = loaded;
  CodeMap& current = current_[device];
  if (current.find(pid, object->address) != object) return;
  SliceEvent out;
  out.before_samples = before_samples;
  out.kind = SliceEvent::Kind::unload;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.object = object;
  joiner_.add_event(out);
  current.unload(pid, object->address);
}

void CodeTracker::place_unloads(uint64_t until) {
  for (; !delayed_unloads_.empty() && delayed_unloads_.front().time <= until;
       delayed_unloads_.pop_front())
    place_unload(delayed_unloads_.front().loaded, delayed_unloads_.front().time, false);
}

void CodeTracker::forget(uint32_t pid, uint64_t time) {
  const auto first = of_agents_.lower_bound({pid, 0});
  const auto last = of_agents_.upper_bound({pid, UINT64_MAX});
  for (auto at = first; at != last; ++at) delay_unloads(at->second, time);
  of_agents_.erase(first, last);
}

// ---- lookups -----------------------------------------------------------------------------------

std::shared_ptr<const CodeObject> CodeTracker::find(uint32_t device, uint32_t pid,
                                                    uint64_t address) const {
  const auto known = current_.find(device);
  return known == current_.end() ? nullptr : known->second.find(pid, address);
}

CodeTracker::KernelPlace CodeTracker::find_kernel(uint32_t pid, uint64_t id,
                                                  uint32_t kernel) const {
  KernelPlace out;
  const auto known = of_agents_.find({pid, id});
  if (known == of_agents_.end()) return out;
  for (const Loaded& loaded : known->second)
    if (const uint64_t address = loaded.object->kernel_address(kernel); address != 0)
      out = {address, loaded.object->path};
  return out;
}

}  // namespace aiflame::record
