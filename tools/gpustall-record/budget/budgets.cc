// SPDX-License-Identifier: MIT
// What a recorded process may cost the recorder.
//
// Agents report mappings, names, stacks, launches and code, and the recorder keeps them until they
// are written, or until the process ends. A program may be hostile, or only larger than anybody
// expected. Without limits it could fill the machine's memory, and the recorder may run as root. So
// whatever a record makes the recorder keep is counted here, in bytes, for the process that wrote
// the record. What is too much is not kept, but counted, and the user learns it at the end.
//
// There are four rules:
//   1. Each kind has a budget for all processes together: the table below.
//   2. All kinds together have one, too (kTotalBytes). The recorder itself takes some 30 MB, the
//      ring that is being read 16 MB, and writing the largest slice 60 MB. Losses that wait take
//      4 MB beside it. So it stays below 256 MB whatever the programs do.
//   3. Of the first three quarters of a budget, a process may have three times what it leaves free
//      for the others. So a single process can use more than half of a budget, and the second one
//      most of the rest. There is no fixed share, because nobody knows how many processes there
//      will be, and a single one needs as much as possible. The last quarter is kept for those that
//      come late: each process may have a 256th of the budget, however greedy the others are.
//   4. What only passes through (the samples and launches of slices in progress, runs, launches
//   that
//      have not ended) has kPassingBytes of the total for itself, by the same rule 3. So a program
//      whose stacks have filled the memory still gets its samples into the recording.
//
// The figures are several times what real programs need. A large one (PyTorch or JAX with a hundred
// libraries and all their kernels) has some thousand mappings of 200 bytes, ten thousand stacks of
// a kilobyte with their frames, ten thousand modules of two kilobytes, and a queue with a thousand
// launches that have not ended.
#include "tools/gpustall-record/budget/budgets.h"

#include <algorithm>
#include <cinttypes>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

constexpr uint64_t kMB = 1 << 20;
constexpr uint64_t kTotalBytes = 136 * kMB;
constexpr uint64_t kPassingBytes = 16 * kMB;

struct Rule {
  uint64_t bytes;
  const char *one, *several;  // what is not kept
  const char* meaning;        // for the picture
};

// In the order of Kept.
constexpr std::array<Rule, kKinds> kRules{{
    // 120 000 of 200 bytes; a hundred processes may map a thousand libraries each
    {24 * kMB, "mapping", "mappings", "functions in them read [unknown]"},
    // 100 000 of 300 bytes, as C++ templates have; each is kept once for all processes
    {32 * kMB, "kernel name", "kernel names", "launches of those kernels are counted as lost"},
    // 150 000 of 160 bytes: the places in Python code that launch
    {24 * kMB, "Python function", "Python functions", "their frames read [unknown]"},
    // 160 000 with 30 frames, 80 000 of one process. This is all that there is (rules 2 and 4): a
    // program with a thread for each launch has as many stacks as launches.
    {kTotalBytes - kPassingBytes, "stack", "stacks", "their launches are counted as lost"},
    // 200 000 of 240 bytes: a library is at another address in each process
    {48 * kMB, "frame", "frames", "they read [unknown]"},
    // 200 000: twice what a ring holds, and two hundred times what a CUDA stream queues
    {32 * kMB, "launch that had not ended", "launches that had not ended",
     "they are counted, but not their device time"},
    // 40 000 modules with a kernel each
    {64 * kMB, "code object", "code objects", "samples in them are of unknown code"},
    // 600 000: as many as two passes over a full ring bring, or 150 s of two processors' samples,
    // if a kernel does not end. At half of it the oldest slice is written, see SliceJoiner.
    {48 * kMB, "sample or launch of a slice in progress",
     "samples and launches of slices in progress", "they are counted as lost"},
    // 1 500 000: 75 s of 10 000 launches a second, if a kernel does not end. A program that does
    // nothing but launch brings 230 000 in each of two readings before they are written.
    {96 * kMB, "launch's run", "launches' runs",
     "their device time is missing, and samples of that time have no launch"},
    // 256 devices, 256 reasons and some hundred sizes of a hundred processes
    {8 * kMB, "device, stall reason or size", "devices, stall reasons and sizes",
     "samples have device 0 or the reason [unknown], launches no size"},
    // some hundred lines of all programs; each is shown once
    {kMB / 8, "line of an agent", "lines of agents", "they are not shown"},
    // a gigabyte: ten thousand modules of a hundred kilobytes
    {1024 * kMB, "copy of a code object", "copies of code objects",
     "their instructions have no names"},
    // 12 000 of 340 bytes; a program's stacks have ten to thirty objects, the same in all its
    // processes but those in other containers
    {4 * kMB, "build id", "build ids", "source lines of those objects are looked up by path"},
    // 8 GB, of which one program may have more than half: PyTorch with CUDA has libraries of 4 GB
    {8192 * kMB, "copy of a CPU object", "copies of CPU objects",
     "their source lines need the files themselves"},
    // 32 000 of 128 bytes; one for each process and device until its record has room
    {4 * kMB, "loss", "losses", "they are told without their process"},
    // 100 000 of 160 bytes: kernels, lists with what is in them, and stacks that are known
    {16 * kMB, "handle, list or stack of uprobes", "handles, lists and stacks of uprobes",
     "their launches are lost, or of unknown kernels"},
}};

// Of kTotalBytes. Losses are beside it: they are what is left to say when the memory is full.
constexpr bool is_memory(Kept kind) {
  return kind != Kept::copies && kind != Kept::objects && kind != Kept::losses;
}

constexpr bool is_passing(Kept kind) {
  return kind == Kept::slices || kind == Kept::runs || kind == Kept::open_launches;
}

// Of a budget, for each process.
constexpr uint64_t kFirstShare = 256;

// Processes that are counted apart, and so can be named.
constexpr size_t kMaxNamed = 64;

}  // namespace

bool Budgets::is_fair(uint64_t own, uint64_t used, uint64_t total, uint64_t more) {
  if (used > total || more > total - used) return false;
  if (own + more <= total / kFirstShare) return true;
  const uint64_t open = total - total / 4;
  return used + more <= open && own + more <= 3 * (open - used - more);
}

uint64_t Budgets::total(Kept kind) {
  return kRules[static_cast<size_t>(kind)].bytes;
}

Budgets::Use& Budgets::use_of(uint32_t pid) {
  if (last_ == nullptr || last_pid_ != pid) {
    last_ = &processes_[pid];
    last_pid_ = pid;
  }
  return *last_;
}

bool Budgets::has_room(Kept kind, uint32_t pid, uint64_t bytes) {
  const auto k = static_cast<size_t>(kind);
  if (last_ == nullptr || last_pid_ != pid) {
    const auto known = processes_.find(pid);
    static const Use nothing;
    if (known == processes_.end())
      return is_fair(0, used_[k], kRules[k].bytes, bytes) && has_memory(kind, nothing, bytes);
    last_ = &known->second;
    last_pid_ = pid;
  }
  const Use& use = *last_;
  return is_fair(use.of[k], used_[k], kRules[k].bytes, bytes) && has_memory(kind, use, bytes);
}

// Rules 2 and 4. What stays never takes the room of what passes through, so both sums together are
// within the total.
bool Budgets::has_memory(Kept kind, const Use& use, uint64_t bytes) const {
  if (!is_memory(kind)) return true;
  if (!is_passing(kind))
    return used_in_all_ - used_passing_ + bytes <= kTotalBytes - kPassingBytes &&
           is_fair(use.in_all, used_in_all_, kTotalBytes, bytes);
  return is_fair(use.in_all, used_in_all_, kTotalBytes, bytes) ||
         (used_in_all_ + bytes <= kTotalBytes &&
          is_fair(use.passing, used_passing_, kPassingBytes, bytes));
}

// With less that stays, what passes through may have more than its own part.
bool Budgets::is_passing_half_full() const {
  const uint64_t staying = used_in_all_ - used_passing_;
  return staying > kTotalBytes * 3 / 8 && used_passing_ > kPassingBytes / 2;
}

void Budgets::add(Kept kind, uint32_t pid, uint64_t bytes) {
  const auto k = static_cast<size_t>(kind);
  Use& use = use_of(pid);
  use.of[k] += bytes;
  used_[k] += bytes;
  if (!is_memory(kind)) return;
  use.in_all += bytes;
  used_in_all_ += bytes;
  if (!is_passing(kind)) return;
  use.passing += bytes;
  used_passing_ += bytes;
}

void Budgets::give_back(Kept kind, uint32_t pid, uint64_t bytes) {
  const auto k = static_cast<size_t>(kind);
  Use& use = use_of(pid);
  bytes = std::min(bytes, use.of[k]);
  use.of[k] -= bytes;
  used_[k] -= bytes;
  if (is_memory(kind)) {
    use.in_all -= bytes;
    used_in_all_ -= bytes;
  }
  if (is_passing(kind)) {
    use.passing -= bytes;
    used_passing_ -= bytes;
  }
  for (const Kept apart : {Kept::copies, Kept::objects, Kept::losses})
    if (use.of[static_cast<size_t>(apart)] != 0) return;
  if (use.in_all != 0) return;
  processes_.erase(pid);
  last_ = nullptr;
}

void Budgets::give_back_all(Kept kind, uint32_t pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) give_back(kind, pid, known->second.of[static_cast<size_t>(kind)]);
}

void Budgets::drop(Kept kind, uint32_t pid, uint64_t count) {
  Drops& drops = drops_[static_cast<size_t>(kind)];
  drops.count += count;
  const auto known = drops.of_process.find(pid);
  if (known != drops.of_process.end())
    known->second += count;
  else if (drops.of_process.size() < kMaxNamed)
    drops.of_process[pid] = count;
  else
    drops.of_others += count;
}

std::vector<std::string> Budgets::report() const {
  std::vector<std::string> lines;
  for (size_t k = 0; k < kKinds; ++k) {
    const Drops& drops = drops_[k];
    if (drops.count == 0) continue;
    const auto most =
        std::max_element(drops.of_process.begin(), drops.of_process.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string whose = format("process %u", most->first);
    if (most->second < drops.count)
      whose = format("%zu processes%s, %" PRIu64 " of them of process %u,", drops.of_process.size(),
                     drops.of_others > 0 ? " and more" : "", most->second, most->first);
    lines.push_back(format("%" PRIu64 " %s of %s %s not kept: %s", drops.count,
                           drops.count == 1 ? kRules[k].one : kRules[k].several, whose.c_str(),
                           drops.count == 1 ? "was" : "were", kRules[k].meaning));
  }
  return lines;
}

}  // namespace aiflame::record
