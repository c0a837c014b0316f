// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/traceevent.h"

#include <traceevent/event-parse.h>

#include <algorithm>
#include <bit>

#include "libcommon/base/parse.h"
#include "libcommon/perf_data/perf_event.h"

namespace aiflame {
namespace {

constexpr std::string_view kMagic("\x17\x08\x44tracing", 10);
// Descriptions of probes with many arguments have some kilobytes.
constexpr size_t kMaxFormat = size_t{1} << 20;

// The rest of the line that begins with `key`.
std::string_view line_of(std::string_view format, std::string_view key) {
  while (!format.empty()) {
    const size_t end = format.find('\n');
    std::string_view line = format.substr(0, end);
    if (take_prefix(line, key)) return trim_left(line);
    format = end == std::string_view::npos ? std::string_view() : format.substr(end + 1);
  }
  return {};
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Letters, digits and underscores, not starting with a digit.
bool is_word(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_small_number(std::string_view text) {
  return text.size() <= 5 && parse_number<uint32_t>(text).has_value();
}

// `unsigned long caller`, `const char * name`, `char comm[16]`, `__data_loc char[] kernel`
bool is_declaration(std::string_view text) {
  size_t words = 0;
  bool text_elsewhere = false;
  bool named = false;  // it ends in a word, or in a word and an array size
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    named = false;
    if (part == "*") {
      if (words == 0 || text_elsewhere) return false;
      continue;
    }
    const size_t open = part.find('[');
    if (open != std::string_view::npos) {
      if (!part.ends_with(']')) return false;
      const std::string_view size = part.substr(open + 1, part.size() - open - 2);
      if (size.empty() ? text.empty() : !text.empty() || !is_small_number(size)) return false;
    }
    if (!is_word(part.substr(0, open))) return false;
    // only __data_loc and __rel_loc have an array without a size, and they must have one
    const bool elsewhere = part == "__data_loc" || part == "__rel_loc";
    if (elsewhere && words > 0) return false;
    if (elsewhere) text_elsewhere = true;
    if (part.ends_with("[]") != (text_elsewhere && words == 1)) return false;
    ++words;
    named = true;
  }
  return named && words <= 16 && (text_elsewhere ? words == 3 : words >= 2);
}

// `\tfield:unsigned long caller;\toffset:20;\tsize:8;\tsigned:0;`, the last part optional
bool is_field(std::string_view line) {
  if (!take_prefix(line, "\tfield:")) return false;
  const auto until = [&line](std::string_view mark) {
    const size_t at = line.find(mark);
    const std::string_view part = line.substr(0, at);
    line = at == std::string_view::npos ? std::string_view() : line.substr(at + mark.size());
    return part;
  };
  return is_declaration(until(";\toffset:")) && is_small_number(until(";\tsize:")) &&
         is_small_number(until(";")) &&
         (line.empty() || line == "\tsigned:0;" || line == "\tsigned:1;");
}

// The fields of a description, if they have the form that the kernel writes: libtraceevent 1.7
// crashes on any other. The print format, a small program, is left out. Empty: not of that form.
std::string checked(std::string_view format, uint64_t id) {
  const std::string_view name = trim_right(line_of(format, "name:"));
  if (!is_word(name)) return "";
  std::string out = "name: " + std::string(name) + "\nID: " + std::to_string(id) + "\nformat:\n";
  bool common = true;
  while (!format.empty()) {
    const size_t end = std::min(format.find('\n'), format.size());
    const std::string_view line = format.substr(0, end);
    format.remove_prefix(std::min(end + 1, format.size()));
    if (!is_field(line)) continue;
    // an empty line follows the fields that all events have
    const bool own = line.find(" common_") == std::string_view::npos;
    if (own && common) out += '\n';
    if (own) common = false;
    if (own == !common) out.append(line).push_back('\n');
  }
  if (common) return "";
  return out + "\nprint fmt: \"\"\n";
}

}  // namespace

TraceFormats::TraceFormats(std::string tracing_data)
    : data_(std::move(tracing_data)), parser_(tep_alloc(), tep_free) {
  tep_set_loglevel(TEP_LOG_NONE);  // otherwise it writes to standard error
  if (parser_ == nullptr) return;
  tep_set_long_size(parser_.get(), sizeof(long));
  find_events();
}

TraceFormats::~TraceFormats() = default;

// magic, "0.6", byte order, size of a long, size of a page; "header_page", size, bytes;
// "header_event", size, bytes; number of ftrace's own formats; for each: size, bytes; number of
// groups; for each: name, number of events; for each event: size, format
void TraceFormats::find_events() {
  ByteCursor cursor(data_);
  if (cursor.bytes(kMagic.size()) != kMagic) return;
  cursor.text();
  const bool big = cursor.take<uint8_t>() != 0;
  if (big != (std::endian::native == std::endian::big)) return;
  cursor.take<uint8_t>();
  cursor.u32();
  for (int header = 0; header < 2; ++header) {
    cursor.text();
    cursor.bytes(cursor.u64());
  }
  const uint32_t own = cursor.u32();
  for (uint32_t i = 0; i < own && cursor.ok(); ++i) cursor.bytes(cursor.u64());
  const uint32_t groups = cursor.u32();
  for (uint32_t i = 0; i < groups && cursor.ok(); ++i) {
    const std::string_view group = cursor.text();
    const uint32_t count = cursor.u32();
    for (uint32_t event = 0; event < count && cursor.ok(); ++event) {
      const std::string_view format = cursor.bytes(cursor.u64());
      const auto id = parse_number<uint64_t>(trim_right(line_of(format, "ID:")));
      if (id) events_.try_emplace(*id, Event{group, format});
    }
  }
}

std::string TraceFormats::name(uint64_t id) const {
  const auto at = events_.find(id);
  if (at == events_.end()) return "";
  const std::string_view name = trim_right(line_of(at->second.format, "name:"));
  return name.empty() ? "" : std::string(at->second.group) + ":" + std::string(name);
}

const tep_format_field* TraceFormats::find(uint64_t id, const char* field) {
  const auto at = events_.find(id);
  if (at == events_.end() || id > INT32_MAX || parser_ == nullptr) return nullptr;
  Event& event = at->second;
  if (!event.parsed) {
    event.parsed = true;
    const std::string format =
        event.format.size() < kMaxFormat ? checked(event.format, id) : std::string();
    const std::string group(event.group);
    if (!format.empty())
      tep_parse_event(parser_.get(), format.data(), format.size(), group.c_str());
  }
  tep_event* parsed = tep_find_event(parser_.get(), static_cast<int>(id));
  const tep_format_field* found = parsed == nullptr ? nullptr : tep_find_field(parsed, field);
  return found == nullptr || found->offset < 0 || found->size < 0 ? nullptr : found;
}

std::optional<uint64_t> TraceFormats::word(uint64_t id, std::string_view raw, const char* field) {
  const tep_format_field* found = find(id, field);
  if (found == nullptr || found->size != sizeof(uint64_t) ||
      (found->flags & (TEP_FIELD_IS_STRING | TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) != 0)
    return std::nullopt;
  const auto offset = static_cast<uint64_t>(found->offset);
  if (offset > raw.size()) return std::nullopt;
  ByteCursor cursor(raw.substr(offset));
  const uint64_t value = cursor.u64();
  return cursor.ok() ? std::optional<uint64_t>(value) : std::nullopt;
}

std::optional<std::string_view> TraceFormats::text(uint64_t id, std::string_view raw,
                                                   const char* field) {
  const tep_format_field* found = find(id, field);
  if (found == nullptr || (found->flags & TEP_FIELD_IS_STRING) == 0) return std::nullopt;
  auto offset = static_cast<uint64_t>(found->offset);
  auto size = static_cast<uint64_t>(found->size);
  if ((found->flags & TEP_FIELD_IS_DYNAMIC) != 0) {
    // __data_loc: offset and length of the text; __rel_loc: the offset counts from the end of this
    // word
    if (offset > raw.size()) return std::nullopt;
    ByteCursor place(raw.substr(offset));
    const uint32_t word = place.u32();
    if (!place.ok()) return std::nullopt;
    offset = (word & 0xffff) + ((found->flags & TEP_FIELD_IS_RELATIVE) != 0 ? offset + 4 : 0);
    size = word >> 16;
  }
  if (offset > raw.size() || size > raw.size() - offset) return std::nullopt;
  return ByteCursor(raw.substr(offset, size)).text();
}

}  // namespace aiflame
