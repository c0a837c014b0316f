// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/csv_file.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/csv_reader.h"
#include "libcommon/import/importer.h"

namespace aiflame::rocprof {
namespace {

// The records of one file, each a row of the columns that are asked for.
class CsvFile {
 public:
  CsvFile(ByteSource&& source, const Settings& settings, ProcessTrace& process)
      : reader_(std::move(source)), settings_(settings), process_(process) {}

  void read();

 private:
  using Fields = std::vector<std::string_view>;

  // A number of the record. Throws Error if it is none; 0 where the file has no such column.
  uint64_t number(std::optional<size_t> column) const;
  std::string_view field(std::optional<size_t> column) const;
  uint32_t text(std::optional<size_t> column) { return process_.texts.number(field(column)); }
  std::optional<size_t> find(std::string_view name) const { return columns_.find(name); }
  size_t need(std::string_view name) const { return columns_.need(name, place_); }
  bool next();

  void read_kernels();
  void read_copies();
  void read_calls();
  void read_samples();

  CsvReader reader_;
  const Settings& settings_;
  ProcessTrace& process_;
  CsvColumns columns_;
  std::string place_;  // of the header
  Fields fields_;
};

std::string_view CsvFile::field(std::optional<size_t> column) const {
  return column ? fields_[*column] : std::string_view();
}

uint64_t CsvFile::number(std::optional<size_t> column) const {
  if (!column) return 0;
  const auto value = parse_number<uint64_t>(fields_[*column]);
  if (!value)
    throw Error(reader_.place() + ": column '" + columns_.name(*column) + "': '" +
                std::string(fields_[*column]) + "' is not a number");
  return *value;
}

// The next record, which has all columns. The last line of a cut file may lack some, or end within
// quotes.
bool CsvFile::next() {
  bool whole = true;
  try {
    if (!reader_.next(fields_)) return false;
  } catch (const Error&) {
    if (reader_.terminated()) throw;
    whole = false;
  }
  if (!reader_.terminated())
    whole = whole && fields_.size() == columns_.size() && !fields_.back().empty();
  if (!whole) {
    warn_of_cut(reader_.place());
    return false;
  }
  if (fields_.size() != columns_.size())
    throw Error(format("%s: %zu columns, but the header has %zu", reader_.place().c_str(),
                       fields_.size(), columns_.size()));
  return true;
}

void CsvFile::read() {
  if (!reader_.next(fields_)) return;
  columns_ = CsvColumns(fields_);
  place_ = reader_.place();
  if (find("Instruction")) {
    read_samples();
  } else if (find("Kernel_Name") && !find("Counter_Name")) {
    read_kernels();
  } else if (find("Direction")) {
    read_copies();
  } else if (find("Function")) {
    read_calls();
  } else {
    const std::string what =
        place_ +
        ": no column 'Kernel_Name', 'Function', 'Direction' or 'Instruction': no trace and no PC "
        "samples of rocprofv3";
    // 238_*.csv has agents, counters and summaries, too
    if (settings_.import.inputs.size() < 2) throw Error(what);
    warn("%s; the file is left out", what.c_str());
  }
}

void CsvFile::read_kernels() {
  const size_t name = need("Kernel_Name"), start = need("Start_Timestamp"),
               end = need("End_Timestamp");
  const auto dispatch = find("Dispatch_Id"), correlation = find("Correlation_Id"),
             thread = find("Thread_Id"), agent = find("Agent_Id"), queue = find("Queue_Id"),
             stream = find("Stream_Id");
  while (next()) {
    // the model wants an id of a kernel: that of its name
    const uint32_t kernel = text(name);
    process_.kernels.try_emplace(kernel, Kernel{.name = kernel});
    process_.work.push_back({.start = number(start),
                             .end = number(end),
                             .dispatch = number(dispatch),
                             .correlation = number(correlation),
                             .kernel = kernel,
                             .thread = number(thread),
                             .device = text(agent),
                             .queue = text(queue),
                             .stream = text(stream)});
  }
}

void CsvFile::read_copies() {
  const size_t direction = need("Direction"), start = need("Start_Timestamp"),
               end = need("End_Timestamp");
  const auto correlation = find("Correlation_Id"), agent = find("Destination_Agent_Id"),
             source = find("Source_Agent_Id"), stream = find("Stream_Id");
  while (next())
    process_.work.push_back({.start = number(start),
                             .end = number(end),
                             .dispatch = text(source),
                             .correlation = number(correlation),
                             .kernel = text(direction),
                             .device = text(agent),
                             .stream = text(stream),
                             .is_copy = true});
}

// Calls of an API, and the ranges of roctx, which have the range's text for a function.
void CsvFile::read_calls() {
  const size_t domain = need("Domain"), function = need("Function"), thread = need("Thread_Id"),
               correlation = need("Correlation_Id"), start = need("Start_Timestamp"),
               end = need("End_Timestamp");
  while (next()) {
    const bool marked = field(domain).starts_with("MARKER_");
    if (marked || field(domain).starts_with("RCCL_"))
      process_.ranges.push_back(
          {number(thread), number(start), number(end), text(function), !marked});
    else
      process_.calls.push_back(
          {number(thread), number(start), number(end), number(correlation), text(function), 0});
  }
}

void CsvFile::read_samples() {
  const size_t instruction = need("Instruction"), comment = need("Instruction_Comment"),
               dispatch = need("Dispatch_Id");
  const auto time = find("Sample_Timestamp"), correlation = find("Correlation_Id"),
             issued = find("Wave_Issued_Instruction"), type = find("Instruction_Type"),
             reason = find("Stall_Reason");
  const bool stochastic = issued && reason;
  while (next()) {
    SampledPlace place{};
    place.dispatch =
        ProcessTrace::number_of(process_.dispatches, {number(dispatch), number(correlation)});
    place.instruction = text(instruction);
    place.comment = text(comment);
    place.code = ProcessTrace::number_of(process_.codes, {});
    if (!stochastic) {
      place.kind = kHostTrap;
    } else {
      const bool did = number(issued) != 0;
      place.kind = did ? uint32_t{kIssued} : 0;
      place.reason = did ? text(type) : text(reason);
    }
    if (settings_.by_time.is_set())
      place.slice = process_.texts.number(
          settings_.by_time.name(time ? std::optional(number(time)) : std::nullopt));
    process_.add_sample(place);
  }
}

}  // namespace

std::string_view file_group(std::string_view path) {
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  size_t end = path.size();
  for (const std::string_view kind :
       {"kernel_trace", "hip_", "hsa_", "marker_", "rccl_", "memory_copy", "pc_sampling_"}) {
    const size_t at = path.find(kind, begin);
    if (at != std::string_view::npos && (at == begin || path[at - 1] == '_'))
      end = std::min(end, at);
  }
  return path.substr(0, end < path.size() ? end : begin);
}

void read_csv_file(ByteSource&& source, const std::string& path, const Settings& settings,
                   RocprofTrace& out) {
  CsvFile(std::move(source), settings, out.process(file_group(path))).read();
}

}  // namespace aiflame::rocprof
