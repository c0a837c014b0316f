// SPDX-License-Identifier: MIT
//
// A device sample says: at this address the hardware stalled, this many times in this slice of 10
// ms. It seldom says which launch was running. Intel's and NVIDIA's cheap sampling modes report an
// address and no more, while a picture needs the CPU stack that launched the kernel. This file
// joins the two.
//
// To see the problem, consider a program that calls gemm() from attention() and from mlp(). Both
// launch the same kernel at the same address. In one slice the hardware counts 100 stalls in gemm.
// Giving all of them to whoever launched last, as simple tools do, is wrong in silence. So:
//
// 1. Exact. If the sample names its launch, that is the answer. Otherwise we collect candidates:
//    the launches of the sample's process and kernel that can have run in its slice. With a single
//    candidate there is no doubt.
//
// 2. Apportioned. Several candidates share the slice's samples. Shares are proportional to the
//    device time that each launch had in the slice. If the time of one of them was not measured,
//    they are proportional to the numbers of launches. In the example, if attention() had 6 ms of
//    the slice and mlp() 2 ms, they get 75 and 25. The statistics count both kinds apart.
//
// 3. Unattributed. Without a candidate the samples keep their place in the picture, under
//    [unknown launch]. We never guess: a sample does not go to a launch of another kernel, or to
//    one that cannot have run then.
//
// Which launches can have run in a slice? Those that began in it. If there are none of them, or the
// time of one was not measured, a launch of an earlier slice may still be running. Then the
// launches of the last earlier slice that had any are candidates too.
//
// A sample and a launch match by process and by the kernel's address or, where one of them lacks
// the address, by the kernel's name. Addresses tell kernels of the same name apart.
//
// Presumed. Sometimes it is not even known which launches are candidates:
//   * A launch's kernel is unknown (a probe on a launch function that has no name to show). It can
//     be of any kernel of its process, so it can be of any sample that is not of a launch of its
//     own kernel. Such a launch has no time either: whichever was made last, an earlier one may
//     still be running.
//   * The sample's code is unknown, and the recorder knows kernels by name but not by address
//     (uprobes; presume_unknown_code()). It can be of any such launch of the process.
//   * The sample's code is unknown, and an opaque launch ran: a copy or a fill by the driver, whose
//     code nobody can see. It is a candidate in its own slice and in the next one only, since the
//     unknown code may as well be of another process.
//   * More than a tenth of the launches were lost in the slice, or since the candidates ran.
// Such a sample is given to no launch: a share of it would be a guess that looks like a fact. It is
// `presumed`, and presumed() lists all launches of the process, so far, that it can be of. What
// these have in common, such as the callers from main() on, holds for the sample too. If the list
// has one launch alone, there is no doubt, by rule 1. Nothing but the process is certain, and there
// is no list, where the sample's process is unknown too, where an opaque launch is a candidate, and
// where launches were lost.
//
// Witnesses. The recorder's own launches are trusted first. Launches that perf has recorded come
// second, and last those without a usable time, which can have run in any slice. Launches of a less
// trusted witness are candidates only when the more trusted ones offer none.
//
// Whole samples. A share is rarely a whole number, and folded text has no fractions. Each candidate
// first gets the whole part of its share. The samples left over go, one by one, to the candidate
// that is owed most. What a candidate is owed, in units of 2^-32 samples, is remembered from slice
// to slice, in total and for each cell (an instruction and its reason). So a thousand slices with
// one sample each, shared 3:1, give 750 and 250, and neither launch loses all samples of one
// instruction. Shares themselves are parts of 2^32 that add up exactly, by largest remainder.
// Therefore samples in == samples out, which the code checks.
//
// All order is fixed (by launch number, by cell), so the same input gives the same bytes.
#include "libcommon/attribution/attribution.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"

namespace aiflame {
namespace {

__extension__ typedef unsigned __int128 Wide;

// Launches that have to be there for each lost one. Then no share is wrong by more than a tenth,
// and a few lost launches do not hide who launched all the others.
constexpr uint64_t kTolerated = 10;

constexpr int kShareBits = 32;
constexpr uint64_t kWhole = uint64_t{1} << kShareBits;

// What cells are owed is forgotten when there are this many (150 MB), and begins at nothing again.
// A recording has some ten thousand.
constexpr size_t kMaxOwed = size_t{1} << 21;

// The rules keep what is owed small. A hostile input must not make it overflow either.
int64_t clamp(int64_t owed) {
  constexpr int64_t kLimit = int64_t{1} << 60;
  return std::clamp(owed, -kLimit, kLimit);
}

}  // namespace

void Attribution::define(uint64_t launch, int64_t pid, uint32_t kernel, uint64_t address,
                         Witness witness) {
  Launch& it = launches_[launch];
  it.witness = witness;
  it.pid = pid;
  it.kernel = kernel;
  if (address != 0 &&
      std::find(it.addresses.begin(), it.addresses.end(), address) == it.addresses.end())
    it.addresses.push_back(address);
}

void Attribution::launched(uint64_t launch, uint64_t count, std::optional<uint64_t> busy) {
  Launch& it = launches_.at(launch);
  Kernel& kernel = kernels_[it.kernel];
  if (it.now.slice != slice_) {
    if (it.now.slice == 0) add_presumable(launch, it);
    if (it.now.slice != 0) it.before = it.now;
    it.now = {slice_, 0, busy ? std::optional<uint64_t>(0) : std::nullopt};
    if (kernel.now.empty()) touched_.push_back(it.kernel);
    kernel.now.push_back(launch);
    if ((presumes_ || it.opaque) && it.kernel != kUnknownKernel && it.addresses.empty() &&
        it.witness == Witness::recorder) {
      Kernel& unknown = kernels_[kUnknownKernel];
      if (unknown.now.empty()) touched_.push_back(kUnknownKernel);
      unknown.now.push_back(launch);
    }
  }
  it.now.count += count;
  if (busy && it.now.busy)
    *it.now.busy += *busy;
  else
    it.now.busy.reset();
}

void Attribution::launched_sometime(uint64_t launch, uint64_t count) {
  Launch& it = launches_.at(launch);
  it.now.count += count;
  kernels_[it.kernel].timeless.push_back(launch);
  add_presumable(launch, it);
}

void Attribution::add_presumable(uint64_t number, const Launch& launch) {
  const bool is_nameless = launch.kernel == kUnknownKernel;
  if (!is_nameless && !(presumes_ && launch.addresses.empty())) return;
  Presumable& of = presumable_[{launch.pid, launch.witness}];
  if (is_nameless) of.of_any_kernel.push_back(number);
  of.of_unknown_code.push_back(number);
}

void Attribution::lost_launches(int64_t pid, uint64_t count) {
  add_saturating(lost_now_[pid], count);
}

void Attribution::find_lost() {
  if (lost_now_.empty()) return;
  std::unordered_map<int64_t, uint64_t> launched;  // in this slice, by pid
  for (const uint32_t number : touched_)
    for (const uint64_t launch : kernels_[number].now) {
      const Launch& it = launches_.at(launch);
      // those of an unknown kernel's list that have a kernel are in the kernel's list, too
      if (it.kernel == number) add_saturating(launched[it.pid], it.now.count);
    }
  for (const auto& [pid, lost] : lost_now_)
    if (lost > 0 && launched[pid] / lost < kTolerated) lost_in_[pid] = slice_;
  lost_now_.clear();
}

void Attribution::sample(const DeviceSample& sample) {
  if (sample.launch != 0) {
    give_(sample.cell, sample.launch, sample.count, How::exact);
    return;
  }
  held_[{sample.kernel, sample.pid, sample.address}][sample.cell] += sample.count;
}

// The same process and the same code, by address, or by name where an address is not known.
bool Attribution::matches(const Launch& launch, const Key& key) const {
  const auto& [kernel, pid, address] = key;
  if (pid != 0 && launch.pid != pid) return false;
  if (launch.kernel == kUnknownKernel) return true;
  if (kernel == kUnknownKernel) return launch.addresses.empty();
  if (launch.kernel != kernel) return false;
  if (launch.addresses.empty() || address == 0) return true;
  return std::find(launch.addresses.begin(), launch.addresses.end(), address) !=
         launch.addresses.end();
}

// Adds the launches of the last earlier slice that launched this kernel.
void Attribution::add_earlier(const Kernel& kernel, const Key& key, Witness witness,
                              std::vector<Candidate>& out) const {
  uint64_t latest = 0;
  std::unordered_set<uint64_t> known;
  for (const Candidate& candidate : out) known.insert(candidate.launch);
  for (auto past = kernel.past.rbegin(); past != kernel.past.rend(); ++past) {
    if (latest != 0 && past->slice != latest) break;
    const Launch& launch = launches_.at(past->launch);
    const Activity& then = launch.now.slice == slice_ ? launch.before : launch.now;
    if (launch.opaque && past->slice + 1 < slice_) continue;
    if (then.slice != past->slice || launch.witness != witness || !matches(launch, key)) continue;
    latest = past->slice;
    if (known.insert(past->launch).second)
      out.push_back({past->launch, then.count, then.busy, then.slice});
  }
}

void Attribution::add_of(const Kernel& kernel, const Key& key, Witness witness,
                         std::vector<Candidate>& out) const {
  if (witness == Witness::timeless) {
    for (const uint64_t number : kernel.timeless)
      if (const Launch& launch = launches_.at(number); matches(launch, key))
        out.push_back({number, launch.now.count, std::nullopt, slice_});
    return;
  }
  bool unmeasured = false;
  std::vector<Candidate> brief;  // ran for less than a tick of the device's clock
  for (uint64_t number : kernel.now) {
    const Launch& launch = launches_.at(number);
    if (launch.witness != witness || !matches(launch, key)) continue;
    if (!launch.now.busy) unmeasured = true;
    if (launch.now.busy.value_or(launch.now.count) > 0)
      out.push_back({number, launch.now.count, launch.now.busy, slice_});
    else if (launch.now.count > 0)
      brief.push_back({number, launch.now.count, launch.now.busy, slice_});
  }
  // without measured times, a launch of an earlier slice may still be running
  if (out.empty() || unmeasured) add_earlier(kernel, key, witness, out);
  if (out.empty()) out = std::move(brief);
}

std::vector<Attribution::Candidate> Attribution::candidates(const Key& key) const {
  std::vector<Candidate> out;
  for (const uint32_t name : {std::get<uint32_t>(key), kUnknownKernel}) {
    const auto kernel = kernels_.find(name);
    if (kernel == kernels_.end()) continue;
    for (const Witness witness : {Witness::recorder, Witness::other, Witness::timeless})
      if (out.empty()) add_of(kernel->second, key, witness, out);
  }
  std::sort(out.begin(), out.end(),
            [](const Candidate& a, const Candidate& b) { return a.launch < b.launch; });
  return out;
}

// Shares by busy time, or else by count, as parts of 2^32 that add up, by largest remainder.
How Attribution::set_shares(std::vector<Candidate>& candidates) {
  const bool measured = std::all_of(candidates.begin(), candidates.end(),
                                    [](const Candidate& c) { return c.busy.value_or(0) > 0; });
  const auto weight = [&](const Candidate& c) {
    return measured ? *c.busy : std::max<uint64_t>(c.count, 1);
  };
  Wide sum = 0;
  for (const Candidate& c : candidates) sum += weight(c);
  std::vector<std::pair<Wide, size_t>> remainders;
  uint64_t rest = kWhole;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Wide scaled = static_cast<Wide>(weight(candidates[i])) << kShareBits;
    candidates[i].share = static_cast<uint64_t>(scaled / sum);
    rest -= candidates[i].share;
    remainders.emplace_back(scaled % sum, i);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [remainder, i] : remainders) {
    if (rest == 0) break;
    ++candidates[i].share;
    --rest;
  }
  return measured ? How::apportioned : How::by_number;
}

// Gives each candidate the whole part of its share, and each sample left over to the candidate that
// is owed most at that moment.
void Attribution::apportion(uint32_t cell, uint64_t count, std::vector<Candidate>& candidates,
                            How how) {
  struct Owed {
    int64_t *launch, *cell;
  };
  std::vector<Owed> owed;
  if (owed_of_cell_.size() > kMaxOwed) owed_of_cell_.clear();
  uint64_t rest = count;
  for (Candidate& c : candidates) {
    const Wide due = static_cast<Wide>(count) * c.share;
    c.given = static_cast<uint64_t>(due >> kShareBits);
    rest -= c.given;
    const auto fraction = static_cast<int64_t>(due & (kWhole - 1));
    owed.push_back({&launches_.at(c.launch).owed, &owed_of_cell_[{cell, c.launch}]});
    *owed.back().launch = clamp(*owed.back().launch + fraction);
    *owed.back().cell = clamp(*owed.back().cell + fraction);
  }
  // who is owed most, and of several the first
  const auto total = [&](size_t i) { return *owed[i].launch + *owed[i].cell; };
  std::priority_queue<std::pair<int64_t, int64_t>> most;
  for (size_t i = 0; rest > 0 && i < owed.size(); ++i)
    most.emplace(total(i), -static_cast<int64_t>(i));
  while (rest > 0) {
    const auto [then, number] = most.top();
    const auto best = static_cast<size_t>(-number);
    most.pop();
    // a launch that is a candidate twice has been given one meanwhile
    if (total(best) == then) {
      ++candidates[best].given;
      *owed[best].launch -= static_cast<int64_t>(kWhole);
      *owed[best].cell -= static_cast<int64_t>(kWhole);
      --rest;
    }
    most.emplace(total(best), number);
  }
  uint64_t check = 0;
  for (const Candidate& c : candidates) {
    check += c.given;
    if (c.given > 0) give_(cell, c.launch, c.given, how);
  }
  if (check != count) throw Error("internal: apportioned samples do not add up");
}

void Attribution::sweep(Kernel& kernel) {
  if (kernel.past.size() < 2 * kernel.swept + 64) return;
  std::erase_if(kernel.past, [&](const Past& past) {
    const Launch& launch = launches_.at(past.launch);
    return past.slice != launch.now.slice && past.slice != launch.before.slice;
  });
  kernel.swept = kernel.past.size();
}

// Whether even a single candidate says nothing but the process, if that.
bool Attribution::proves_nothing(const Key& key, const Launch& launch) {
  const bool code_unknown = std::get<uint32_t>(key) == kUnknownKernel;
  const bool process_unknown = std::get<int64_t>(key) == 0;
  return (process_unknown && (code_unknown || launch.kernel == kUnknownKernel)) ||
         (code_unknown && launch.opaque);
}

// Whether it is not known which launches the samples can be of; sets presumed_ then.
bool Attribution::is_presumed(const Key& key, std::vector<Candidate>& who) {
  const auto& [kernel, pid, address] = key;
  presumed_ = nullptr;
  if (who.empty()) return false;
  const auto lost = lost_in_.find(launches_.at(who.front().launch).pid);
  bool is_nameless = kernel == kUnknownKernel;
  for (const Candidate& candidate : who) {
    const Launch& launch = launches_.at(candidate.launch);
    if (proves_nothing(key, launch)) return true;
    if (lost != lost_in_.end() && candidate.slice <= lost->second) return true;
    is_nameless = is_nameless || launch.kernel == kUnknownKernel;
  }
  if (!is_nameless) return false;
  const auto& of = presumable_[{pid, launches_.at(who.front().launch).witness}];
  presumed_ = kernel == kUnknownKernel ? &of.of_unknown_code : &of.of_any_kernel;
  return presumed_->size() > 1;
}

void Attribution::end_slice() {
  find_lost();
  for (auto& [key, cells] : held_) {
    std::vector<Candidate> who = candidates(key);
    How how = who.empty() ? How::unattributed : How::exact;
    if (is_presumed(key, who))
      how = How::presumed;
    else if (who.size() > 1)
      how = set_shares(who);
    for (const auto& [cell, count] : cells)
      if (how == How::exact)
        give_(cell, who.front().launch, count, how);
      else if (how == How::presumed || how == How::unattributed)
        give_(cell, 0, count, how);
      else
        apportion(cell, count, who, how);
  }
  held_.clear();
  for (uint32_t number : touched_) {
    Kernel& kernel = kernels_[number];
    for (uint64_t launch : kernel.now) kernel.past.push_back({launch, slice_});
    kernel.now.clear();
    sweep(kernel);
  }
  touched_.clear();
  ++slice_;
}

void Attribution::forget() {
  end_slice();
  launches_.clear();
  kernels_.clear();
  owed_of_cell_.clear();
  presumes_ = false;
  presumable_.clear();
  lost_in_.clear();
  presumed_ = nullptr;
}

}  // namespace aiflame
