// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/kernel_details.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/csv_reader.h"
#include "libcommon/import/importer.h"
#include "tools/stackcollapse-trace/read/event_numbers.h"

namespace aiflame::trace {
namespace {

constexpr std::string_view kCore = "Accelerator Core", kDuration = "Duration(us)";

// Some versions end a quoted time with a tab.
std::optional<int64_t> microseconds_of(std::string_view field) {
  return parse_microseconds(trim_right(field));
}

}  // namespace

bool is_kernel_details(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return false;
  ByteSource source(path);
  const std::string_view begin = source.peek(64);
  // no JSON begins so; the columns that are needed are checked when it is read
  return begin.starts_with("Step Id,") || begin.starts_with("Device_id,") ||
         begin.starts_with("Model ID,");
}

void read_kernel_details(const std::string& path,
                         const std::function<void(const KernelDetail&)>& take) {
  CsvReader reader(path);
  std::vector<std::string_view> fields;
  if (!reader.next(fields)) fields.clear();  // all columns are missing then
  const CsvColumns columns(fields);
  const std::string header = reader.place();
  const size_t name = columns.need("Name", header), type = columns.need("Type", header);
  const size_t core = columns.need(kCore, header), duration = columns.need(kDuration, header);
  const size_t start = columns.need("Start Time(us)", header);
  const std::optional<size_t> step = columns.find("Step Id");
  while (reader.next(fields)) {
    if (fields.size() < columns.size()) {
      if (!reader.terminated()) return warn_of_cut(reader.place());
      throw Error(
          format("%s: %zu fields, of %zu", reader.place().c_str(), fields.size(), columns.size()));
    }
    const auto time = microseconds_of(fields[duration]);
    if (!time)
      throw Error(reader.place() + ": column '" + std::string(kDuration) + "': '" +
                  printable(fields[duration]) + "' is not a number");
    take({step ? fields[*step] : std::string_view(), fields[name], fields[type], fields[core],
          microseconds_of(fields[start]).value_or(0), *time});
  }
}

}  // namespace aiflame::trace
