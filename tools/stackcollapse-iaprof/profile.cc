// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-iaprof/profile.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "libcommon/io/input.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/perf_script/function_parameters.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"

namespace aiflame::iaprof {
namespace {

// In the order of iaprof's columns, by its own names, which are also ours.
constexpr std::array kReasons{"active", "control", "pipestall",  "send",  "dist_acc",
                              "sbid",   "sync",    "inst_fetch", "other", "tdr"};

// What a file looks like; tabs separate the fields. Strings are defined before they are used, but
// anywhere. The id 0 is no string: of a kernel that was not seen to be launched, or without debug
// information.
//
//   interval  7     1412.070000       CLOCK_MONOTONIC, when the samples that follow were written
//   string    1     matmul
//   string    2     _start;main;run(int)      a CPU stack, the outermost function first
//   string    3     mm.cl
//   string    4     mm_basic
//   kernel    0xffff8001fd000  1  4711  2  3  4     address, comm, pid, stack, file, symbol
//   string    5     add
//   eustall   0xa30 5  0 0 0 0 0 57 0 0 0 0         offset, mnemonic, counts of the ten reasons
//   metric    busy-percent  93
class Profile {
 public:
  Profile(const std::string& path, const ProfileRules& rules, ImportedStacks& stacks)
      : lines_(path), rules_(rules), stacks_(stacks) {
    for (size_t i = 0; i < kReasons.size(); ++i)
      reasons_[i] = stacks.frame(reason_frame(kReasons[i]));
  }

  void read();

 private:
  // Texts by their numbers. 0 is the empty text.
  struct Kernel {
    uint32_t comm, pid, stack, file, symbol;
    bool operator==(const Kernel&) const = default;
  };

  void read_line(std::string_view line);
  void read_string(std::string_view rest);
  void read_interval(std::string_view rest);
  void read_kernel(std::string_view rest);
  void read_stalls(std::string_view rest);
  uint32_t text(std::string_view id);
  uint32_t launch_stack(const Kernel& kernel);
  uint32_t kernel_stack(const Kernel& kernel);
  [[noreturn]] void fail(const char* kind) const {
    throw Error(lines_.place() + ": is not '" + kind + "' as iaprof writes it");
  }

  LineReader lines_;
  const ProfileRules& rules_;
  ImportedStacks& stacks_;
  std::array<uint32_t, kReasons.size()> reasons_{};

  TextTable texts_;
  const uint32_t no_text_ = texts_.number("");
  std::unordered_map<uint64_t, uint32_t> strings_;  // texts by iaprof's ids
  NumberedTable<Kernel> kernels_;
  std::vector<uint32_t> kernel_stacks_;  // by kernel
  std::optional<uint64_t> time_;         // of the interval
  std::optional<uint32_t> stack_;        // of the last kernel
  bool has_launch_ = false;
  uint64_t known_ = 0, unknown_ = 0;  // lines
  std::string first_unknown_;
};

// Cuts the text up to the next tab off the front.
std::string_view take_column(std::string_view& rest) {
  const size_t end = std::min(rest.find('\t'), rest.size());
  const std::string_view column = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return column;
}

// 0xa30
std::optional<uint64_t> parse_address(std::string_view text) {
  return take_prefix(text, "0x") ? parse_hex(text) : std::nullopt;
}

void Profile::read() {
  std::string_view line;
  while (lines_.next(line)) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!lines_.terminated()) {
      warn_of_cut(lines_.place());
      break;
    }
    read_line(line);
  }
  if (known_ == 0) throw Error(lines_.name() + ": has no line of a profile of iaprof");
  if (unknown_ > 0)
    warn("%s: %llu lines of an unknown kind are skipped, first %s", lines_.name().c_str(),
         static_cast<unsigned long long>(unknown_), first_unknown_.c_str());
}

void Profile::read_line(std::string_view line) {
  ++known_;
  const std::string_view kind = take_column(line);
  if (kind == "eustall") {
    read_stalls(line);
  } else if (kind == "kernel") {
    read_kernel(line);
  } else if (kind == "string") {
    read_string(line);
  } else if (kind == "interval") {
    read_interval(line);
  } else if (kind != "metric") {
    --known_;
    if (unknown_++ == 0)
      first_unknown_ = "in line " + std::to_string(lines_.line_number()) + ": '" +
                       std::string(kind.substr(0, 40)) + "'";
  }
}

void Profile::read_string(std::string_view rest) {
  const auto id = parse_number<uint64_t>(take_column(rest));
  if (!id) fail("string");
  strings_[*id] = texts_.number(rest);
}

void Profile::read_interval(std::string_view rest) {
  take_column(rest);  // its number
  time_ = parse_seconds(take_column(rest));
  if (!time_) fail("interval");
}

// The text of an id.
uint32_t Profile::text(std::string_view id) {
  const auto number = parse_number<uint64_t>(id);
  if (!number) return UINT32_MAX;
  const auto at = strings_.find(*number);
  return at == strings_.end() ? no_text_ : at->second;
}

void Profile::read_kernel(std::string_view rest) {
  const auto address = parse_address(take_column(rest));
  Kernel kernel{};
  kernel.comm = text(take_column(rest));
  const std::string_view pid = take_column(rest);
  kernel.pid = rules_.pid ? texts_.number(pid) : no_text_;
  kernel.stack = text(take_column(rest));
  kernel.file = text(take_column(rest));
  kernel.symbol = text(take_column(rest));
  const auto is_bad = [](uint32_t text) { return text == UINT32_MAX; };
  if (!address || !parse_number<uint32_t>(pid) || is_bad(kernel.comm) || is_bad(kernel.stack) ||
      is_bad(kernel.file) || is_bad(kernel.symbol))
    fail("kernel");
  stack_ = kernel_stack(kernel);
  has_launch_ = kernel.stack != no_text_;
}

// The frames up to the boundary of the device.
uint32_t Profile::launch_stack(const Kernel& kernel) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (kernel.comm == no_text_) {
    stack = stacks_.child(stack, "[device]");
  } else {
    const auto pid = parse_number<uint32_t>(texts_.text(kernel.pid)).value_or(0);
    stack = stacks_.child(
        stack, root_frame(texts_.text(kernel.comm), true, pid, pid, {.pid = rules_.pid}));
  }
  if (kernel.stack == no_text_) stack = stacks_.child(stack, "[unknown launch]");
  for (std::string_view frames = texts_.text(kernel.stack); !frames.empty();) {
    const size_t end = std::min(frames.find(';'), frames.size());
    stack = stacks_.child(stack, without_parameters(frames.substr(0, end)));
    frames.remove_prefix(std::min(end + 1, frames.size()));
  }
  return stacks_.child(stack, "-");
}

uint32_t Profile::kernel_stack(const Kernel& kernel) {
  const uint32_t number = kernels_.number(kernel);
  if (number == kernel_stacks_.size()) {
    const std::string_view file = texts_.text(kernel.file);
    const uint32_t stack = stacks_.child(
        launch_stack(kernel),
        file.empty() ? device_frame("jit") : device_file_frame(file, 0, rules_.names));
    kernel_stacks_.push_back(
        stacks_.child(stack, kernel_frame(texts_.text(kernel.symbol), rules_.names)));
  }
  const uint32_t stack = kernel_stacks_[number];
  if (!rules_.by_time.is_set()) return stack;
  return stacks_.append(stacks_.child(ImportedStacks::kEmpty, rules_.by_time.name(time_)), stack);
}

void Profile::read_stalls(std::string_view rest) {
  const auto offset = parse_address(take_column(rest));
  const uint32_t mnemonic = text(take_column(rest));
  if (!offset || mnemonic == UINT32_MAX) fail("eustall");
  std::array<uint64_t, kReasons.size()> counts{};
  uint64_t sum = 0, others = 0;
  size_t column = 0;
  for (; !rest.empty(); ++column) {
    const auto count = parse_number<uint64_t>(take_column(rest));
    if (!count || !add_checked(sum, *count)) fail("eustall");
    if (column < counts.size())
      counts[column] = *count;
    else
      others += *count;
  }
  if (column < counts.size()) fail("eustall");
  if (sum == 0) return;
  if (!stack_) {
    stack_ = kernel_stack({});
    has_launch_ = false;
  }
  stacks_.read(sum);
  if (others > 0) stacks_.lose("columns behind those of the known reasons", others);
  if (!has_launch_) stacks_.part("without a launch", sum - others);
  const std::string_view name = texts_.text(mnemonic);
  // iaprof could not decode the instruction
  const std::string frame = instruction_frame(name.starts_with('[') ? "" : name);
  const uint32_t instruction = stacks_.child(*stack_, frame);
  const uint32_t place = stacks_.frame(offset_frame(*offset));
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      stacks_.add(stacks_.child(stacks_.child(instruction, reasons_[i]), place), counts[i]);
}

}  // namespace

void read_profile(const std::string& path, const ProfileRules& rules, ImportedStacks& stacks) {
  Profile(path, rules, stacks).read();
}

}  // namespace aiflame::iaprof
