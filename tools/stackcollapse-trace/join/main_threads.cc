// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/main_threads.h"

#include <tuple>
#include <unordered_map>

namespace aiflame::trace {
namespace {

// What speaks for a thread. One of autograd's may run Python functions, too: those of activation
// checkpointing.
struct Claim {
  bool has_python = false;
  bool is_first = false;  // its number is the process's
  uint64_t python = 0;    // the time that it spent in Python
  uint64_t all = 0;       // in anything
  auto key() const { return std::tie(has_python, is_first, python, all); }
};

Claim claim_of(const Trace& trace, const Nesting& nesting, uint32_t thread) {
  Claim out;
  out.is_first = trace.threads.process_text(thread) == trace.threads.thread_text(thread);
  for (uint32_t i = nesting.begin_of(thread); i < nesting.end_of(thread); ++i) {
    const Slice& slice = trace.slices[i];
    const bool python = is_python(slice);
    out.has_python |= python;
    const uint64_t time = static_cast<uint64_t>(slice.end - slice.start);
    if (slice.parent == kNoNumber) out.all += time;
    if (python && (slice.parent == kNoNumber || !is_python(trace.slices[slice.parent])))
      out.python += time;
  }
  return out;
}

}  // namespace

std::vector<uint32_t> find_main_threads(const Trace& trace, const Nesting& nesting) {
  struct Best {
    uint32_t thread;
    Claim claim;
  };
  std::unordered_map<uint32_t, Best> best;  // by process
  const uint32_t threads = static_cast<uint32_t>(trace.threads.size());
  for (uint32_t thread = 0; thread < threads; ++thread) {
    if (nesting.begin_of(thread) == nesting.end_of(thread)) continue;
    const Claim claim = claim_of(trace, nesting, thread);
    const auto [at, added] = best.emplace(trace.threads.process(thread), Best{thread, claim});
    if (!added && at->second.claim.key() < claim.key()) at->second = {thread, claim};
  }
  std::vector<uint32_t> out(threads, kNoNumber);
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const auto at = best.find(trace.threads.process(thread));
    if (at != best.end()) out[thread] = at->second.thread;
  }
  return out;
}

}  // namespace aiflame::trace
