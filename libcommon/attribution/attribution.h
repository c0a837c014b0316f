// SPDX-License-Identifier: MIT
// Which launch does a device sample belong to (pure).
//
// A sample that names its launch is exact. One that does not is compared with the launches of its
// process and kernel that could have been running in its slice: one of them, and it is exact;
// several, and the slice's samples are apportioned between them by the device time of each, or by
// launch counts where that was not measured; none, and it stays unattributed. Whole samples are
// given away, none is lost and none is made.
//
// A launch whose kernel is not known can be one of any kernel of its process: it is compared with
// samples for which no launch of a known kernel can be found. So is, where that is asked for, a
// sample of unknown code with launches of the recorder's whose kernels have a name but no address,
// as those of uprobes. And always with opaque launches, those of code that nobody can see: but only
// of its slice and the one before, as it may as well be another process's. What is given away like
// that is presumed to be theirs. Launches that
// something else than the recorder has seen come behind the recording's own, those without a time
// last: they can have been running in every slice.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace aiflame {

enum class How { exact, apportioned, presumed, unattributed };

struct DeviceSample {
  int64_t pid = 0;       // 0: the source cannot tell the process
  uint32_t kernel = 0;   // number of the kernel's name; kUnknownKernel
  uint64_t address = 0;  // of the kernel's start; 0 while unknown
  uint32_t cell = 0;     // what the caller draws: code address, reason, event, …
  uint64_t launch = 0;   // 0: `# launch ?`
  uint64_t count = 0;
};

// Who has seen a launch: in the order in which they are believed.
enum class Witness { recorder, other, timeless };

class Attribution {
 public:
  static constexpr uint32_t kUnknownKernel = UINT32_MAX;

  // Called with `launch` 0 for unattributed samples.
  using Give = std::function<void(uint32_t cell, uint64_t launch, uint64_t count, How how)>;
  explicit Attribution(Give give) : give_(std::move(give)) {}

  // A launch number, and one more address of its kernel (0: not known yet). kUnknownKernel: its
  // kernel is not known.
  void define(uint64_t launch, int64_t pid, uint32_t kernel, uint64_t address,
              Witness witness = Witness::recorder);
  // That it is opaque.
  void mark_opaque(uint64_t launch) { launches_[launch].opaque = true; }
  // `count` launches, Witness::timeless, at times not known.
  void launched_sometime(uint64_t launch, uint64_t count);
  bool defined(uint64_t launch) const { return launches_.count(launch) != 0; }
  // `count` launches began in this slice, together `busy` nanoseconds of it.
  void launched(uint64_t launch, uint64_t count, std::optional<uint64_t> busy);
  void sample(const DeviceSample& sample);
  void end_slice();
  // Nobody tells where the kernels of this recording's launches are: any of them may be what a
  // sample of unknown code is of. Until forget().
  void presume_unknown_code() { presumes_ = true; }
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
    Activity now, before;  // in this slice, in the latest earlier one
    // Samples owed to it, in units of 2^-32, from slice to slice.
    int64_t owed = 0;
  };
  // The launches of one kernel name, in the order they ran in earlier slices; entries that a
  // later one has made stale are skipped, and swept out now and then.
  struct Past {
    uint64_t launch, slice;
  };
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
    uint64_t share = 0;  // of 2^32
    uint64_t given = 0;
  };
  using Key = std::tuple<uint32_t, int64_t, uint64_t>;  // kernel, pid, address

  bool matches(const Launch& launch, const Key& key) const;
  void add_earlier(const Kernel& kernel, const Key& key, Witness witness,
                   std::vector<Candidate>& out) const;
  void add_of(const Kernel& kernel, const Key& key, Witness witness,
              std::vector<Candidate>& out) const;
  std::vector<Candidate> candidates(const Key& key) const;
  static void set_shares(std::vector<Candidate>& candidates);
  void apportion(const Key& key, uint32_t cell, uint64_t count, std::vector<Candidate>& candidates);
  void sweep(Kernel& kernel);

  Give give_;
  uint64_t slice_ = 1;
  bool presumes_ = false;
  std::unordered_map<uint64_t, Launch> launches_;
  std::unordered_map<uint32_t, Kernel> kernels_;
  std::vector<uint32_t> touched_;  // kernels launched in this slice
  // Samples of this slice that name no launch: per kernel, in the order of appearance.
  std::map<Key, std::map<uint32_t, uint64_t>> held_;
  // What each launch is owed of each cell, so that two instructions sampled in turn do not go to
  // one launch each for ever.
  std::map<std::pair<uint32_t, uint64_t>, int64_t> owed_of_cell_;
};

}  // namespace aiflame
