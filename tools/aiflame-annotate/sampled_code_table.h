// SPDX-License-Identifier: MIT
// The samples of recordings, counted by function, instruction and reason.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/recording/recording.h"

namespace aiflame::annotate {

// The events of devices. Those of CPUs come after them.
inline constexpr std::string_view kDeviceEvents[] = {"gpu-stall", "gpu-clock"};

// A function with samples. A function that several kernels call is listed for each of them.
struct FunctionKey {
  std::string kernel;    // its symbol
  std::string function;  // the function of the kernel that holds the code; empty: the kernel itself
  std::string object;    // the path of its code object; empty: the recording has none for it
  uint64_t start = 0;    // where the recording says that it begins, in the object's file

  bool operator<(const FunctionKey& other) const {
    return std::tie(kernel, function, object, start) <
           std::tie(other.kernel, other.function, other.object, other.start);
  }
};

struct InstructionSamples {
  uint64_t count = 0;
  std::map<std::string, uint64_t, std::less<>> reasons;  // gpu-clock has none
};

// What folded text says of an instruction, whose code object it does not name.
struct InstructionName {
  std::string mnemonic, file;
  uint32_t line = 0;
};

struct FunctionSamples {
  uint64_t count = 0;
  std::map<uint64_t, InstructionName> names;            // by offset; of folded text
  std::map<uint64_t, InstructionSamples> instructions;  // by offset in the object's file,
                                                        // or without an object in the function
};

struct EventSamples {
  std::string unit;      // of the counts
  uint64_t read = 0;     // all samples of the event
  uint64_t outside = 0;  // those of no known kernel: the driver's own code, or unknown
  std::map<FunctionKey, FunctionSamples> functions;
};

class SampledCodeTable {
 public:
  // Adds the samples of an input. Warns where a recording is cut short, or has
  // other sums than its end says. Throws Error("path:line:
  // …") where one is malformed, or there is none.
  void read(ByteSource&& source);
  void read_folded_text(ByteSource&& source);
  // perf.data. `directory`: as PerfDataReader's.
  void read_perf_data(ByteSource&& source, const std::string& directory);

  // Chooses `event`, or where it is empty the first event of kDeviceEvents, or else of the input.
  // Throws Error where there are none of a named event. Empty: no samples at all.
  std::string choose(const std::string& event) const;
  const EventSamples& samples(const std::string& event) const;
  // The exposed ones of them; null where no input tells them.
  const EventSamples* exposed(const std::string& event) const;

 private:
  // Where the samples with the same frames are counted; null: in no function.
  struct Place {
    FunctionSamples* function = nullptr;
    InstructionSamples* instruction = nullptr;
    uint64_t* reason = nullptr;
  };

  EventSamples& event(std::string_view name);
  void count_instruction(const std::string& place);
  void take(const GpustallReader& reader, const GpustallRecord& record);
  Place& place_of(const GpustallReader& reader, const GpustallRecord& sample);
  Place find_place(const GpustallReader& reader, const GpustallRecord& sample);

  Recording recording_;
  std::map<std::string, EventSamples, std::less<>> events_;
  std::vector<std::string> order_;                 // of the events, as they came
  std::unordered_map<std::string, Place> places_;  // by event, process, device and frames
  std::string key_;
  size_t counters_ = 0;
};

}  // namespace aiflame::annotate
