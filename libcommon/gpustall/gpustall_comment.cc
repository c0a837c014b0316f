// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/gpustall_comment.h"

#include "libcommon/base/parse.h"
#include "libcommon/perf_script/sample_header.h"

namespace aiflame {
namespace {

using Kind = GpustallRecord::Kind;

// "17" or "?"
bool parse_count(std::string_view field, std::optional<uint64_t>& out) {
  out.reset();
  if (field == "?") return true;
  out = parse_number<uint64_t>(field);
  return out.has_value();
}

// `0xADDR(0xSIZE)` and, of a mapping, ` @ 0xPGOFF …`, then `]: r-xp /path`
bool parse_mapping(std::string_view text, bool mapped, GpustallRecord& record) {
  if (!take_prefix(text, "[0x")) return false;
  const size_t open = text.find("(0x");
  const size_t close = text.find(')', open == std::string_view::npos ? 0 : open);
  const size_t end = text.find("]: ");
  if (open == std::string_view::npos || close == std::string_view::npos || end < close ||
      end == std::string_view::npos)
    return false;
  const auto address = parse_hex(text.substr(0, open));
  const auto size = parse_hex(text.substr(open + 3, close - open - 3));
  if (!address || !size || *size > UINT64_MAX - *address) return false;
  record.address = *address;
  record.size = *size;
  record.file_offset = 0;
  if (mapped) {
    std::string_view middle = text.substr(close + 1, end - close - 1);
    if (take_field(middle) != "@") return false;
    std::string_view offset = take_field(middle);
    // perf prints a zero without 0x, as %#lx does
    take_prefix(offset, "0x");
    const auto number = parse_hex(offset);
    if (!number) return false;
    record.file_offset = *number;
  }
  std::string_view rest = text.substr(end + 3);
  take_field(rest);  // r-xp
  if (rest.empty()) return false;
  record.path = rest.substr(1);
  return true;
}

// `0 waits 17 3 0.000120000`. A kind of a later writer makes it a comment.
bool parse_idle(std::string_view fields, GpustallRecord& record) {
  const auto device = parse_number<uint64_t>(take_field(fields));
  const auto kind = find_idle_kind(take_field(fields));
  const std::string_view number = take_field(fields);
  const auto launch = parse_number<uint64_t>(number);
  record.count = parse_number<uint64_t>(take_field(fields));
  record.busy = parse_seconds(take_field(fields));
  if (!device || (number != "?" && (!launch || *launch == 0)) || !record.count || !record.busy ||
      !fields.empty())
    return false;
  if (!kind) return true;
  record.device = *device;
  record.idle = *kind;
  record.launch = launch.value_or(0);
  record.kind = GpustallRecord::Kind::idle;
  return true;
}

// No device has more bytes. The sum of 65 535 such numbers fits 64 bits.
constexpr uint64_t kMostBytes = uint64_t{1} << 48;

bool parse_bytes(std::string_view field, std::optional<uint64_t>& out) {
  out = parse_number<uint64_t>(field);
  return out && *out <= kMostBytes;
}

bool parse_address(std::string_view field, uint64_t& out) {
  if (!take_prefix(field, "0x")) return false;
  const auto address = parse_hex(field);
  out = address.value_or(0);
  return address.has_value();
}

bool parse_moment(std::string_view field, uint64_t& out) {
  const auto time = parse_seconds(field);
  out = time.value_or(0);
  return time.has_value();
}

bool parse_process(std::string_view field, int64_t& out) {
  const auto pid = parse_number<uint32_t>(field);
  out = pid.value_or(0);
  return pid.has_value();
}

// `19 5012.004000123 0x7f12c0001000 1048576`
bool parse_allocated(std::string_view fields, GpustallRecord& record) {
  const auto number = parse_number<uint64_t>(take_field(fields));
  record.launch = number.value_or(0);
  record.kind = Kind::allocated;
  return record.launch != 0 && parse_moment(take_field(fields), record.start) &&
         parse_address(take_field(fields), record.address) &&
         parse_bytes(take_field(fields), record.count) && fields.empty();
}

// `4711 0 5012.005000123 0x7f12c0001000 1048576`, or `?` for the bytes
bool parse_freed(std::string_view fields, GpustallRecord& record) {
  if (!parse_process(take_field(fields), record.pid)) return false;
  const auto device = parse_number<uint64_t>(take_field(fields));
  record.device = device.value_or(0);
  record.kind = Kind::freed;
  if (!device || !parse_moment(take_field(fields), record.start) ||
      !parse_address(take_field(fields), record.address))
    return false;
  const std::string_view bytes = take_field(fields);
  record.count.reset();
  return (bytes == "?" || parse_bytes(bytes, record.count)) && fields.empty();
}

// `4711 5012.900000000`
bool parse_released(std::string_view fields, GpustallRecord& record) {
  record.kind = Kind::released;
  return parse_process(take_field(fields), record.pid) &&
         parse_moment(take_field(fields), record.start) && fields.empty();
}

// `comm pid/tid [dev] time: PERF_RECORD_…`. True for a good line of that form. False for any other
// text: `what` is null if the text has another form, else it says what was expected of this one.
bool parse_perf_record(std::string_view text, GpustallRecord& record, const char*& what) {
  static constexpr std::string_view kMark = ": PERF_RECORD_";
  what = nullptr;
  const size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return false;
  // from the right: time, device, pids; the rest is the comm, which may hold blanks
  const auto cut_last = [](std::string_view& head) {
    head = trim_right(head);
    const size_t blank = head.find_last_of(" \t");
    if (blank == std::string_view::npos) return std::string_view();
    const std::string_view field = head.substr(blank + 1);
    head = head.substr(0, blank);
    return field;
  };
  std::string_view head = text.substr(0, mark + 1);
  record.time = parse_time(cut_last(head));
  record.cpu = parse_cpu(cut_last(head));
  if (!record.time || !record.cpu || !parse_pids(cut_last(head), record)) return false;
  record.comm = trim_right(head);
  std::string_view rest = text.substr(mark + kMark.size());
  const std::string_view type = take_field(rest);
  rest = trim_left(rest);
  if (type == "LOST") {
    record.kind = Kind::lost;
    std::string_view fields = rest;
    what = "expected 'lost N'";
    if (take_field(fields) != "lost" || !parse_count(take_field(fields), record.count))
      return false;
    const std::string_view of = take_field(fields);
    record.of_launches = of == kLostLaunches;
    record.of_memory = of == kLostMemory;
    if (!of.empty() && !record.of_launches && !record.of_memory) return false;
  } else if (type == "MMAP2" || type == "MUNMAP") {
    record.kind = type == "MMAP2" ? Kind::mapped : Kind::unmapped;
    what = "expected 'pid/tid: [0xADDRESS(0xSIZE) …]: r-xp PATH'";
    const size_t colon = rest.find(": ");
    if (colon == std::string_view::npos || !parse_pids(rest.substr(0, colon), record) ||
        !parse_mapping(rest.substr(colon + 2), type == "MMAP2", record))
      return false;
  } else {
    return false;  // a record of a later writer
  }
  what = nullptr;
  return true;
}

}  // namespace

const char* parse_gpustall_comment(std::string_view text, GpustallRecord& record) {
  const char* what = nullptr;
  if (parse_perf_record(text, record, what) || what != nullptr) return what;
  record.kind = Kind::comment;
  std::string_view fields = text;
  const std::string_view word = take_field(fields);
  const size_t colon = text.find(" : ");
  if (word == "launch") {
    const std::string_view number = take_field(fields);
    const auto launch = parse_number<uint64_t>(number);
    if (!fields.empty() || (number != "?" && (!launch || *launch == 0)))
      return "expected '# launch N' or '# launch ?'";
    record.launch = launch.value_or(0);
    record.kind = Kind::launch;
  } else if (word == "launched") {
    const auto launch = parse_number<uint64_t>(take_field(fields));
    record.count = parse_number<uint64_t>(take_field(fields));
    const std::string_view busy = take_field(fields);
    record.busy = parse_seconds(busy);
    if (!launch || *launch == 0 || !record.count || !fields.empty() ||
        (busy != "-" && !record.busy))
      return "expected '# launched N COUNT BUSY'";
    record.launch = *launch;
    record.kind = Kind::launched;
  } else if (word == "size" && colon == std::string_view::npos) {
    const auto launch = parse_number<uint64_t>(take_field(fields));
    const auto size = parse_launch_size(trim_left(fields));
    if (!launch || *launch == 0 || !size) return "expected '# size N KEY VALUE …' or '# size N ?'";
    record.launch = *launch;
    record.launch_size = *size;
    record.kind = Kind::size;
  } else if (word == "hidden" && colon == std::string_view::npos) {
    const auto launch = parse_number<uint64_t>(take_field(fields));
    record.busy = parse_seconds(take_field(fields));
    if (!launch || *launch == 0 || !record.busy || !fields.empty())
      return "expected '# hidden N SECONDS'";
    record.launch = *launch;
    record.kind = Kind::hidden;
  } else if (word == "waited" && colon == std::string_view::npos) {
    const auto launch = parse_number<uint64_t>(take_field(fields));
    record.count = parse_number<uint64_t>(take_field(fields));
    record.busy = parse_seconds(take_field(fields));
    if (!launch || *launch == 0 || !record.count || !record.busy || !fields.empty())
      return "expected '# waited N COUNT SECONDS'";
    record.launch = *launch;
    record.kind = Kind::waited;
  } else if (word == "idle" && colon == std::string_view::npos) {
    if (!parse_idle(fields, record))
      return "expected '# idle DEVICE KIND N COUNT SECONDS' or a '?' for N";
  } else if (word == "allocated" && colon == std::string_view::npos) {
    if (!parse_allocated(fields, record)) return "expected '# allocated N TIME ADDRESS BYTES'";
  } else if (word == "freed" && colon == std::string_view::npos) {
    if (!parse_freed(fields, record))
      return "expected '# freed PID DEVICE TIME ADDRESS BYTES' or a '?' for BYTES";
  } else if (word == "released" && colon == std::string_view::npos) {
    if (!parse_released(fields, record)) return "expected '# released PID TIME'";
  } else if (word == "slice") {
    const auto start = parse_seconds(take_field(fields));
    const auto stop = parse_seconds(take_field(fields));
    if (!start || !stop || *stop < *start || !fields.empty()) return "expected '# slice START END'";
    record.start = *start;
    record.stop = *stop;
    record.kind = Kind::slice;
  } else if (word == "end" && colon == std::string_view::npos) {
    const bool good =
        take_field(fields) == "samples" && parse_count(take_field(fields), record.samples) &&
        take_field(fields) == "launches" && parse_count(take_field(fields), record.launches) &&
        take_field(fields) == "lost" && parse_count(take_field(fields), record.losses) &&
        fields.empty();
    if (!good) return "expected '# end samples N launches N lost N'";
    record.kind = Kind::end;
  } else if (colon != std::string_view::npos) {
    record.key = trim_right(text.substr(0, colon));
    record.value = text.substr(colon + 3);
    record.kind = Kind::header;
  }
  return nullptr;
}

}  // namespace aiflame
