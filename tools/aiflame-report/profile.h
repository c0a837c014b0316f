// SPDX-License-Identifier: MIT
// Adds up folded stacks by their contents: kernels, functions, reasons and so on, run by run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/folded/device_match.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/note.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/pattern.h"
#include "tools/aiflame-report/layers.h"
#include "tools/aiflame-report/rank_work.h"
#include "tools/aiflame-report/stack_frames.h"
#include "tools/aiflame-report/text_numbers.h"
#include "tools/aiflame-report/time_blocks.h"

namespace aiflame::report {

// The cost of one thing in one run. `total` sums the stacks that contain the thing, each once
// however often it occurs there; `self` those in which it is the last of its kind.
struct Cost {
  uint64_t total = 0;
  uint64_t self = 0;
};

class Profile {
 public:
  // The sums of one run. `costs` is indexed by kind and by number; missing entries are 0.
  struct Run {
    std::array<std::vector<Cost>, kKinds> costs;
    std::vector<uint64_t> matched;  // by pattern: the stacks with a frame that matches
    uint64_t total = 0;
    uint64_t stacks = 0;    // lines with a count
    uint64_t smallest = 0;  // the smallest count above 0, or 0 if there is none

    // By time, if the stacks begin with slices of time and those are kept.
    struct Series {
      TimeSeries total, self;
    };
    TimeBlocks blocks;
    TimeSeries whole;
    std::array<std::vector<Series>, kKinds> series;  // like `costs`
    std::vector<TimeSeries> matched_series;          // like `matched`
  };

  // `patterns`: at most kMostPatterns, which must outlive this. `frames`: add up Kind::frame too.
  static constexpr size_t kMostPatterns = 64;
  Profile(std::vector<const Pattern*> patterns, bool frames)
      : counts_frames_(frames), frames_(std::move(patterns)) {}

  // How device frames of two sides are compared. To be called first.
  void set_match(Match match) { match_ = match; }
  // Counts are kept by slices of time or by steps as well, where the stacks begin with them. To be
  // called first.
  void keep_slices() { keeps_slices_ = true; }

  // Begins a run. Everything that is read belongs to the last run.
  void begin_run() {
    Run& run = runs_.emplace_back();
    run.matched.resize(frames_.patterns());
    run.matched_series.resize(frames_.patterns());
    run_ = runs_.size() - 1;
  }
  // Throws Error, with the line.
  void read(const std::string& path);
  // The same for one profile, or for a difference if the first stack has two counts. A difference
  // has two runs, before and after.
  void read_side(const std::string& path);
  bool is_difference() const { return difference_; }
  // What a file says of its counts; of each file, in order.
  void add_quantity(FileQuantity quantity) { quantities_.push_back(std::move(quantity)); }
  // False when the sum of the run would not fit 64 bits.
  [[nodiscard]] bool add(std::string_view stack, Count count);
  // Sets the slice of what is added from now on; none if its time is not known.
  void begin_slice(std::optional<uint64_t> start);
  // The same with a step, by its number.
  void begin_step(std::optional<uint64_t> number);
  // To be called after everything was added.
  void finish();

  const std::vector<Run>& runs() const { return runs_; }
  // What the files that were read say of their counts, in order.
  const std::vector<FileQuantity>& quantities() const { return quantities_; }
  // What the input says about launches.
  const LaunchFacts& launches() const { return launches_; }
  // The paths from which no count above 0 was read.
  const std::vector<std::string>& empty_inputs() const { return empty_inputs_; }
  unsigned decimals() const { return decimals_; }

  // Whether anything of a kind was counted.
  bool has(Kind kind) const;
  // How many things of a kind there are, their names, and their costs in a run.
  uint32_t size(Kind kind) const;
  std::string name(Kind kind, uint32_t number) const;
  Cost cost(Kind kind, uint32_t number, size_t run) const;
  // The counts of a thing in a run by time.
  const TimeSeries& series(Kind kind, uint32_t number, size_t run, bool self) const;
  // The kernel that a thing runs inside of in all stacks, or nothing: it is of the CPU, or runs in
  // several kernels.
  std::optional<uint32_t> kernel_of(Kind kind, uint32_t number) const;
  // A finding: its frames, as numbers of Kind::kernel and Kind::reason.
  struct Finding {
    uint32_t kernel = 0, reason = 0;
    bool operator==(const Finding&) const = default;
  };
  Finding finding(uint32_t number) const { return findings_.key(number); }
  // Where the stalls of the findings are, of all runs together.
  struct FindingPlace {
    uint32_t finding = 0;
    uint32_t line = kNoFrame, mnemonic = kNoFrame, offset = kNoFrame;  // frames
    bool operator==(const FindingPlace&) const = default;
  };
  size_t finding_places() const { return finding_places_.size(); }
  FindingPlace finding_place(size_t place) const {
    return finding_places_.key(static_cast<uint32_t>(place));
  }
  // The count that is part of the finding's own.
  uint64_t finding_place_count(size_t place) const { return finding_place_counts_[place]; }
  // The text of such a frame, without its annotation; empty for kNoFrame.
  static constexpr uint32_t kNoFrame = UINT32_MAX;
  std::string frame_text(uint32_t frame) const;
  // Whether some stack says that its stalls are exposed, or hidden: a root [exposed] or [hidden].
  // Then the own count of a finding is that of the exposed ones.
  bool tells_exposed() const { return tells_exposed_; }
  // Whether some stack says that it is idle time, or time that was exposed or hidden. Then the own
  // count of Kind::device is what is exposed.
  bool tells_device_time() const { return tells_device_time_; }
  // The own count of a rank is that of its work. This is the work of all runs together.
  const RankWork& rank_work() const { return rank_work_; }
  // What the input says in words.
  const Notes& notes() const { return notes_; }
  // Finds the number of the thing with that name.
  [[nodiscard]] bool find(Kind kind, const std::string& name, uint32_t& number) const;
  // The names of the kernels that a name could be, if kernels of several files have it.
  std::vector<std::string> kernels_of_name(const std::string& name) const;

 private:
  void read_lines(const std::string& path, bool may_differ);
  [[nodiscard]] bool take_slice(std::string_view& stack);
  [[nodiscard]] bool use_decimals(unsigned decimals);
  void count(Kind kind, uint32_t number, uint64_t count, bool self, bool in_kernel);
  void count_modules(uint64_t count);
  void count_instruction(uint64_t count);
  void count_finding(std::string_view stack, uint64_t count);
  void count_rank(uint64_t count, bool is_idle);
  [[nodiscard]] bool count_device(uint64_t count);
  void count_idle(uint64_t count);
  void count_memory(uint64_t count);
  bool communicates() const;
  void join_kernels();
  void join(Kind kind, const std::vector<uint32_t>& numbers);
  static constexpr uint32_t kNoStack = UINT32_MAX, kNoKernel = UINT32_MAX - 1;
  bool counts_frames_;
  Match match_ = Match::offset;
  bool structure_ = false;  // device frames are taken by structure
  bool keeps_slices_ = false, in_slice_ = false;
  unsigned decimals_ = 0;
  std::vector<Run> runs_;
  size_t run_ = 0;  // the run that is added to
  bool difference_ = false;
  std::vector<std::string> empty_inputs_;
  std::vector<FileQuantity> quantities_;
  LaunchFacts launches_;

  StackFrames frames_;
  // Kernels of several files may have one name: the file is the frame in front of the kernel. Until
  // finish() each is apart. Then `file` is kNoFrame unless some run has kernels of that name in
  // several files: the files of two sides may well have two names.
  struct Kernel {
    uint32_t file = kNoFrame, name = kNoFrame;
    bool operator==(const Kernel&) const = default;
  };
  std::string file_prefix(const Kernel& kernel) const;
  NumberedTable<Kernel> kernel_table_;
  struct Instruction {
    uint32_t kernel = kNoKernel, text = 0;
    bool operator==(const Instruction&) const = default;
  };
  NumberedTable<Instruction> instructions_;
  TextNumbers instruction_texts_;  // "KERNEL+0xOFFSET MNEMONIC"
  TextNumbers modules_;            // classes: "Linear"
  TextNumbers device_rows_;        // device_time.h
  bool counts_time_ = false;       // the file that is read, as far as it has said
  bool tells_device_time_ = false;
  NumberedTable<Finding> findings_;
  NumberedTable<FindingPlace> finding_places_;
  std::vector<uint64_t> finding_place_counts_;
  bool tells_exposed_ = false;
  RankWork rank_work_;
  // Who holds memory: frames, by number.
  struct Holder {
    uint32_t holder = 0, lifetime = 0;
    bool operator==(const Holder&) const = default;
  };
  NumberedTable<Holder> holders_;
  Notes notes_;

  Layers layers_;                                      // of the current stack
  std::vector<std::string_view> roots_;                // of the current stack: its first frames
  uint64_t serial_ = 0;                                // of the current stack
  std::array<std::vector<uint64_t>, kKinds> counted_;  // serial of the last stack with the thing

  uint32_t kernel_ = kNoKernel;                        // of the current stack
  std::array<std::vector<uint32_t>, kKinds> kernels_;  // the kernel that a thing is inside of
};

}  // namespace aiflame::report
