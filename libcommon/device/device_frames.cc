// SPDX-License-Identifier: MIT
#include "libcommon/device/device_frames.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/base/choices.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/code/awaited_operations.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/device/function_name.h"
#include "libcommon/device/stack_layers.h"
#include "libcommon/device/temporary_source.h"
#include "libcommon/folded/device_match.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame {
namespace {

// in the order of DeviceLevel
constexpr std::string_view kLevels[] = {"file",     "kernel", "function", "loop",  "line",
                                        "mnemonic", "reason", "producer", "offset"};

constexpr std::string_view kUnknown = "[unknown]";

// Whether the stall waits for the result of another instruction, which the code names: by a token
// of Intel's scoreboard, a scoreboard of NVIDIA's or a counter of AMD's.
bool waits_for_result(std::string_view reason) {
  return (awaited_operations(reason) & kMemoryOperations) != 0;
}

// NVIDIA's instructions that access memory other than shared memory: a long scoreboard, or
// HPCToolkit's gmem, waits for one of them; a short one, or idep, for another one.
constexpr std::string_view kLongOperations[] = {"ATOM",  "ATOMG", "LD",  "LDG",  "LDGSTS", "LDL",
                                                "RED",   "ST",    "STG", "STL",  "SULD",   "SUST",
                                                "SURED", "TEX",   "TLD", "TLD4", "TXD"};

bool is_long(std::string_view operation) {
  return std::find(std::begin(kLongOperations), std::end(kLongOperations),
                   operation.substr(0, operation.find('.'))) != std::end(kLongOperations);
}

struct Producer {
  uint64_t at;
  std::string name;
};

// Leaves of several producers those that fit the reason, if there are any.
void choose(std::string_view reason, std::vector<Producer>& producers) {
  const StallReason* const known = find_stall_reason(reason);
  const std::string_view name = known == nullptr ? "" : known->name;
  const bool long_ones = name == "long_scoreboard" || name == "stl_gmem";
  if (!long_ones && name != "short_scoreboard" && name != "stl_idep") return;
  const auto other =
      std::stable_partition(producers.begin(), producers.end(),
                            [&](const Producer& each) { return is_long(each.name) == long_ones; });
  if (other != producers.begin()) producers.erase(other, producers.end());
}

// `_Z4copyPfi`, `copy(float*, int)`, `typeinfo name for copy`
bool is_of_cxx(std::string_view symbol) {
  return symbol.starts_with("_Z") || symbol.find_first_of(":( ") != std::string_view::npos;
}

// Producers that a frame names. An instruction that waits for all tokens may have 32.
constexpr size_t kMaxProducers = 4;

}  // namespace

std::string level_names() {
  return choice_names(kLevels);
}

std::vector<DeviceLevel> parse_levels(std::string_view list) {
  std::vector<DeviceLevel> out;
  for (const size_t level : parse_choices("gpu-frames", list, kLevels))
    out.push_back(static_cast<DeviceLevel>(level));
  return out;
}

const std::string& DeviceFrames::function_frame(std::string_view symbol) {
  const auto [at, added] = functions_.try_emplace(std::string(symbol));
  if (added) at->second = folded_text(device_function_name(symbol, rules_.full_names));
  return at->second;
}

const std::string& DeviceFrames::kernel_frame(std::string_view symbol) {
  const std::string& frame = function_frame(symbol);
  if (rules_.full_names || !kernels_.insert(std::string(symbol)).second) return frame;
  // a name without parameters says too little: it may be the same kernel's from another source
  const std::string whole = device_function_name(symbol, true);
  if (whole.find('(') == std::string::npos) return frame;
  const auto [at, added] = whole_.try_emplace(frame, whole);
  if (!added && at->second != whole && more_++ == 0) alike_ = frame;
  return frame;
}

LaunchFact DeviceFrames::launch_fact(std::string_view kernel, const std::optional<CodePlace>& start,
                                     const LaunchSize& size) {
  LaunchFact out;
  out.kernel = kernel == kDriverKernel ? std::string(kDriverKernel) : kernel_frame(kernel);
  out.kernel += "_[G]";
  out.size = size;
  if (!start) return out;
  // a kernel has several sizes
  const auto [at, added] = facts_.try_emplace({start->path, start->file_offset});
  if (added) at->second = symbolizer_.kernel_facts_at(*start);
  out.code = at->second;
  const Occupancy occupancy = symbolizer_.occupancy_at(*start, out.code, size);
  out.occupancy = occupancy.percent;
  out.limit = occupancy.limit;
  return out;
}

void DeviceFrames::report() const {
  if (more_ > 0)
    warn(
        "%zu %s whose name differs in parameters or namespaces alone, such as '%s'; --full-names "
        "keeps them apart",
        more_, more_ == 1 ? "kernel is drawn as another" : "kernels are drawn as others",
        alike_.c_str());
  if (!temporary_.empty())
    warn(
        "'%s'%s: PoCL made up the name of the source, which another recording has not: device "
        "frames do not compare",
        temporary_.begin()->c_str(),
        temporary_.size() == 1 ? "" : format(" and %zu more", temporary_.size() - 1).c_str());
}

std::string DeviceFrames::path_text(std::string_view path) const {
  return folded_text(rules_.full_paths ? path : path.substr(path.rfind('/') + 1));
}

std::string DeviceFrames::file_frame(const DeviceCode& code) {
  const std::string file = symbolizer_.kernel_file(code);
  if (is_temporary_source(std::string_view(file).substr(file.rfind('/') + 1)))
    temporary_.insert(path_text(file));
  if (!file.empty()) return path_text(file);
  if (code.source && !code.source->file.empty()) return path_text(code.source->file);
  return code_frame(code);
}

// `jit` stands for the file of code without lines. Two kernels of one name in two such objects are
// not one kernel, as an autotuner's variants are not: the second object is `jit#2`. But a name of
// C++ says which function it is, of which each object that uses it has a copy.
std::string DeviceFrames::code_frame(const DeviceCode& code) {
  if (!code.start || is_of_cxx(code.kernel)) return std::string(kNoFile);
  auto& numbers = objects_[std::string(code.kernel)];
  const size_t number = numbers.try_emplace(code.start->path, numbers.size() + 1).first->second;
  return std::string(kNoFile) + (number == 1 ? "" : "#" + std::to_string(number));
}

std::string DeviceFrames::line_frame(const CodePlace& place) {
  const std::vector<SourceFrame>& frames = symbolizer_.frames_at(place);
  return frames.empty() ? "" : line_text(frames.front().file, frames.front().line);
}

std::string DeviceFrames::line_text(std::string_view file, uint64_t line) const {
  return line == 0 ? "" : path_text(file) + ":" + std::to_string(line);
}

std::string DeviceFrames::instruction_line(const DeviceCode& code) {
  if (code.source) return line_text(code.source->line_file, code.source->line);
  return code.place ? line_frame(*code.place) : "";
}

// `loop at matmul.cl:9`, or `loop at 0x40` where the line is not known.
std::string DeviceFrames::loop_frame(const DeviceLoop& loop) const {
  const std::string line = line_text(loop.file, loop.line);
  return std::string(kLoopAt) +
         (line.empty() ? format("0x%llx", static_cast<unsigned long long>(loop.head)) : line);
}

// `waits for send.ugm at 0x70, matmul.cl:41 or send.ugm at 0x1c0, matmul.cl:41`
std::string DeviceFrames::producer_frame(const CodePlace& place, std::string_view reason) {
  std::vector<Producer> producers;
  for (const uint64_t at : symbolizer_.producers_of(place))
    producers.push_back({at, symbolizer_.operation_at({place.path, at})});
  choose(reason, producers);
  std::string out;
  size_t count = 0;
  for (const auto& [at, name] : producers) {
    if (++count > kMaxProducers) return out + " or others";
    const CodePlace producer{place.path, at};
    const uint64_t offset = at - symbolizer_.function_start(producer);
    out += out.empty() ? kWaitsFor : " or ";
    out += name.empty() ? "an instruction" : folded_text(name);
    out += format(" at 0x%llx", static_cast<unsigned long long>(offset));
    if (const std::string line = line_frame(producer); !line.empty()) out.append(", ").append(line);
  }
  return out;
}

Mnemonic DeviceFrames::mnemonic(const DeviceCode& code) {
  const bool has_code = !code.is_operation && code.kernel != kDriverKernel;
  if (!code.place) return {"", has_code ? Unnamed::no_object : Unnamed::no};
  Mnemonic out = symbolizer_.mnemonic_at(*code.place);
  if (out.unnamed != Unnamed::no_disassembler && out.unnamed != Unnamed::unknown_device) return out;
  // NVIDIA's loads and the like have a name without a disassembler, though it lacks modifiers
  out.name = symbolizer_.operation_at(*code.place);
  if (!out.name.empty()) out.unnamed = Unnamed::no;
  return out;
}

std::string DeviceFrames::fold(const DeviceCode& code, Unnamed* unnamed) {
  const bool is_drivers = code.kernel == kDriverKernel;
  const bool known =
      !code.kernel.empty() && code.kernel != kUnknown && !is_drivers && !code.is_operation;
  std::string out;
  const auto add = [&](std::string_view text, const char* annotation) {
    if (!out.empty()) out += ';';
    out.append(text).append(annotation);
  };
  for (const DeviceLevel level : rules_.levels) {
    switch (level) {
      case DeviceLevel::file:
        if (known) add(file_frame(code), "_[G]");
        break;
      case DeviceLevel::kernel:
        if (known)
          add(kernel_frame(code.kernel), "_[G]");
        else if (code.is_operation)
          add(folded_text(code.kernel), "_[G]");
        else
          add(is_drivers ? kDriverKernel : "[unknown kernel]", "_[G]");
        break;
      case DeviceLevel::function:
        if (code.source)
          for (const std::string_view name : code.source->functions)
            add(function_frame(name), "_[G]");
        else
          for (const std::string& name : symbolizer_.functions(code))
            add(function_frame(name), "_[G]");
        break;
      case DeviceLevel::loop:
        if (!code.place) break;
        for (const DeviceLoop& loop : loops_.around(*code.place)) add(loop_frame(loop), "_[G]");
        break;
      case DeviceLevel::line:
        if (const std::string line = instruction_line(code); !line.empty()) add(line, "_[G]");
        break;
      case DeviceLevel::mnemonic: {
        const Mnemonic its = mnemonic(code);
        if (!its.name.empty()) add(folded_text(its.name), "_[g]");
        if (unnamed != nullptr) *unnamed = its.unnamed;
        break;
      }
      case DeviceLevel::reason:
        if (!code.reason.empty()) add(folded_text(code.reason), "_[g]");
        break;
      case DeviceLevel::producer:
        if (!code.place || !waits_for_result(code.reason)) break;
        if (const std::string producer = producer_frame(*code.place, code.reason);
            !producer.empty())
          add(producer, "_[g]");
        break;
      case DeviceLevel::offset:
        if (code.offset && known)
          add(format("0x%llx", static_cast<unsigned long long>(*code.offset)), "_[g]");
        break;
    }
  }
  return out;
}

}  // namespace aiflame
