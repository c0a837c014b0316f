// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/device_frames.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "libcommon/parse.h"
#include "libcommon/perf_frames.h"
#include "libcommon/program.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame {
namespace {

constexpr std::pair<std::string_view, Level> kLevels[] = {
    {"file", Level::file},     {"kernel", Level::kernel},     {"function", Level::function},
    {"line", Level::line},     {"mnemonic", Level::mnemonic}, {"reason", Level::reason},
    {"offset", Level::offset},
};

constexpr std::string_view kUnknown = "[unknown]";

}  // namespace

std::vector<Level> parse_levels(std::string_view list) {
  std::vector<Level> out;
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    const auto* level = std::find_if(std::begin(kLevels), std::end(kLevels),
                                     [&](const auto& each) { return each.first == name; });
    if (level == std::end(kLevels))
      throw UsageError(
          format("option '--gpu-frames': '%s' is none of file, kernel, function, "
                 "line, mnemonic, reason, offset",
                 std::string(name).c_str()));
    if (std::find(out.begin(), out.end(), level->second) != out.end())
      throw UsageError(
          format("option '--gpu-frames': '%s' is there twice", std::string(name).c_str()));
    out.push_back(level->second);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

// Each object holds two file descriptors. What was looked up is kept by the caller, so that closing
// them costs little.
constexpr size_t kMaxOpenObjects = 100;

DeviceFrames::Object& DeviceFrames::object(const std::string& path) {
  if (objects_.size() >= kMaxOpenObjects && objects_.count(path) == 0) objects_.clear();
  const auto [at, added] = objects_.try_emplace(path);
  Object& it = at->second;
  if (!added) return it;
  try {
    it.elf = std::make_unique<ElfFile>(path);
    it.dwarf = std::make_unique<DwarfFile>(path);
  } catch (const Error& error) {
    if (unreadable_.insert(path).second)
      warn("%s; no source and no instructions from it", error.what());
  }
  return it;
}

DeviceFrames::Instruction DeviceFrames::look_up(const CodePlace& place, bool with_mnemonic) {
  Object& it = object(place.path);
  if (it.elf == nullptr) return {};
  const auto vaddr = it.elf->vaddr_of_offset(place.file_offset);
  if (!vaddr) return {};
  Instruction out;
  out.frames = it.dwarf->frames_at(*vaddr);
  if (with_mnemonic && it.elf->machine() == EM_X86_64)
    out.mnemonic = capstone_.mnemonic(it.elf->bytes_at(*vaddr, Capstone::kLongest));
  return out;
}

std::string DeviceFrames::function_name(std::string_view name) const {
  const std::string whole = demangle(std::string(name), rules_.full_names);
  return folded_text(rules_.full_names ? whole : without_parameters(whole));
}

std::string DeviceFrames::path_text(std::string_view path) const {
  return folded_text(rules_.full_paths ? path : path.substr(path.rfind('/') + 1));
}

// The source file of the kernel, not of what is inlined into it; `jit` where there is none.
std::string DeviceFrames::file_frame(const DeviceCode& code, const Instruction& instruction) {
  std::string file;
  if (code.start) {
    const Instruction start = look_up(*code.start, false);
    if (!start.frames.empty()) file = start.frames.back().declared;
  }
  if (file.empty() && code.helpers.empty() && !instruction.frames.empty())
    file = instruction.frames.back().declared;
  return file.empty() ? "jit" : path_text(file);
}

// Inlined functions, outer first. The outermost one of the debug information is the function that
// holds the code, which the kernel or a helper has named already, in the source's own words; its
// body may be inlined into a wrapper, and then it comes a second time.
std::vector<std::string> DeviceFrames::inlined(const DeviceCode& code,
                                               const Instruction& instruction) const {
  std::vector<std::string> out;
  const std::string_view named = code.helpers.empty() ? code.kernel : code.helpers.back();
  const std::string holder(without_parameters(named));
  for (size_t i = instruction.frames.size(); i-- > 0;) {
    const std::string& name = instruction.frames[i].function;
    if (i + 1 == instruction.frames.size() || name.empty()) continue;
    if (out.empty() && without_parameters(demangle(name, false)) == holder) continue;
    out.push_back(function_name(name));
  }
  return out;
}

std::string DeviceFrames::fold(const DeviceCode& code) {
  Instruction instruction;
  if (code.place) instruction = look_up(*code.place, true);
  const bool known = !code.kernel.empty() && code.kernel != kUnknown;
  std::string out;
  const auto add = [&](std::string_view text, const char* annotation) {
    if (!out.empty()) out += ';';
    out.append(text).append(annotation);
  };
  for (const Level level : rules_.levels) {
    switch (level) {
      case Level::file:
        if (known) add(file_frame(code, instruction), "_[G]");
        break;
      case Level::kernel:
        add(known ? function_name(code.kernel) : "[unknown kernel]", "_[G]");
        break;
      case Level::function:
        for (const std::string_view helper : code.helpers) add(function_name(helper), "_[G]");
        for (const std::string& name : inlined(code, instruction)) add(name, "_[G]");
        break;
      case Level::line:
        if (!instruction.frames.empty() && instruction.frames.front().line != 0)
          add(path_text(instruction.frames.front().file) + ":" +
                  std::to_string(instruction.frames.front().line),
              "_[G]");
        break;
      case Level::mnemonic:
        if (!instruction.mnemonic.empty()) add(instruction.mnemonic, "_[g]");
        break;
      case Level::reason:
        if (!code.reason.empty()) add(folded_text(code.reason), "_[g]");
        break;
      case Level::offset:
        if (code.offset && known)
          add(format("0x%llx", static_cast<unsigned long long>(*code.offset)), "_[g]");
        break;
    }
  }
  return out;
}

}  // namespace aiflame
