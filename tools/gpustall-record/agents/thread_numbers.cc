// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/thread_numbers.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::record {
namespace {

// A hostile process can make up thread numbers without end: beyond this the cache starts anew.
constexpr size_t kMaxKnown = 4096;

constexpr uint32_t kMostInVain = 2047;

// The thread's number in its own namespace, from a file like /proc/PID/status; 0 when it has ended.
uint32_t own_number(const std::string& status, bool& nested) {
  try {
    LineReader lines(status);
    std::string_view line;
    while (lines.next(line))
      if (const uint32_t number = ThreadNumbers::innermost(line, nested); number != 0)
        return number;
  } catch (const Error&) {
    // the thread has ended
  }
  return 0;
}

}  // namespace

uint32_t ThreadNumbers::innermost(std::string_view line, bool& nested) {
  constexpr std::string_view kKey = "NSpid:\t";
  if (!line.starts_with(kKey)) return 0;
  const std::string_view numbers = line.substr(kKey.size());
  nested = numbers.find('\t') != std::string_view::npos;
  return parse_number<uint32_t>(numbers.substr(numbers.rfind('\t') + 1)).value_or(0);
}

ThreadNumbers::ThreadNumbers(uint32_t pid) : pid_(pid) {
  own_number(format("/proc/%u/status", pid), nested_);
}

uint32_t ThreadNumbers::outer(uint32_t inner) {
  if (!nested_) return inner;
  const auto known = known_.find(inner);
  if (known != known_.end()) return known->second;
  if (left_out_ > 0) {
    --left_out_;
    return pid_;
  }
  if (known_.size() == kMaxKnown) known_.clear();
  const uint32_t found = look_up(inner);
  in_vain_ = found != 0 ? 0 : std::min(2 * in_vain_ + 1, kMostInVain);
  left_out_ = in_vain_ / 2;
  return known_[inner] = found != 0 ? found : pid_;
}

uint32_t ThreadNumbers::look_up(uint32_t inner) const {
  std::error_code error;
  for (std::filesystem::directory_iterator at(format("/proc/%u/task", pid_), error), end;
       !error && at != end; at.increment(error)) {
    bool nested = false;
    if (own_number(at->path().string() + "/status", nested) == inner)
      return parse_number<uint32_t>(at->path().filename().string()).value_or(0);
  }
  return 0;
}

}  // namespace aiflame::record
