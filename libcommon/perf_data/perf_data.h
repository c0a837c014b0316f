// SPDX-License-Identifier: MIT
// Reads perf.data: a file, a pipe, a directory (`perf record --threads`), compressed or not.
// Delivers the kernel's records sorted by time. Keeps what perf itself writes between them (events,
// names, build ids, round marks).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/memory/expansion.h"
#include "libcommon/perf_data/perf_data_metadata.h"
#include "libcommon/perf_data/perf_order.h"

namespace aiflame {

// Whether an input is perf.data of any kind, readable or not, by its first bytes.
bool is_perf_data(std::string_view first_bytes);
// Whether a path is a directory of `perf record --threads`.
bool is_perf_data_directory(const std::string& path);

class PerfDataReader {
 public:
  using Deliver = std::function<void(const PerfDataRecord&)>;

  // `directory` is empty, or the directory of `perf record --threads` whose file `data` is the
  // source.
  explicit PerfDataReader(ByteSource&& source, std::string directory = "");
  ~PerfDataReader();

  // Reads to the end. Throws Error("path: …") if the file is malformed.
  void read(Deliver deliver);

  const std::string& name() const { return name_; }
  const PerfEvents& events() const { return metadata_.events; }
  const std::vector<PerfBuildId>& build_ids() const { return metadata_.build_ids; }
  // The kernel's descriptions of tracepoints: see TraceFormats. Empty: no tracepoints.
  const std::string& tracing_data() const { return metadata_.tracing_data; }
  // The recorded kernel, as uname(2) has it; "" where the file does not say.
  const std::string& release() const { return metadata_.release; }
  const std::string& architecture() const { return metadata_.architecture; }
  // The file ends in the middle of a record, or perf did not finish it.
  bool cut() const { return cut_; }
  uint64_t late() const;
  // Times of the first and last sample, from the file's header; 0 if it has none.
  const std::string& hostname() const { return metadata_.hostname; }
  uint64_t first_sample() const { return metadata_.first_sample; }
  uint64_t last_sample() const { return metadata_.last_sample; }

 private:
  struct Section {
    uint64_t offset = 0, size = 0;
  };
  struct Decompressor;
  // One stream of records, and the stream compressed in it.
  struct Stream;

  [[noreturn]] void fail(const std::string& what) const;
  std::string read_section(const Section& section, const char* what);
  void read_file_header();
  void read_attributes(const Section& section, uint64_t attribute_size);
  void read_features(uint64_t offset, const uint64_t (&flags)[4]);
  void read_file();
  [[nodiscard]] bool read_windows(Stream& stream);
  void read_blocks(Stream& stream);
  void read_pipe();
  void read_directory();
  void take_records(Stream& stream, RecordCutter& cutter, bool nested);
  void take_own(Stream& stream, RecordCutter& cutter, const PerfDataRecord& record, bool nested);
  void decompress(Stream& stream, std::string_view bytes);

  ByteSource source_;
  std::string directory_;
  std::string name_;
  PerfDataMetadata metadata_;
  Expansion expansion_;  // of compressed records
  bool cut_ = false;
  Section data_;
  BlockPool pool_;
  FileWindow next_window_;
  std::unique_ptr<WindowKeeper> keeper_;  // its thread must end before next_window_ does
  std::unique_ptr<RecordQueue> queue_;
  Deliver deliver_;
};

}  // namespace aiflame
