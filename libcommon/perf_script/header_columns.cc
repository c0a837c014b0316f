// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/header_columns.h"

#include <algorithm>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/perf_script/frame_line.h"

namespace aiflame {
namespace {

// A header has a dozen columns, and what follows the event is not looked at.
constexpr size_t kMaxWords = 64;

using Words = std::vector<std::string_view>;

Words split_words(std::string_view line) {
  Words words;
  while (words.size() < kMaxWords) {
    line = trim_left(line);
    if (line.empty()) break;
    words.push_back(take_field(line));
  }
  return words;
}

// Where the columns end that come before the time, or before the period where there is no time;
// and where the event is. Both are the number of words where there is none.
struct Anchors {
  size_t before = 0, event = 0;
};

bool is_number(std::string_view word) {
  return parse_number<uint64_t>(word).has_value();
}

bool is_event(std::string_view word) {
  return word.size() >= 2 && word.ends_with(':') && !word.starts_with('[');
}

bool may_be_pid(std::string_view word) {
  PerfRecord ignored;
  return parse_pids(word, ignored);
}

// `250000 cycles:u:`, after a process id or a CPU.
bool is_period_and_event(const Words& words, size_t event) {
  return event >= 2 && is_event(words[event]) && is_number(words[event - 1]) &&
         std::any_of(words.begin(), words.begin() + static_cast<ptrdiff_t>(event) - 1,
                     [](std::string_view word) { return may_be_pid(word) || parse_cpu(word); });
}

Anchors find_anchors(const Words& words) {
  const size_t none = words.size();
  for (size_t i = 0; i < words.size(); ++i) {
    if (!parse_time(words[i])) continue;
    const auto event = std::find_if(words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end(),
                                    [](std::string_view word) { return is_event(word); });
    return {i, static_cast<size_t>(event - words.begin())};
  }
  for (size_t i = 0; i < words.size(); ++i)
    if (is_period_and_event(words, i)) return {i - 1, i};
  return {none, none};
}

// The last of the words before `end` that may be a process id; those with a slash come first.
// `end` where there is none.
size_t find_pid(const Words& words, size_t end) {
  size_t found = end;
  for (size_t i = 0; i < end; ++i)
    if (may_be_pid(words[i]) && (found == end || words[i].find('/') != std::string_view::npos ||
                                 words[found].find('/') == std::string_view::npos))
      found = i;
  return found;
}

void pass_over(std::string_view word, PerfRecord& record) {
  if (record.passed_over.empty()) record.passed_over = word;
}

// The columns before the time.
void read_front(const Words& words, size_t end, PerfRecord& record) {
  size_t first = 0;
  for (; first < end && is_guest_column(words[first]); ++first) pass_over(words[first], record);
  // a CPU is no comm: `[000] 25977.213438:`
  size_t pid = find_pid(words, end);
  const auto cpu_at = std::find_if(words.begin() + static_cast<ptrdiff_t>(first),
                                   words.begin() + static_cast<ptrdiff_t>(end),
                                   [](std::string_view word) { return parse_cpu(word); });
  const auto cpu = static_cast<size_t>(cpu_at - words.begin());
  size_t comm_end = std::min(pid, cpu);
  if (pid == end) {
    record.has_pid = false;
    record.pid = record.tid = -1;
    while (comm_end > first + 1 && is_misc_column(words[comm_end - 1]))
      pass_over(words[--comm_end], record);
    pid = comm_end;
  } else {
    // find_pid() has found the word to be one
    [[maybe_unused]] const bool parsed = parse_pids(words[pid], record);
    comm_end = pid;
    ++pid;
  }
  const char* const begin = words[first].data();
  record.comm = words[first].substr(0, 0);
  if (comm_end > first) {
    const std::string_view last = words[comm_end - 1];
    record.comm = {begin, static_cast<size_t>(last.data() + last.size() - begin)};
  }
  for (size_t i = pid; i < end; ++i) {
    if (const auto number = parse_cpu(words[i]))
      record.cpu = number;
    else
      pass_over(words[i], record);
  }
}

}  // namespace

bool is_misc_column(std::string_view word) {
  return !word.empty() && word.find_first_not_of("KUHGgMESp") == std::string_view::npos;
}

bool is_guest_column(std::string_view word) {
  return (take_prefix(word, "VM:") || take_prefix(word, "VCPU:")) && is_number(word);
}

HeaderForm parse_columns(std::string_view line, PerfRecord& record, std::string_view& rest) {
  record.cpu.reset();
  record.time.reset();
  record.period.reset();
  record.event = record.passed_over = {};
  const Words words = split_words(line);
  const Anchors at = find_anchors(words);
  if (at.before == words.size()) return HeaderForm::none;
  record.time = parse_time(words[at.before]);
  size_t next = at.before + (record.time ? 1 : 0);
  if (next < words.size() && words[next].starts_with("PERF_RECORD_")) return HeaderForm::other;
  // what a newer perf may print between the time and the period
  if (at.event < words.size()) {
    const size_t period = at.event - 1;
    record.event = words[at.event].substr(0, words[at.event].size() - 1);
    if (period >= next) record.period = parse_number<uint64_t>(words[period]);
    for (; next < at.event - (record.period ? 1 : 0); ++next) pass_over(words[next], record);
    next = at.event + 1;
  } else if (next < words.size()) {
    record.period = parse_number<uint64_t>(words[next]);
    if (!record.period) return HeaderForm::none;
    ++next;
  }
  rest = next < words.size() ? line.substr(static_cast<size_t>(words[next].data() - line.data()))
                             : std::string_view();
  read_front(words, at.before, record);
  if (rest.empty()) return HeaderForm::plain;
  if (!record.event.empty() || looks_like_frame(rest)) return HeaderForm::with_rest;
  // -F -event,+addr: numbers alone
  return std::all_of(words.begin() + static_cast<ptrdiff_t>(next), words.end(), is_hex)
             ? HeaderForm::plain
             : HeaderForm::none;
}

}  // namespace aiflame
