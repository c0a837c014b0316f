// SPDX-License-Identifier: MIT
// Decides which launch a device sample belongs to (pure). The rules are at the top of
// attribution.cc.
//
//   Attribution attribution(give);           give(cell, launch, count, how) takes the results
//   attribution.define(17, pid, kernel, address);
//   attribution.launched(17, 1, busy);       what ran in the slice
//   attribution.sample(sample);              what was sampled in the slice
//   attribution.end_slice();                 gives the slice's samples away
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace aiflame {

// How a launch was found. Each sample is given away once: the counts add up.
enum class How {
  exact,         // the only launch that it can be
  apportioned,   // a share: several launches can be, by the time that they ran
  by_number,     // a share by the number of launches, since the times are not known
  presumed,      // it is not known which launches can be: see presumed()
  unattributed,  // no launch was seen
};

struct DeviceSample {
  int64_t pid = 0;       // 0: the source does not know the process
  uint32_t kernel = 0;   // the caller's number of the kernel's name; kUnknownKernel
  uint64_t address = 0;  // of the kernel's start; 0: not known
  uint32_t cell = 0;     // the caller's number of what was sampled: address, reason, event, …
  uint64_t launch = 0;   // 0: the source does not know the launch
  uint64_t count = 0;
};

// Who has seen a launch, the most trusted first: the recorder, or perf, with a time or without.
enum class Witness { recorder, other, timeless };

class Attribution {
 public:
  static constexpr uint32_t kUnknownKernel = UINT32_MAX;

  // Takes samples that were given to a launch; `launch` is 0 for unattributed and presumed ones.
  using Give = std::function<void(uint32_t cell, uint64_t launch, uint64_t count, How how)>;
  explicit Attribution(Give give) : give_(std::move(give)) {}

  // Defines a launch number, or adds an address of its kernel (0: not known). `kernel` may be
  // kUnknownKernel.
  void define(uint64_t launch, int64_t pid, uint32_t kernel, uint64_t address,
              Witness witness = Witness::recorder);
  // The launch runs code that nobody can see, such as a copy by the driver.
  void mark_opaque(uint64_t launch) { launches_[launch].opaque = true; }
  // `count` launches of Witness::timeless, at unknown times.
  void launched_sometime(uint64_t launch, uint64_t count);
  bool defined(uint64_t launch) const { return launches_.count(launch) != 0; }
  // `count` launches began in this slice. `busy`: the sum of their run times within the slice, in
  // nanoseconds, or nothing where that was not measured. The launch must be defined.
  void launched(uint64_t launch, uint64_t count, std::optional<uint64_t> busy);
  void sample(const DeviceSample& sample);
  void end_slice();
  // The recorder does not know the addresses of the kernels it saw launched (uprobes), so a sample
  // of unknown code may be of any of them. This holds until forget().
  void presume_unknown_code() { presumes_ = true; }
  // `count` launches of the process are missing in this slice. If that is more than a tenth of
  // those that are there, nobody knows which ones ran. If it is less, no share is wrong by more
  // than that.
  void lost_launches(int64_t pid, uint64_t count);

  // Of samples that are given away as presumed: all launches of which they can be, or null where
  // nothing but the process is certain. The caller may keep what it finds out about a list and its
  // length: lists only grow, until forget().
  const std::vector<uint64_t>* presumed() const { return presumed_; }
  // A new recording: ends the slice and forgets the launches.
  void forget();

 private:
  struct Activity {
    uint64_t slice = 0;  // 0: never
    uint64_t count = 0;
    std::optional<uint64_t> busy;
  };
  struct Launch {
    int64_t pid = 0;
    uint32_t kernel = 0;
    Witness witness = Witness::recorder;
    bool opaque = false;
    std::vector<uint64_t> addresses;
    Activity now, before;  // in the latest slice that it ran in, and in the one before that
    // Samples owed to it, in units of 2^-32, carried from slice to slice.
    int64_t owed = 0;
  };
  // A launch that ran in an earlier slice. An entry is stale when the launch has run in two later
  // slices; stale ones are skipped, and removed now and then.
  struct Past {
    uint64_t launch, slice;
  };
  // The launches of one kernel name.
  struct Kernel {
    std::vector<uint64_t> now;
    std::vector<Past> past;
    std::vector<uint64_t> timeless;
    size_t swept = 0;
  };
  struct Candidate {
    uint64_t launch = 0;
    uint64_t count = 0;
    std::optional<uint64_t> busy;
    uint64_t slice = 0;  // in which it was active
    uint64_t share = 0;  // of 2^32
    uint64_t given = 0;
  };
  // The launches of a process that can be of any kernel, and those that can be of unknown code.
  struct Presumable {
    std::vector<uint64_t> of_any_kernel, of_unknown_code;
  };
  using Key = std::tuple<uint32_t, int64_t, uint64_t>;  // kernel, pid, address

  bool matches(const Launch& launch, const Key& key) const;
  static bool proves_nothing(const Key& key, const Launch& launch);
  void add_presumable(uint64_t number, const Launch& launch);
  bool is_presumed(const Key& key, std::vector<Candidate>& who);
  void find_lost();
  void add_earlier(const Kernel& kernel, const Key& key, Witness witness,
                   std::vector<Candidate>& out) const;
  void add_of(const Kernel& kernel, const Key& key, Witness witness,
              std::vector<Candidate>& out) const;
  std::vector<Candidate> candidates(const Key& key) const;
  [[nodiscard]] static How set_shares(std::vector<Candidate>& candidates);
  void apportion(uint32_t cell, uint64_t count, std::vector<Candidate>& candidates, How how);
  void sweep(Kernel& kernel);

  Give give_;
  uint64_t slice_ = 1;
  bool presumes_ = false;
  std::map<std::pair<int64_t, Witness>, Presumable> presumable_;
  std::unordered_map<int64_t, uint64_t> lost_now_;  // launches lost in this slice, by pid
  std::unordered_map<int64_t, uint64_t> lost_in_;  // the latest slice without many launches, by pid
  const std::vector<uint64_t>* presumed_ = nullptr;
  std::unordered_map<uint64_t, Launch> launches_;
  std::unordered_map<uint32_t, Kernel> kernels_;
  std::vector<uint32_t> touched_;  // kernels launched in this slice
  // Samples of this slice that name no launch: for each kernel, how many of each cell.
  std::map<Key, std::map<uint32_t, uint64_t>> held_;
  // What each launch is owed of each cell. Without it, when two instructions are sampled in turn,
  // the first launch would get all samples of one, and the second all samples of the other.
  std::map<std::pair<uint32_t, uint64_t>, int64_t> owed_of_cell_;
};

}  // namespace aiflame
