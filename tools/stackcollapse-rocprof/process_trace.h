// SPDX-License-Identifier: MIT
// What rocprofv3 has recorded of one process. Its ids are that process's own. Files have their
// records in any order, so everything is kept until all files are read; 64 bytes at most for each
// record, and PC samples are counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"

namespace aiflame::rocprof {

// The number of the empty text in each table.
inline constexpr uint32_t kNoText = 0;

// A dispatch of a kernel, or a copy.
struct DeviceWork {
  uint64_t start = 0, end = 0;  // ns
  uint64_t dispatch = 0;        // its id; 0 of copies
  uint64_t correlation = 0;
  uint64_t kernel = 0;  // a kernel's id; of a copy the text of its direction
  uint64_t thread = 0;  // that launched it
  uint32_t device = kNoText, queue = kNoText, stream = kNoText;
  bool is_copy = false;
};

// A call of HIP, HSA or RCCL.
struct ApiCall {
  uint64_t thread = 0, time = 0;
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
  uint32_t dispatch;     // number in dispatches
  uint32_t instruction;  // text, or index of the strings of JSON
  uint32_t comment;
  uint32_t reason;  // text
  uint32_t code;    // number in codes
  uint32_t slice;   // text of --by-time
  uint32_t kind;    // bits of SampleKind
  bool operator==(const SampledPlace&) const = default;
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
  std::unordered_map<uint64_t, Kernel> kernels;                // by id
  std::unordered_map<uint64_t, uint64_t> code_objects;         // load addresses, by id
  std::unordered_map<uint64_t, uint32_t> agents;               // names of devices, by handle
  std::vector<uint32_t> sample_instructions, sample_comments;  // texts, by index

  struct Dispatch {
    uint32_t id_low, id_high, correlation_low, correlation_high;
    bool operator==(const Dispatch&) const = default;
    uint64_t id() const { return uint64_t{id_high} << 32 | id_low; }
    uint64_t correlation() const { return uint64_t{correlation_high} << 32 | correlation_low; }
  };
  struct Code {
    uint32_t object_low, object_high, offset_low, offset_high;
    bool operator==(const Code&) const = default;
    uint64_t object() const { return uint64_t{object_high} << 32 | object_low; }
    uint64_t offset() const { return uint64_t{offset_high} << 32 | offset_low; }
  };
  NumberedTable<Dispatch> dispatches;
  NumberedTable<Code> codes;
  NumberedTable<SampledPlace> places;
  std::vector<uint64_t> samples;  // by place

  explicit ProcessTrace(std::string of_group) : group(std::move(of_group)) { texts.number(""); }

  uint32_t dispatch_number(uint64_t id, uint64_t correlation) {
    return dispatches.number({static_cast<uint32_t>(id), static_cast<uint32_t>(id >> 32),
                              static_cast<uint32_t>(correlation),
                              static_cast<uint32_t>(correlation >> 32)});
  }
  uint32_t code_number(uint64_t object, uint64_t offset) {
    return codes.number({static_cast<uint32_t>(object), static_cast<uint32_t>(object >> 32),
                         static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)});
  }
  void add_sample(const SampledPlace& place) {
    const uint32_t at = places.number(place);
    if (at == samples.size()) samples.push_back(0);
    ++samples[at];
  }
};

}  // namespace aiflame::rocprof
