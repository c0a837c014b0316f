// SPDX-License-Identifier: MIT
// Parses events and their records, as perf_event_open(2) describes them: attributes, samples and
// the trailer of other records. The bytes are untrusted: what does not fit its record is refused.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/io/byte_cursor.h"

namespace aiflame {

// A record of perf.data: fields of its header, and the bytes of its body.
struct PerfDataRecord {
  uint32_t type = 0;
  uint16_t misc = 0;
  std::string_view body;
};

// The parts of perf_event_attr that matter for reading.
struct PerfAttribute {
  uint32_t type = 0;
  uint64_t config = 0, sample_type = 0, read_format = 0, flags = 0, branch_sample_type = 0;
  uint64_t user_registers = 0, interrupt_registers = 0;
  int32_t clock = 0;    // clockid_t of its times, if uses_clock()
  uint64_t period = 0;  // of samples that do not hold their own
  std::vector<uint64_t> ids;
  std::string name;  // from the file, or derived from type and config

  bool has(uint64_t sample_bit) const { return (sample_type & sample_bit) != 0; }
  bool sample_id_all() const { return (flags >> 18 & 1) != 0; }
  // Times are of `clock`; otherwise of the scheduler's clock, which programs cannot read.
  bool uses_clock() const { return (flags >> 25 & 1) != 0; }
  bool excludes_kernel() const { return (flags >> 5 & 1) != 0; }
  bool is_dummy() const;
  bool is_tracepoint() const;
  // The user part of the call chain is in the branch stack (`--call-graph lbr`).
  bool has_branch_chain() const;
};

// False if the bytes are not an attribute.
[[nodiscard]] bool parse_attribute(std::string_view bytes, PerfAttribute& out);

// Views are into the record.
struct PerfSample {
  uint64_t ip = 0, time = 0, id = 0, period = 0;
  int32_t pid = -1, tid = -1;
  bool has_chain = false;
  std::string_view chain;  // addresses, 8 bytes each
  bool has_read = false;
  uint64_t read_count = 0;      // the number of events in a group, otherwise 1
  std::string_view read;        // their values
  std::string_view raw;         // a tracepoint's arguments
  std::string_view branches;    // kBranch bytes each: from, to, flags; the latest first
  uint64_t user_abi = 0;        // of the registers; 0: no registers
  std::string_view user_words;  // registers, by bit number in PerfAttribute::user_registers
  std::string_view user_stack;  // the bytes that were copied
};

constexpr size_t kBranch = 24;

// False if any part of the sample, used here or not, extends past its end.
[[nodiscard]] bool parse_sample(const PerfAttribute& attribute, std::string_view body,
                                PerfSample& out);

// The events of a file, and which of them a record belongs to.
class PerfEvents {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  // Throws Error when there are too many.
  size_t add(PerfAttribute attribute);
  static void check_count(uint64_t events);
  size_t size() const { return events_.size(); }
  const PerfAttribute& operator[](size_t index) const { return events_[index]; }
  // Throws Error when the names of all events get too long.
  void rename(size_t index, std::string_view name);
  size_t find_id(uint64_t id) const;

  // The event of a record, by its id, or kNone.
  size_t of(const PerfDataRecord& record) const;
  // 0: the record has no time and is not sorted.
  uint64_t time_of(const PerfDataRecord& record) const;
  // Whether `perf script` prints the code of this event's samples. It prints the period of all
  // events but tracepoints.
  bool prints_code(size_t index) const;
  // Times are of a clock chosen by `perf record -k`, not of the scheduler's.
  bool has_clock() const { return !events_.empty() && events_.front().uses_clock(); }
  // Whether any event counts in the kernel.
  bool has_kernel() const;
  // Whether any event has call chains.
  bool has_chains() const { return chains_; }

 private:
  static constexpr size_t kClasses = 7;  // perf's output classes: each prints code or not
  static size_t class_of(const PerfAttribute& event);

  std::vector<PerfAttribute> events_;
  std::unordered_map<uint64_t, size_t> by_id_;
  size_t ids_ = 0, name_bytes_ = 0;
  bool chains_ = false, tracepoint_chains_ = false;
  bool class_seen_[kClasses] = {}, class_code_[kClasses] = {};
};

}  // namespace aiflame
