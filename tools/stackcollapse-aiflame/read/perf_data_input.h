// SPDX-License-Identifier: MIT
// The samples of one perf.data: whose they are, what they count, and their stacks by number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_data/perf_data.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/perf_data/traceevent.h"
#include "libcommon/symbols/unwind.h"
#include "tools/stackcollapse-aiflame/fold/later_stacks.h"
#include "tools/stackcollapse-aiflame/name/address_cache.h"
#include "tools/stackcollapse-aiflame/name/frame_namer.h"
#include "tools/stackcollapse-aiflame/name/perf_data_frames.h"
#include "tools/stackcollapse-aiflame/read/jit_codes.h"
#include "tools/stackcollapse-aiflame/read/perf_data_sink.h"

namespace aiflame::collapse {

class PerfDataInput {
 public:
  PerfDataInput(ByteSource&& source, const std::string& directory, const FrameRules& frames,
                SourceRules sources, PerfDataSink& sink)
      : reader_(std::move(source), directory),
        sink_(sink),
        jit_codes_(machine_),
        rules_(frames),
        frames_(machine_, sources),
        calls_(sources.any()),
        addresses_(frames.addresses),
        codes_of_files_(sources.any() ? SIZE_MAX : kMaxFileCodes),
        namer_(frames_, rules_) {}

  // Reads to the end; says on standard error what was lost.
  void read();

 private:
  // perf's answer to what the kernel wrote in front of each part of a chain
  enum class Space { user, kernel, none };
  struct CachedFrame {
    uint64_t address = 0;
    uint32_t generation = 0;  // 0: empty
    uint32_t frame = 0;
  };
  struct CodeAddress {
    uint64_t address;
    uint32_t object;  // number, and in bit 31: it is a return address
    bool operator==(const CodeAddress&) const = default;
  };
  struct CodeAddressHash {
    size_t operator()(const CodeAddress& code) const {
      return (code.address ^ uint64_t{code.object} << 44) * 0x9e3779b97f4a7c15 >> 20;
    }
  };

  struct UserMap {
    PerfMap map;
    bool is_file = false;
  };
  // What is known of a file's addresses takes 24 bytes for each, twice that in a table: half a
  // million are more than most profiles have. Those of debug information cost too much to be
  // forgotten.
  static constexpr size_t kMaxFileCodes = size_t{1} << 19;

  void take(const PerfDataRecord& record);
  void take_sample(const PerfDataRecord& record);
  void take_values(const PerfAttribute& event, const PerfSample& sample, Space space);
  bool passes(const PerfSample& sample);
  void tell_whole();
  void give(size_t event, uint64_t period, const PerfSample& sample, Space space);
  void give_launch(size_t event, const PerfSample& sample, Space space);
  TraceFormats* formats(const PerfAttribute& event, const PerfSample& sample);
  void add_unwound(const PerfAttribute& event, const PerfSample& sample);
  void make_stack(size_t event, const PerfSample& sample, Space space, bool with_code);
  void add_chain(const PerfAttribute& event, const PerfSample& sample);
  void add_frame(Space space, uint64_t address, bool in_chain, bool is_return, uint64_t next);
  void add_branches(const PerfSample& sample);
  const UserMap* user_map(uint64_t address);
  AddressCache::Entry& code_in_file(const PerfMap& map, uint64_t address, bool in_chain,
                                    bool is_return);
  bool find_caller(const PerfMap& map, uint64_t address, AddressCache::Entry& code,
                   UnwindPlace& out);
  uint32_t name(const PerfMap* map, uint64_t address, bool in_chain, bool is_return);
  // `is_return`: not where a function is, but where it will go on.
  uint32_t frame_at(Space space, uint64_t address, bool in_chain, bool is_return);
  void count(uint64_t count, std::optional<uint64_t> time);
  void count_later();
  void tell(uint32_t& frame) const;
  void report() const;

  PerfDataReader reader_;
  PerfDataSink& sink_;
  PerfMachine machine_;
  JitCodes jit_codes_;
  const FrameRules rules_;
  PerfDataFrames frames_;
  std::unique_ptr<TraceFormats> formats_;  // made when a launch has arguments
  const bool calls_;                       // whether it matters that an address is one to return to
  const bool addresses_;                   // frames without a name have their address in them
  std::vector<CodeFrame> code_;
  size_t build_ids_ = 0;  // of the reader's, that the machine has
  bool whole_told_ = false;

  // The sample at hand.
  bool java_ = false, stacked_ = false;
  bool stack_later_ = false;  // stack_ is one of later_, else the sink's
  uint32_t root_ = 0;
  int32_t pid_ = -1;
  uint32_t user_generation_ = 0;
  uint32_t stack_ = 0;
  uint64_t caller_ = 0;  // of the function that a launch's probe is in, where it is known
  std::vector<uint32_t> items_;
  // Of its process, found last: as long as recent_generation_ is the process's.
  static constexpr uint32_t kRecent = 4;
  UserMap recent_[kRecent];
  uint32_t last_recent_ = 0;
  uint32_t recent_generation_ = 0;
  // Where registers are in a sample, of the events that have register_mask_.
  uint64_t register_mask_ = 0;
  uint8_t register_places_[Registers::kCount] = {};

  // The first is small and forgets. Files' addresses are known beside it, whoever has them mapped.
  unsigned cache_bits_ = 0;  // it has so many, to the power of two
  std::vector<CachedFrame> cache_;
  size_t misses_ = 0;  // since it grew
  AddressCache codes_of_files_;
  LaterStacks later_;
  std::vector<uint32_t> told_;   // frames by the numbers that they were asked for under
  std::vector<uint32_t> named_;  // the sink's numbers of the namer's texts
  // Two of each: Java's frames are named in another way. Each address of each other object.
  std::unordered_map<CodeAddress, uint32_t, CodeAddressHash> known_[2];
  // The same by function, where all of a function's addresses are one frame.
  std::unordered_map<CodeAddress, uint32_t, CodeAddressHash> functions_[2];
  std::unordered_map<uint64_t, uint64_t> values_;  // of PERF_SAMPLE_READ, by id
  uint64_t lost_records_ = 0, lost_samples_ = 0, unknown_ = 0, guests_ = 0, damaged_chains_ = 0;
  FrameNamer namer_;  // its thread ends before all that it uses
};

}  // namespace aiflame::collapse
