// SPDX-License-Identifier: MIT
// What rocprofv3 has recorded of one process. Its ids are that process's own. Files have their
// records in any order, so everything is kept until all files are read; 64 bytes at most for each
// record, and PC samples are counted.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/text/id_map.h"
#include "libcommon/text/text_table.h"

namespace aiflame::rocprof {

// The number of the empty text in each table.
inline constexpr uint32_t kNoText = 0;

// A dispatch of a kernel, or a copy.
struct DeviceWork {
  uint64_t start = 0, end = 0;  // ns
  uint64_t dispatch = 0;        // its id; of a copy the text of the device that it comes from
  uint64_t correlation = 0;
  uint64_t kernel = 0;  // a kernel's id; of a copy the text of its direction
  uint64_t thread = 0;  // that launched it
  uint32_t device = kNoText, queue = kNoText, stream = kNoText;
  bool is_copy = false;
};

// A call of HIP, HSA or RCCL.
struct ApiCall {
  uint64_t thread = 0, time = 0, end = 0;
  uint64_t correlation = 0;
  uint32_t name = kNoText;
  uint32_t stack = 0;  // where it stands, once that is known
};

// A range that the program marked, or a call of RCCL, which launches kernels by calls of HIP.
struct MarkedRange {
  uint64_t thread = 0;  // 0: of all threads
  uint64_t begin = 0, end = 0;
  uint32_t name = kNoText;
  bool is_call = false;
};

struct Kernel {
  uint32_t name = kNoText;
  uint64_t code_object = 0, address = 0;
};

// What a PC sample says, but for its time.
struct SampledPlace {
  using Fields = std::array<uint32_t, 7>;

  uint32_t dispatch;     // number in dispatches
  uint32_t instruction;  // text, or index of the strings of JSON
  uint32_t comment;
  uint32_t reason;  // text
  uint32_t code;    // number in codes
  uint32_t slice;   // text of --by-time
  uint32_t kind;    // bits of SampleKind
};

enum SampleKind : uint32_t {
  kHostTrap = 1,   // no reason is known
  kIssued = 2,     // the wave issued an instruction
  kExposed = 4,    // no wave of the SIMD went on
  kUnexposed = 8,  // some did; neither bit: the file does not tell
  kByIndex = 16,   // the instruction and comment are an index
};

struct ProcessTrace {
  std::string group;  // of the files that belong together
  std::string name;   // of the program; empty if unknown
  TextTable texts;
  std::vector<DeviceWork> work;
  std::vector<ApiCall> calls;
  std::vector<MarkedRange> ranges;
  IdMap<Kernel> kernels;                                       // by id
  IdMap<uint64_t> code_objects;                                // load addresses, by id
  IdMap<uint32_t> agents;                                      // names of devices, by handle
  std::vector<uint32_t> sample_instructions, sample_comments;  // texts, by index

  // Two ids as one number: of a dispatch and its correlation, of a code object and an offset in it.
  // Inputs choose the ids, so they go into a table whose hashes they cannot foresee.
  struct Ids {
    uint64_t first = 0, second = 0;
  };
  ListTable dispatches, codes;
  ListTable places;               // SampledPlace, as its fields
  std::vector<uint64_t> samples;  // by place

  explicit ProcessTrace(std::string of_group) : group(std::move(of_group)) { texts.number(""); }

  static uint32_t number_of(ListTable& table, Ids ids) {
    const uint32_t halves[] = {
        static_cast<uint32_t>(ids.first), static_cast<uint32_t>(ids.first >> 32),
        static_cast<uint32_t>(ids.second), static_cast<uint32_t>(ids.second >> 32)};
    return table.number(halves, std::size(halves));
  }
  static Ids ids_of(const ListTable& table, uint32_t number) {
    std::array<uint64_t, 4> halves{};
    size_t next = 0;
    table.each(number, [&](uint32_t half) { halves[next++] = half; });
    return {halves[1] << 32 | halves[0], halves[3] << 32 | halves[2]};
  }
  SampledPlace place(uint32_t number) const {
    SampledPlace::Fields fields{};
    size_t next = 0;
    places.each(number, [&](uint32_t field) { fields[next++] = field; });
    return std::bit_cast<SampledPlace>(fields);
  }
  void add_sample(const SampledPlace& place) {
    const auto fields = std::bit_cast<SampledPlace::Fields>(place);
    const uint32_t at = places.number(fields.data(), fields.size());
    if (at == samples.size()) samples.push_back(0);
    ++samples[at];
  }
};

}  // namespace aiflame::rocprof
