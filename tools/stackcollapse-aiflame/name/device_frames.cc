// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/device_frames.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/frame_names.h"
#include "tools/stackcollapse-aiflame/name/device_names.h"

namespace aiflame::collapse {
namespace {

constexpr std::pair<std::string_view, Level> kLevels[] = {
    {"file", Level::file},         {"kernel", Level::kernel},     {"function", Level::function},
    {"line", Level::line},         {"mnemonic", Level::mnemonic}, {"reason", Level::reason},
    {"producer", Level::producer}, {"offset", Level::offset},
};

constexpr std::string_view kUnknown = "[unknown]";

// The reason of a stall that a token of the scoreboard is waited for.
constexpr std::string_view kScoreboard = "sbid";

// Producers that a frame names: of a barrier for all tokens there may be 32.
constexpr size_t kMaxProducers = 4;

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
                 "line, mnemonic, reason, producer, offset",
                 std::string(name).c_str()));
    if (std::find(out.begin(), out.end(), level->second) != out.end())
      throw UsageError(
          format("option '--gpu-frames': '%s' is there twice", std::string(name).c_str()));
    out.push_back(level->second);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

// Each object holds two file descriptors, of which a shell may leave us 256. What was looked up is
// kept by the caller; the disassembly of a kernel would have to be made again.
constexpr size_t kMaxOpenObjects = 100;

DeviceObject* DeviceFrames::object(const std::string& path) {
  if (objects_.size() >= kMaxOpenObjects && objects_.count(path) == 0)
    objects_.erase(std::min_element(
        objects_.begin(), objects_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  const auto [at, added] = objects_.try_emplace(path);
  at->second.used = ++uses_;
  std::unique_ptr<DeviceObject>& object = at->second.object;
  if (!added) return object.get();
  try {
    object = open_device_object(path, disassemblers_);
  } catch (const Error& error) {
    if (unreadable_.insert(path).second)
      warn("%s; no source and no instructions from it", error.what());
  }
  return object.get();
}

const std::vector<SourceFrame>& DeviceFrames::frames_at(const std::optional<CodePlace>& place) {
  static const std::vector<SourceFrame> kNone;
  DeviceObject* const it = place ? object(place->path) : nullptr;
  return it == nullptr ? kNone : it->frames_at(place->file_offset);
}

std::string DeviceFrames::function_name(std::string_view name) const {
  return folded_text(device_function_name(name, rules_.full_names));
}

std::string DeviceFrames::path_text(std::string_view path) const {
  return folded_text(rules_.full_paths ? path : path.substr(path.rfind('/') + 1));
}

// The source file of the kernel, not of what is inlined into it; `jit` where there is none.
std::string DeviceFrames::file_frame(const DeviceCode& code) {
  std::string file;
  if (const auto& start = frames_at(code.start); !start.empty()) file = start.back().declared;
  if (file.empty() && code.helpers.empty())
    if (const auto& here = frames_at(code.place); !here.empty()) file = here.back().declared;
  return file.empty() ? "jit" : path_text(file);
}

// Functions under the kernel, outer first. The outermost one of the debug information is the
// function that holds the code, which the kernel or a helper has named already, in the source's own
// words; its body may be inlined into a wrapper, and then it comes a second time. But GPU compilers
// put the functions that a kernel calls into the kernel's own section, and the recording names the
// kernel alone.
std::vector<std::string> DeviceFrames::functions(const DeviceCode& code) {
  std::vector<std::string> out;
  for (const std::string_view helper : code.helpers) out.push_back(function_name(helper));
  const std::vector<SourceFrame>& frames = frames_at(code.place);
  if (frames.empty()) return out;
  const std::string_view named = code.helpers.empty() ? code.kernel : code.helpers.back();
  const std::string holder = device_function_name(named, false);
  const auto is_holder = [&](const std::string& name) {
    return device_function_name(name, false) == holder;
  };
  const auto start = object(code.place->path)->code_start(code.place->file_offset);
  if (start && code.helpers.empty() && !frames.back().function.empty() &&
      !is_holder(frames.back().function)) {
    const auto& first = frames_at(CodePlace{code.place->path, *start});
    if (first.empty() || first.back().function != frames.back().function)
      out.push_back(function_name(frames.back().function));
  }
  bool inlined = false;
  for (size_t i = frames.size() - 1; i-- > 0;) {
    const std::string& name = frames[i].function;
    if (name.empty() || (!inlined && is_holder(name))) continue;
    inlined = true;
    out.push_back(function_name(name));
  }
  return out;
}

std::string DeviceFrames::line_frame(const std::optional<CodePlace>& place) {
  const std::vector<SourceFrame>& frames = frames_at(place);
  if (frames.empty() || frames.front().line == 0) return "";
  return path_text(frames.front().file) + ":" + std::to_string(frames.front().line);
}

// `waits for send.ugm at 0x70, matmul.cl:41 or send.ugm at 0x1c0, matmul.cl:41`
std::string DeviceFrames::producer_frame(const DeviceCode& code) {
  std::string out;
  DeviceObject* const it =
      code.place && code.reason == kScoreboard ? object(code.place->path) : nullptr;
  if (it == nullptr) return out;
  const auto start = it->code_start(code.place->file_offset);
  size_t count = 0;
  for (const uint64_t offset : it->producers_of(code.place->file_offset)) {
    if (++count > kMaxProducers) return out + " or others";
    out += out.empty() ? "waits for " : " or ";
    out += folded_text(it->mnemonic_at(offset)) +
           format(" at 0x%llx", static_cast<unsigned long long>(offset - *start));
    if (const std::string line = line_frame(CodePlace{code.place->path, offset}); !line.empty())
      out.append(", ").append(line);
  }
  return out;
}

std::string DeviceFrames::fold(const DeviceCode& code) {
  const bool of_driver = code.kernel == kDriverKernel;
  const bool known = !code.kernel.empty() && code.kernel != kUnknown && !of_driver;
  std::string out;
  const auto add = [&](std::string_view text, const char* annotation) {
    if (!out.empty()) out += ';';
    out.append(text).append(annotation);
  };
  for (const Level level : rules_.levels) {
    switch (level) {
      case Level::file:
        if (known) add(file_frame(code), "_[G]");
        break;
      case Level::kernel:
        if (known)
          add(function_name(code.kernel), "_[G]");
        else
          add(of_driver ? kDriverKernel : "[unknown kernel]", "_[G]");
        break;
      case Level::function:
        for (const std::string& name : functions(code)) add(name, "_[G]");
        break;
      case Level::line:
        if (const std::string line = line_frame(code.place); !line.empty()) add(line, "_[G]");
        break;
      case Level::mnemonic:
        if (DeviceObject* const it = code.place ? object(code.place->path) : nullptr; it != nullptr)
          if (const std::string name = it->mnemonic_at(code.place->file_offset); !name.empty())
            add(folded_text(name), "_[g]");
        break;
      case Level::reason:
        if (!code.reason.empty()) add(folded_text(code.reason), "_[g]");
        break;
      case Level::producer:
        if (const std::string producer = producer_frame(code); !producer.empty())
          add(producer, "_[g]");
        break;
      case Level::offset:
        if (code.offset && known)
          add(format("0x%llx", static_cast<unsigned long long>(*code.offset)), "_[g]");
        break;
    }
  }
  return out;
}

}  // namespace aiflame::collapse
