// SPDX-License-Identifier: MIT
// The device half of a merged stack: `matmul.cl_[G];multiply_basic_[G];mad_[G];mulss_[g];…`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcommon/symbols/dwarf.h"
#include "tools/stackcollapse-aiflame/name/device_object.h"

namespace aiflame::collapse {

enum class Level { file, kernel, function, line, mnemonic, reason, producer, offset };

struct DeviceRules {
  std::vector<Level> levels;
  bool full_paths = false;
  bool full_names = false;  // functions with their parameters
};

// "file,kernel,offset" as levels. Throws UsageError.
std::vector<Level> parse_levels(std::string_view list);

// A place in an object file.
struct CodePlace {
  std::string path;
  uint64_t file_offset = 0;
};

// As a kernel's name: what the driver runs by itself, a copy or a fill, whose code nobody sees.
inline constexpr std::string_view kDriverKernel = "[driver kernel]";

// What a sample says of its instruction; empty where it does not.
struct DeviceCode {
  std::string_view kernel;
  std::vector<std::string_view> helpers;  // functions of the object under the kernel, outer first
  std::string_view reason;
  std::optional<uint64_t> offset;  // from the start of the function that holds it
  std::optional<CodePlace> place;  // of the instruction
  std::optional<CodePlace> start;  // of the kernel
};

class DeviceFrames {
 public:
  explicit DeviceFrames(DeviceRules rules) : rules_(std::move(rules)) {}

  // The levels that are known, in the order of the rules.
  std::string fold(const DeviceCode& code);

 private:
  // Null: it cannot be read.
  DeviceObject* object(const std::string& path);
  const std::vector<SourceFrame>& frames_at(const std::optional<CodePlace>& place);
  std::string file_frame(const DeviceCode& code);
  std::vector<std::string> functions(const DeviceCode& code);
  std::string line_frame(const std::optional<CodePlace>& place);
  std::string producer_frame(const DeviceCode& code);
  std::string function_name(std::string_view name) const;
  std::string path_text(std::string_view path) const;

  DeviceRules rules_;
  struct Opened {
    std::unique_ptr<DeviceObject> object;
    uint64_t used = 0;
  };
  std::unordered_map<std::string, Opened> objects_;
  uint64_t uses_ = 0;
  std::unordered_set<std::string> unreadable_;  // warned of
  Disassemblers disassemblers_;
};

}  // namespace aiflame::collapse
