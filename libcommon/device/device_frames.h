// SPDX-License-Identifier: MIT
// The device half of a merged stack: `matmul.cl_[G];multiply_basic_[G];mad_[G];mulss_[g];…`. The
// library libcommon/device names an instruction; here its answers become folded frames, as the
// user's options ask.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libcommon/device/device_loops.h"
#include "libcommon/device/device_symbolizer.h"
#include "libcommon/folded/launch_fact.h"

namespace aiflame {

enum class DeviceLevel { file, kernel, function, loop, line, mnemonic, reason, producer, offset };

struct DeviceRules {
  std::vector<DeviceLevel> levels;
  bool full_paths = false;
  bool full_names = false;  // functions as demangled; otherwise by short_name()
};

// The names of all levels: "file, kernel, ...".
std::string level_names();

// "file,kernel,offset" as levels. Throws UsageError.
std::vector<DeviceLevel> parse_levels(std::string_view list);

// Stands for the name of a kernel that the driver runs by itself: a copy or a fill. Its code is not
// visible.
inline constexpr std::string_view kDriverKernel = "[driver kernel]";

// What another profiler found out about an instruction; empty where it did not. Its names are
// demangled, or not. A code object that is at hand knows the file better: the compiler wrote it.
struct KnownSource {
  std::string_view file;                    // of the kernel
  std::vector<std::string_view> functions;  // from the kernel, which is not part of it, down
  std::string_view line_file;               // of the instruction
  uint64_t line = 0;
};

// What a sample says about its instruction; empty where it does not.
struct DeviceCode : DeviceInstruction {
  // `kernel` is a copy or a fill, under a name that says so: no code, and no function's name.
  bool is_operation = false;
  std::string_view reason;
  std::optional<uint64_t> offset;  // from the start of the function that holds it
  // Stands for the functions and lines of the code object.
  std::optional<KnownSource> source;
};

class DeviceFrames {
 public:
  explicit DeviceFrames(DeviceRules rules) : rules_(std::move(rules)) {}

  // The frames of the levels that are known, in the order of the rules. `unnamed` gets why they
  // lack the mnemonic although the rules ask for it.
  std::string fold(const DeviceCode& code, Unnamed* unnamed = nullptr);
  // What is known of launches of a kernel in one size: its frame, and what its code tells. `start`:
  // where the code begins, if that is known.
  LaunchFact launch_fact(std::string_view kernel, const std::optional<CodePlace>& start,
                         const LaunchSize& size);
  // Warns about kernels that are drawn as one, because their short names are equal, and about
  // sources whose names are of this recording alone.
  void report() const;

 private:
  Mnemonic mnemonic(const DeviceCode& code);
  std::string file_frame(const DeviceCode& code);
  std::string line_frame(const CodePlace& place);
  std::string instruction_line(const DeviceCode& code);
  std::string line_text(std::string_view file, uint64_t line) const;
  std::string loop_frame(const DeviceLoop& loop) const;
  std::string producer_frame(const CodePlace& place, std::string_view reason);
  const std::string& function_frame(std::string_view symbol);
  const std::string& kernel_frame(std::string_view symbol);
  std::string path_text(std::string_view path) const;
  std::string code_frame(const DeviceCode& code);

  DeviceRules rules_;
  DeviceSymbolizer symbolizer_;
  DeviceLoops loops_{symbolizer_};
  std::unordered_map<std::string, std::string> functions_;         // frames by symbol
  std::unordered_set<std::string> kernels_;                        // symbols
  std::map<std::pair<std::string, uint64_t>, KernelFacts> facts_;  // by the place of the kernel
  std::unordered_map<std::string, std::string> whole_;             // by frame, a kernel's full name
  std::string alike_;                // the first frame of several kernels
  size_t more_ = 0;                  // kernels that share another's frame
  std::set<std::string> temporary_;  // sources that PoCL gave a random name
  // By symbol, the paths of the code objects without lines that have a kernel of it, numbered
  // from 1.
  std::unordered_map<std::string, std::unordered_map<std::string, size_t>> objects_;
};

}  // namespace aiflame
