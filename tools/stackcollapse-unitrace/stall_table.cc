// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-unitrace/stall_table.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "libcommon/io/input.h"
#include "libcommon/objects/intel/eu_stall_metrics.h"

namespace aiflame::unitrace {
namespace {

// What a file looks like. The columns are the metrics of Level Zero's group EuStallSampling, so
// they differ between GPUs: Xe2 has a PSDepStall behind Active. Some modes leave out the banner.
//
//   === Device #0 Metrics ===
//
//                   Kernel, IP[Address], Active[Events], ControlStall[Events], ...,
//                   OtherStall[Events]
//   "main::{lambda(auto:1)#3}",         1b8,              0,                  57, ...,            0
//
// Kernel names may hold commas, and older versions do not quote them: so a row is split from its
// end. The address is hexadecimal, and counts from the start of the kernel.
class StallTables {
 public:
  StallTables(const std::string& path, const TableRules& rules, ImportedStacks& stacks)
      : lines_(path), rules_(rules), stacks_(stacks) {}

  void read();

 private:
  struct Column {
    bool is_address = false;
    std::optional<uint32_t> reason;  // the frame of a count
  };

  bool read_banner(std::string_view line);
  bool read_header(std::string_view line);
  void read_row(std::string_view line);
  uint32_t launch_stack() const;
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(lines_.place() + ": " + what);
  }

  LineReader lines_;
  const TableRules& rules_;
  ImportedStacks& stacks_;
  std::string device_ = "[device]";
  std::vector<Column> columns_;  // those behind the kernel
  bool has_table_ = false, in_table_ = false;
  std::string other_table_;  // what the first table of another kind lacks, with its place
  std::vector<std::pair<uint32_t, uint64_t>> counts_;  // of the row: reason, count
};

// Cuts the last field off the end of a row; nothing if there is no comma before it.
std::optional<std::string_view> take_last(std::string_view& row) {
  const size_t comma = row.rfind(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view field = trim(row.substr(comma + 1));
  row = row.substr(0, comma);
  return field;
}

void StallTables::read() {
  std::string_view line;
  while (lines_.next(line)) {
    if (trim(line).empty() || read_banner(line)) continue;
    if (!lines_.terminated()) {
      warn_of_cut(lines_.place());
      break;
    }
    if (!read_header(line)) read_row(line);
  }
  if (has_table_) return;
  if (!other_table_.empty()) throw Error(other_table_);
  throw Error(lines_.name() + ": has no table of unitrace --stall-sampling");
}

// === Device #0 Metrics ===, or the banner of something else
bool StallTables::read_banner(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("==")) return false;
  in_table_ = false;
  if (!take_prefix(line, "=== Device #")) return true;
  const auto number = parse_number<uint32_t>(take_field(line));
  if (number && rules_.by_device) device_ = "[device " + std::to_string(*number) + "]";
  return true;
}

bool StallTables::read_header(std::string_view line) {
  std::string_view kernel = line.substr(0, line.find(','));
  if (trim(kernel) != "Kernel") return false;
  columns_.clear();
  bool has_address = false, has_reason = false;
  for (std::string_view rest = line.substr(std::min(kernel.size() + 1, line.size()));
       !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    std::string_view metric = trim(rest.substr(0, end));
    metric = metric.substr(0, metric.find('['));  // without its unit
    Column column{.is_address = metric == "IP", .reason = std::nullopt};
    if (const auto reason = eu_stall_reason(metric))
      column.reason = stacks_.frame(reason_frame(*reason));
    has_address |= column.is_address;
    has_reason |= column.reason.has_value();
    columns_.push_back(column);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  in_table_ = has_address && has_reason;
  has_table_ |= in_table_;
  if (!in_table_ && other_table_.empty())
    other_table_ = lines_.place() + ": no column '" + (has_address ? "Active" : "IP") +
                   "': this is not a table of --stall-sampling";
  return true;
}

uint32_t StallTables::launch_stack() const {
  uint32_t stack = stacks_.child(ImportedStacks::kEmpty, device_);
  stack = stacks_.child(stack, "[unknown launch]");
  return stacks_.child(stack, "-");
}

void StallTables::read_row(std::string_view row) {
  if (!in_table_) return;
  uint64_t address = 0, sum = 0;
  counts_.clear();
  for (size_t i = columns_.size(); i-- > 0;) {
    const auto field = take_last(row);
    if (!field)
      fail("has less than " + std::to_string(columns_.size()) + " fields behind the kernel");
    if (columns_[i].is_address) {
      const auto value = parse_hex(*field);
      if (!value) fail("'" + std::string(*field) + "' is not a hexadecimal address");
      address = *value;
    } else if (columns_[i].reason) {
      const auto count = parse_number<uint64_t>(*field);
      if (!count || !add_checked(sum, *count))
        fail("'" + std::string(*field) + "' is not a number of samples");
      if (*count > 0) counts_.emplace_back(*columns_[i].reason, *count);
    }
  }
  if (sum == 0) return;
  std::string_view kernel = trim(row);
  if (kernel.size() >= 2 && kernel.starts_with('"') && kernel.ends_with('"'))
    kernel = kernel.substr(1, kernel.size() - 2);
  stacks_.read(sum);
  const uint32_t stack = stacks_.child(launch_stack(), kernel_frame(kernel, rules_.names));
  const uint32_t place = stacks_.frame(offset_frame(address));
  for (const auto& [reason, count] : counts_)
    stacks_.add(stacks_.child(stacks_.child(stack, reason), place), count);
}

}  // namespace

void read_stall_tables(const std::string& path, const TableRules& rules, ImportedStacks& stacks) {
  StallTables(path, rules, stacks).read();
}

}  // namespace aiflame::unitrace
