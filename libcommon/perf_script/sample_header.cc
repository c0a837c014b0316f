// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/sample_header.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "libcommon/base/parse.h"
#include "libcommon/perf_script/header_columns.h"

namespace aiflame {
namespace {

// Takes `[cpu] time:` off the front of `rest`. Either may be missing.
void take_cpu_and_time(std::string_view& rest, PerfRecord& record) {
  record.cpu.reset();
  record.time.reset();
  std::string_view ahead = rest;
  record.cpu = parse_cpu(take_field(ahead));
  if (record.cpu) rest = ahead;
  ahead = rest;
  record.time = parse_time(take_field(ahead));
  if (record.time) rest = ahead;
}

// Takes `period event:` off the front of `rest`. The period may be missing.
bool take_event(std::string_view& rest, PerfRecord& record) {
  record.period.reset();
  record.event = {};
  std::string_view field = take_field(rest);
  if (!field.empty() && is_digit(field.front()) && field.back() != ':') {
    record.period = parse_number<uint64_t>(field);
    if (!record.period) return false;
    field = take_field(rest);
  }
  if (field.size() < 2 || field.back() != ':') return false;
  record.event = field.substr(0, field.size() - 1);
  return true;
}

// The steps of parse_plain_header() take eight bytes at a time: with small stacks, headers are a
// third of the work.
constexpr uint64_t kEach = 0x0101010101010101;
constexpr bool kWords = std::endian::native == std::endian::little;

uint64_t load_word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

bool has_word(const char* at, const char* end) {
  return kWords && end - at >= 8;
}

// The index of the lowest byte that is not zero.
ptrdiff_t first_byte(uint64_t word) {
  return std::countr_zero(word) / 8;
}

bool at_blank(const char* at, const char* end) {
  return at != end && is_blank(*at);
}

inline const char* skip_blanks(const char* at, const char* end) {
  while (has_word(at, end)) {
    const uint64_t others = load_word(at) ^ ' ' * kEach;
    if (others != 0) {
      at += first_byte(others);
      break;
    }
    at += 8;
  }
  while (at_blank(at, end)) ++at;
  return at;
}

inline const char* skip_word(const char* at, const char* end) {
  while (has_word(at, end)) {
    // The lowest bit set is right: subtracting one borrows from a byte above only where the byte is
    // zero.
    const uint64_t word = load_word(at), space = word ^ ' ' * kEach, tab = word ^ '\t' * kEach;
    const uint64_t zeros =
        (((space - kEach) & ~space) | ((tab - kEach) & ~tab)) & (uint64_t{0x80} * kEach);
    if (zeros != 0) return at + first_byte(zeros);
    at += 8;
  }
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

// Takes a number of at most `most` digits, few enough that it cannot overflow.
inline bool take_digits(const char*& at, const char* end, ptrdiff_t most, uint64_t& value) {
  const char* const first = at;
  uint64_t sum = 0;
  if (has_word(at, end)) {
    uint64_t digits = load_word(at) ^ '0' * kEach;
    // adding 0x76 sets the highest bit of a byte from 0x0a on; smaller bytes do not carry
    const uint64_t others = (digits | (digits + 0x76 * kEach)) & (uint64_t{0x80} * kEach);
    const ptrdiff_t count = others == 0 ? 8 : first_byte(others);
    if (count == 0) return false;
    // moves the last digit into the highest byte, then joins digits to pairs, pairs to fours, and
    // fours to the number
    digits <<= (8 - count) * 8;
    digits = digits * 10 + (digits >> 8);
    constexpr uint64_t kPairs = 0x000000ff000000ff;
    sum = ((digits & kPairs) * (100 + (uint64_t{1000000} << 32)) +
           ((digits >> 16) & kPairs) * (1 + (uint64_t{10000} << 32))) >>
          32;
    at += count;
  }
  for (; at != end && is_digit(*at); ++at) sum = sum * 10 + static_cast<uint64_t>(*at - '0');
  value = sum;
  return at != first && at - first <= most;
}

constexpr ptrdiff_t kDigits = 18;  // such a number fits into int64_t

// Takes "12.345678:", the period or both, each with the blanks after it, if they are there.
[[gnu::always_inline]] inline bool take_time_and_period(const char*& at, const char* end,
                                                        PerfRecord& record) {
  record.time.reset();
  record.period.reset();
  if (at == end || !is_digit(*at)) return true;
  uint64_t number = 0;
  const char* const first = at;
  if (!take_digits(at, end, kDigits, number)) return false;
  if (at != end && *at == '.') {
    if (at - first > 10) return false;  // ten digits of seconds stay below 2^64 nanoseconds
    const uint64_t seconds = number;
    const char* const point = ++at;
    if (!take_digits(at, end, 9, number) || at == end || *at != ':') return false;
    for (auto digits = at - point; digits < 9; ++digits) number *= 10;
    record.time = seconds * 1000000000 + number;
    ++at;
    if (!at_blank(at, end)) return false;
    at = skip_blanks(at, end);
    if (at == end || !is_digit(*at)) return true;
    if (!take_digits(at, end, kDigits, number)) return false;
  }
  if (!at_blank(at, end)) return false;
  record.period = number;
  at = skip_blanks(at, end);
  return true;
}

// Whether columns of other headers than `comm pid/tid [cpu] time: period event:` come after a comm
// that ends in this word.
bool is_other_column(std::string_view word, bool is_first) {
  PerfRecord ignored;
  return parse_time(word) || parse_cpu(word) ||
         (is_first && (parse_pids(word, ignored) || is_guest_column(word)));
}

// The columns that perf prints unless -F says otherwise.
HeaderForm parse_usual(std::string_view whole, PerfRecord& record, std::string_view& rest) {
  size_t at = 0;
  while (at < whole.size()) {
    const size_t word = at;
    while (at < whole.size() && !is_blank(whole[at])) ++at;
    const size_t comm_end = at;
    if (is_other_column(whole.substr(word, comm_end - word), word == 0)) break;
    while (at < whole.size() && is_blank(whole[at])) ++at;
    if (at == whole.size()) break;
    if (!is_digit(whole[at]) && whole[at] != '-') continue;
    std::string_view tail = whole.substr(at);
    const std::string_view pids = take_field(tail);
    if (!parse_pids(pids, record)) continue;
    if (tail.empty()) break;
    record.comm = whole.substr(0, comm_end);
    take_cpu_and_time(tail, record);
    if (record.time && trim_left(tail).starts_with("PERF_RECORD_")) return HeaderForm::other;
    std::string_view next = tail;
    if (is_misc_column(take_field(next))) break;
    if (!take_event(tail, record)) continue;
    rest = trim_left(tail);
    if (rest.empty()) return HeaderForm::plain;
    if (record.time) return HeaderForm::with_rest;
  }
  return HeaderForm::none;
}

// `comm pid` without an event, after -F comm,pid,ip,sym. Other text may begin like that:
//
//   Processed 12345 events and lost 3 chunks!
HeaderForm parse_vague(std::string_view whole, PerfRecord& record) {
  std::string_view tail = whole;
  take_field(tail);
  while (!tail.empty()) {
    const size_t comm_end = whole.size() - tail.size();
    const std::string_view word = take_field(tail);
    if (word.empty() || !is_digit(word.front()) || !parse_pids(word, record)) continue;
    record.comm = whole.substr(0, comm_end);
    take_cpu_and_time(tail, record);
    for (tail = trim_left(tail); !tail.empty(); tail = trim_left(tail))
      if (!is_misc_column(take_field(tail))) return HeaderForm::none;
    record.cpu.reset();
    record.time.reset();
    record.period.reset();
    record.event = {};
    return HeaderForm::vague;
  }
  return HeaderForm::none;
}

}  // namespace

bool parse_pids(std::string_view field, PerfRecord& record) {
  const size_t slash = field.find('/');
  const auto first = parse_number<int64_t>(field.substr(0, slash));
  if (!first) return false;
  record.has_pid = slash != std::string_view::npos;
  record.pid = record.tid = *first;
  if (record.has_pid) {
    const auto second = parse_number<int64_t>(field.substr(slash + 1));
    if (!second) return false;
    record.tid = *second;
  }
  return true;
}

std::optional<uint64_t> parse_cpu(std::string_view field) {
  if (field.size() < 3 || field.front() != '[' || field.back() != ']') return std::nullopt;
  return parse_number<uint64_t>(field.substr(1, field.size() - 2));
}

std::optional<uint64_t> parse_time(std::string_view field) {
  if (field.size() < 4 || field.back() != ':' || field.find('.') == std::string_view::npos)
    return std::nullopt;
  return parse_seconds(field.substr(0, field.size() - 1));
}

HeaderForm parse_header(std::string_view line, PerfRecord& record, std::string_view& rest) {
  const std::string_view whole = trim_left(line);
  record.passed_over = {};
  const HeaderForm usual = parse_usual(whole, record, rest);
  if (usual != HeaderForm::none) return usual;
  const HeaderForm form = parse_columns(whole, record, rest);
  return form != HeaderForm::none ? form : parse_vague(whole, record);
}

bool parse_plain_header(std::string_view line, PerfRecord& record) {
  const char* at = line.data();
  const char* const end = at + line.size();
  uint64_t number = 0;
  record.passed_over = {};

  // the comm: up to the first word that starts with a digit
  at = skip_blanks(at, end);
  const char* const comm = at;
  if (at != end && (is_digit(*at) || *at == '-')) return false;  // no comm
  if (end - at > 3 && std::memcmp(at, "VM:", 3) == 0) return false;
  const char* comm_end;
  do {
    comm_end = at = skip_word(at, end);
    if (at != comm && at[-1] == ']') return false;  // no pid: `comm [cpu]`
    at = skip_blanks(at, end);
    if (at == end || *at == '-') return false;
  } while (!is_digit(*at));
  record.comm = {comm, static_cast<size_t>(comm_end - comm)};

  if (!take_digits(at, end, kDigits, number)) return false;
  record.pid = record.tid = static_cast<int64_t>(number);
  record.has_pid = at != end && *at == '/';
  if (record.has_pid) {
    if (!take_digits(++at, end, kDigits, number)) return false;
    record.tid = static_cast<int64_t>(number);
  }
  if (!at_blank(at, end)) return false;
  at = skip_blanks(at, end);

  record.cpu.reset();
  if (at != end && *at == '[') {
    if (!take_digits(++at, end, kDigits, number) || at == end || *at++ != ']') return false;
    if (!at_blank(at, end)) return false;
    record.cpu = number;
    at = skip_blanks(at, end);
  }

  if (!take_time_and_period(at, end, record)) return false;

  const char* const event = at;
  at = skip_word(at, end);
  const auto length = static_cast<size_t>(at - event);
  // perf prints no second number here, no word in brackets and no sign alone
  if (length < 2 || at[-1] != ':' || is_digit(*event) || *event == '[') return false;
  record.event = {event, length - 1};
  if (record.time && record.event.starts_with("PERF_RECORD_")) return false;
  at = skip_blanks(at, end);
  return at == end;
}

}  // namespace aiflame
