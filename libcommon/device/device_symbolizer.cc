// SPDX-License-Identifier: MIT
#include "libcommon/device/device_symbolizer.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/device/function_name.h"

namespace aiflame {
namespace {

// Each object holds two file descriptors, and a shell may leave us 256. When an evicted object
// comes back, its kernels must be disassembled again.
constexpr size_t kMaxOpenObjects = 100;

// A recording that was copied without its objects has a hundred of them.
constexpr size_t kMostWarnings = 3;

// Some 20 MB. The functions of a kernel are few.
constexpr size_t kMaxShortNames = size_t{1} << 16;

}  // namespace

ObjectFile* DeviceSymbolizer::object(const std::string& path) {
  if (objects_.size() >= kMaxOpenObjects && objects_.count(path) == 0)
    objects_.erase(std::min_element(
        objects_.begin(), objects_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  const auto [at, added] = objects_.try_emplace(path);
  at->second.used = ++uses_;
  std::unique_ptr<ObjectFile>& object = at->second.object;
  if (!added) return object.get();
  try {
    object = opener_.open(path);
  } catch (const Error& error) {
    const bool is_new = unreadable_.insert(path).second;
    if (is_new && unreadable_.size() <= kMostWarnings)
      warn("%s; no source and no instructions from it", error.what());
    else if (is_new && unreadable_.size() == kMostWarnings + 1)
      warn("more code objects cannot be read");
  }
  return object.get();
}

const std::vector<SourceFrame>& DeviceSymbolizer::frames_at(const CodePlace& place) {
  static const std::vector<SourceFrame> kNone;
  ObjectFile* const it = object(place.path);
  return it == nullptr ? kNone : it->frames_at(place.file_offset);
}

const KernelCode* DeviceSymbolizer::kernel_at(const CodePlace& place) {
  const ObjectFile* const it = object(place.path);
  return it == nullptr ? nullptr : it->kernel_at(place.file_offset);
}

uint64_t DeviceSymbolizer::function_start(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? place.file_offset : it->function_start(place.file_offset);
}

std::string DeviceSymbolizer::kernel_file(const DeviceInstruction& instruction) {
  const auto file_at = [&](const std::optional<CodePlace>& place) {
    if (!place) return std::string();
    const std::vector<SourceFrame>& frames = frames_at(*place);
    return frames.empty() ? std::string() : frames.back().declared;
  };
  std::string file = file_at(instruction.start);
  // without helpers the kernel itself holds the instruction
  if (file.empty() && instruction.helpers.empty()) file = file_at(instruction.place);
  return file;
}

// Three sources overlap, and no function may come twice:
//
//  - The recording names the kernel and its helpers.
//  - The outermost frame of the debug information is the function that holds the code. As a rule
//    that is the last function that the recording names, but not always: GPU compilers put the
//    functions that a kernel calls into the kernel's own section, and the recording names the
//    kernel alone. Then the outermost frame here differs from the one at the kernel's start.
//  - Below it are the inlined functions. The first of them may be the recorded function once more,
//    when a compiler inlined its body into a wrapper of another name.
//
// Names are compared as displayed, shortened: a recording has them as the source spells
// them, debug information has linkage names.
std::vector<std::string> DeviceSymbolizer::functions(const DeviceInstruction& instruction) {
  std::vector<std::string> out(instruction.helpers.begin(), instruction.helpers.end());
  if (!instruction.place) return out;
  const std::vector<SourceFrame>& frames = frames_at(*instruction.place);
  if (frames.empty()) return out;
  const bool in_helper = !instruction.helpers.empty();
  const std::string recorded =
      short_name_of(in_helper ? instruction.helpers.back() : instruction.kernel);
  const auto is_recorded = [&](const std::string& name) { return short_name_of(name) == recorded; };
  const std::string& holder = frames.back().function;
  const KernelCode* const kernel = kernel_at(*instruction.place);
  if (kernel != nullptr && !in_helper && !holder.empty() && !is_recorded(holder)) {
    const auto& at_start = frames_at({instruction.place->path, kernel->offset});
    if (at_start.empty() || at_start.back().function != holder) out.push_back(holder);
  }
  bool inlined = false;
  for (size_t i = frames.size() - 1; i-- > 0;) {
    const std::string& name = frames[i].function;
    if (name.empty() || (!inlined && is_recorded(name))) continue;
    inlined = true;
    out.push_back(name);
  }
  return out;
}

const std::string& DeviceSymbolizer::short_name_of(std::string_view symbol) {
  if (short_names_.size() >= kMaxShortNames) short_names_.clear();
  const auto [at, added] = short_names_.try_emplace(std::string(symbol));
  if (added) at->second = device_function_name(symbol, false);
  return at->second;
}

Mnemonic DeviceSymbolizer::mnemonic_at(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? Mnemonic{"", Unnamed::unreadable} : it->mnemonic_at(place.file_offset);
}

std::string DeviceSymbolizer::operation_at(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? "" : it->operation_at(place.file_offset);
}

CodeListing DeviceSymbolizer::listing_at(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? CodeListing() : it->listing_at(place.file_offset);
}

CodeFlow DeviceSymbolizer::code_flow_at(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? CodeFlow() : it->code_flow_at(place.file_offset);
}

KernelFacts DeviceSymbolizer::kernel_facts_at(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? KernelFacts() : it->kernel_facts_at(place.file_offset);
}

Occupancy DeviceSymbolizer::occupancy_at(const CodePlace& place, const KernelFacts& facts,
                                         const LaunchSize& size) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? Occupancy() : it->occupancy_at(place.file_offset, facts, size);
}

std::vector<uint64_t> DeviceSymbolizer::producers_of(const CodePlace& place) {
  ObjectFile* const it = object(place.path);
  return it == nullptr ? std::vector<uint64_t>() : it->producers_of(place.file_offset);
}

}  // namespace aiflame
