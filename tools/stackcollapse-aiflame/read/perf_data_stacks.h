// SPDX-License-Identifier: MIT
// The stacks of perf.data's samples: call chains of addresses in, numbers of folded stacks out.
//
// An address is looked up in three steps, each more expensive than the last: in a small cache of
// hot addresses; in a cache of the mapped files' addresses, which all processes share; in symbol
// tables. The last step runs in threads of its own (FrameNamer). Until it is done, a frame has a
// number that stands for a later name, and stacks with such frames wait in LaterStacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_data/perf_data.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/symbols/unwind.h"
#include "tools/stackcollapse-aiflame/fold/cpu_samples.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/name/address_cache.h"
#include "tools/stackcollapse-aiflame/name/frame_namer.h"
#include "tools/stackcollapse-aiflame/name/perf_data_frames.h"
#include "tools/stackcollapse-aiflame/name/process_roots.h"
#include "tools/stackcollapse-aiflame/read/jit_codes.h"
#include "tools/stackcollapse-aiflame/read/later_stacks.h"

namespace aiflame::collapse {

// The part of the address space that an address belongs to, by the marks that the kernel writes
// into a chain.
enum class Space { user, kernel, none };

// The comm of a thread as perf script prints it.
std::string printed_comm(const PerfMachine::Thread& thread);
// Nothing where the event records no time.
std::optional<uint64_t> time_of(const PerfSample& sample);
// The index-th 64-bit word of some bytes.
uint64_t word_at(std::string_view bytes, size_t index);

class PerfDataStacks {
 public:
  PerfDataStacks(const PerfDataReader& reader, PerfMachine& machine, JitCodes& jit_codes,
                 const FrameRules& frames, SourceRules sources, const ProcessRoots& roots,
                 FrameTables& tables, CpuSamples& cpu);

  // The kernel is mapped: its list of functions, which takes long to read, will be needed.
  void expect_kernel() { frames_.expect_kernel(); }

  // Makes the stack of a sample. `with_code`: with frames, not only the root. `caller`: the return
  // address of the probed function where the sample has it, else 0.
  void make(const PerfAttribute& event, const PerfSample& sample, Space space, bool with_code,
            uint64_t caller = 0);
  // Counts the stack made last.
  void count(uint64_t count, std::optional<uint64_t> time);
  // The number of the stack made last.
  uint32_t number();
  // The process of the sample of that stack.
  int32_t pid() const { return pid_; }

  // At the end of the input, or of an event's samples: counts the stacks that still wait for names.
  void finish() { count_later(); }
  // Warns about objects that could not be searched.
  void report() const { frames_.report(); }
  uint64_t damaged_chains() const { return damaged_chains_; }

 private:
  struct CachedFrame {
    uint64_t address = 0;
    uint32_t generation = 0;  // 0: empty
    uint32_t frame = 0;
  };
  struct CodeAddress {
    uint64_t address;
    uint32_t object;  // number; bit 31: it is a return address
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
  // The code known of a file's addresses takes 24 bytes for each, twice that in a table. Half a
  // million are more than most profiles have. With debug information they cost too much to forget.
  static constexpr size_t kMaxAddresses = size_t{1} << 19;

  void add_chain(const PerfAttribute& event, const PerfSample& sample);
  void add_frame(Space space, uint64_t address, bool in_chain, bool is_return, uint64_t next);
  uint64_t leaf_caller(const PerfAttribute& event, const PerfSample& sample, uint64_t address);
  void add_branches(const PerfSample& sample);
  void add_unwound(const PerfAttribute& event, const PerfSample& sample);
  [[nodiscard]] bool find_caller(const PerfMap& map, uint64_t address, AddressCache::Entry& code,
                                 const CallMachine& machine, UnwindPlace& out);
  [[nodiscard]] bool find_jit_caller(const PerfMap& map, uint64_t address, UnwindPlace& out);
  // `is_return`: a return address, one instruction after the call.
  uint32_t frame_at(Space space, uint64_t address, bool in_chain, bool is_return);
  const UserMap* user_map(uint64_t address);
  AddressCache::Entry& code_in_file(const PerfMap& map, uint64_t address, bool in_chain,
                                    bool is_return);
  uint32_t name(const PerfMap* map, uint64_t address, bool in_chain, bool is_return);
  void count_later();
  void replace_later(uint32_t& frame) const;
  uint32_t root_of(PerfMachine::Thread& thread, int32_t tid);
  std::string_view plain_root() const;
  uint32_t add_stack(const std::vector<uint32_t>& items) {
    return tables_.stacks.number(items.front(), items.data() + 1, items.size() - 1);
  }

  const PerfDataReader& reader_;
  PerfMachine& machine_;
  JitCodes& jit_codes_;
  FrameTables& tables_;
  CpuSamples& cpu_;
  const FrameRules rules_;
  const ProcessRoots& roots_;
  PerfDataFrames frames_;
  const bool calls_;      // it matters whether an address is a return address
  const bool addresses_;  // frames without a name show their address
  std::vector<CodeFrame> code_;

  // The sample at hand.
  bool java_ = false;
  bool stack_later_ = false;  // stack_ is a number of later_, else of the tables
  uint32_t root_ = 0;
  int32_t pid_ = -1;
  uint32_t user_generation_ = 0;
  uint32_t stack_ = 0;
  uint64_t caller_ = 0;  // not yet added to the stack
  std::vector<uint32_t> items_;
  // The mappings of its process that were found last, as long as recent_generation_ is current.
  static constexpr uint32_t kRecent = 4;
  UserMap recent_[kRecent];
  uint32_t last_recent_ = 0;
  uint32_t recent_generation_ = 0;
  // Whose stacks samples with register_mask_ have, and the places of its registers in them.
  const CallMachine* unwound_ = nullptr;
  uint64_t register_mask_ = 0;
  uint8_t register_places_[CallMachine::kMostRegisters] = {};

  // Call frames of functions in jitdumps.
  std::unordered_map<const JitCode*, CallFrames> jit_frames_;

  // The cache of hot addresses forgets. address_cache_ keeps the addresses in files.
  unsigned cache_bits_;  // log2 of its size
  std::vector<CachedFrame> cache_;
  size_t misses_ = 0;  // since it grew
  AddressCache address_cache_;
  LaterStacks later_;
  std::vector<uint32_t> known_later_;  // texts of later frames, by their numbers
  std::vector<uint32_t> named_;        // numbers of the namer's texts in ours
  // The frames of addresses in other objects; [1]: in Java programs, where names are tidied.
  std::unordered_map<CodeAddress, uint32_t, CodeAddressHash> known_[2];
  // The same by function, where all of a function's addresses are one frame.
  std::unordered_map<CodeAddress, uint32_t, CodeAddressHash> functions_[2];
  uint64_t damaged_chains_ = 0;
  FrameNamer namer_;  // last: its threads must end before the members they use
};

}  // namespace aiflame::collapse
