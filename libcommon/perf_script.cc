// SPDX-License-Identifier: MIT
#include "libcommon/perf_script.h"

#include "libcommon/parse.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

using Kind = PerfRecord::Kind;

// perf's own limits are 127 frames by default and some thousands at most. They keep an input
// without blank lines from taking all memory.
constexpr size_t kMaxFrames = 65536;
constexpr size_t kMaxSample = size_t{64} << 20;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_hex(std::string_view text) {
  for (char c : text)
    if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
  return !text.empty();
}

// "4711/4713", "4713", "-1/-1"
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

// "[003]"
std::optional<uint64_t> parse_cpu(std::string_view field) {
  if (field.size() < 3 || field.front() != '[' || field.back() != ']') return std::nullopt;
  return parse_number<uint64_t>(field.substr(1, field.size() - 2));
}

// "5012.000100000:"
std::optional<uint64_t> parse_time(std::string_view field) {
  if (field.size() < 4 || field.back() != ':' || field.find('.') == std::string_view::npos)
    return std::nullopt;
  return parse_seconds(field.substr(0, field.size() - 1));
}

// Takes `[cpu] time:` off the front of `rest`, each of them optional.
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

// Takes `period event:` off the front of `rest`; the period is optional.
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

// other: `comm pid/tid [cpu] time: PERF_RECORD_…`, of perf script --show-mmap-events and its like
enum class HeaderForm { none, vague, plain, with_rest, other };

// `comm pid/tid [cpu] time: period event: rest`, where all but comm and pid may be missing. The
// comm may hold blanks and numbers: the pid is the first number behind which the line goes on as
// it must; failing that, as stackcollapse-perf.pl has it, the first number (HeaderForm::vague).
HeaderForm parse_header(std::string_view line, PerfRecord& record, std::string_view& rest) {
  const std::string_view whole = trim_left(line);
  std::string_view first_pid;  // of the vague form
  size_t at = 0;
  while (at < whole.size()) {
    while (at < whole.size() && !is_blank(whole[at])) ++at;
    const size_t comm_end = at;
    while (at < whole.size() && is_blank(whole[at])) ++at;
    if (at == whole.size()) break;
    if (!is_digit(whole[at]) && whole[at] != '-') continue;
    std::string_view tail = whole.substr(at);
    const std::string_view pids = take_field(tail);
    if (!parse_pids(pids, record)) continue;
    if (tail.empty()) break;
    record.comm = whole.substr(0, comm_end);
    if (first_pid.empty()) first_pid = pids;
    take_cpu_and_time(tail, record);
    if (record.time && trim_left(tail).starts_with("PERF_RECORD_")) return HeaderForm::other;
    if (!take_event(tail, record)) continue;
    rest = trim_left(tail);
    if (rest.empty()) return HeaderForm::plain;
    if (record.time) return HeaderForm::with_rest;
  }
  if (first_pid.empty() || first_pid.front() == '-') return HeaderForm::none;
  parse_pids(first_pid, record);
  record.comm = trim_right(whole.substr(0, static_cast<size_t>(first_pid.data() - whole.data())));
  record.cpu.reset();
  record.time.reset();
  record.period.reset();
  record.event = {};
  return HeaderForm::vague;
}

// Ends in a colon, as the header of a sample does and a frame never.
bool ends_like_header(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t");
  return last != std::string_view::npos && line[last] == ':';
}

bool looks_like_frame(std::string_view line) {
  FrameText frame;
  return split_frame(line, frame) && is_hex(frame.address) && !frame.symbol.empty();
}

// Position of the '(' in " (" that opens the object's parenthesis.
size_t find_object(std::string_view line, size_t close) {
  size_t depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (line[i] == ')') ++depth;
    if (line[i] == '(' && --depth == 0) {
      if (i > 0 && line[i - 1] == ' ') return i;
      break;
    }
  }
  // unbalanced: stackcollapse-perf.pl's way, the last one
  const size_t last = line.substr(0, close).rfind(" (");
  return last == std::string_view::npos ? last : last + 1;
}

// "17" or "?"
bool parse_count(std::string_view field, std::optional<uint64_t>& out) {
  out.reset();
  if (field == "?") return true;
  out = parse_number<uint64_t>(field);
  return out.has_value();
}

// `0xADDR(0xSIZE)` and, of a mapping, ` @ 0xPGOFF …`, then `]: r-xp /path`
bool parse_mapping(std::string_view text, bool mapped, PerfRecord& record) {
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
    // perf prints a zero of %#lx without its 0x
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

// `comm pid/tid [dev] time: PERF_RECORD_…`. False when the text is no such line; `what` is then
// empty, or names what is wrong with one.
bool parse_perf_record(std::string_view text, PerfRecord& record, const char*& what) {
  static constexpr std::string_view kMark = ": PERF_RECORD_";
  what = nullptr;
  const size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return false;
  // from the right: time, device, pids; the comm is what is left, blanks and all
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
    record.of_launches = of == "gpu-launch";
    if (!of.empty() && !record.of_launches) return false;
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
  return true;
}

}  // namespace

bool split_frame(std::string_view line, FrameText& out) {
  size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  const size_t close = line.rfind(')');
  if (close == std::string_view::npos) return false;
  const size_t begin = at;
  while (at < line.size() && is_word(line[at])) ++at;
  if (at == begin) return false;
  const size_t open = find_object(line, close);
  if (open == std::string_view::npos || open <= at) return false;
  out.address = line.substr(begin, at - begin);
  out.object = line.substr(open + 1, close - open - 1);
  // the blank in front of "(object)" belongs to it; a symbol without a name is a second one
  const std::string_view between = line.substr(at, open - 1 - at);
  out.symbol = trim_left(between);
  if (out.symbol.empty() && !between.empty()) out.symbol = between.substr(between.size() - 1);
  return true;
}

bool parse_frame(std::string_view line, Frame& out) {
  FrameText text;
  if (!split_frame(line, text)) return false;
  const auto address = parse_hex(text.address);
  if (!address) return false;
  out.address = *address;
  out.symbol = text.symbol;
  out.object = text.object;
  out.has_offset = false;
  out.offset = 0;
  const size_t plus = text.symbol.rfind("+0x");
  if (plus != std::string_view::npos) {
    const auto offset = parse_hex(text.symbol.substr(plus + 3));
    if (offset) {
      out.symbol = text.symbol.substr(0, plus);
      out.has_offset = true;
      out.offset = *offset;
    }
  }
  return true;
}

PerfScriptReader::PerfScriptReader(const std::string& path, bool source_lines)
    : lines_(path), source_lines_(source_lines) {}

PerfScriptReader::PerfScriptReader(ByteSource&& source, bool source_lines)
    : lines_(std::move(source)), source_lines_(source_lines) {}

std::string PerfScriptReader::place(const PerfRecord& record) const {
  return format("%s:%llu", name().c_str(), static_cast<unsigned long long>(record.line));
}

void PerfScriptReader::fail(const char* what) const {
  throw Error(lines_.place() + ": " + what);
}

void PerfScriptReader::note_unrecognised() {
  if (unrecognised_++ == 0) first_unrecognised_ = lines_.line_number();
}

void PerfScriptReader::note_cut() {
  ++cuts_;
  cut_line_ = whole_line_;
  recording_ = false;
}

// The next line into line_; false at the end. What a cut has left of a recording's last line is
// not a line.
bool PerfScriptReader::read_line() {
  if (pending_) {
    pending_ = false;
    return true;
  }
  if (!lines_.next(line_)) return false;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (lines_.line_number() == 1) {
    if (line_.starts_with("PERFILE2")) throw Error(name() + ": is perf.data, not text");
    // so short a beginning of a recording that its first line is not whole
    if (!lines_.terminated() && !line_.empty() &&
        std::string_view("# gpustall 1").starts_with(line_))
      recording_ = true;
  }
  return lines_.terminated() || !recording_;
}

bool PerfScriptReader::next(PerfRecord& record) {
  while (read_line()) {
    if (trim_left(line_).empty()) {
      ++blanks_;
      after_end_ = false;
      whole_line_ = lines_.line_number();
      continue;
    }
    record.line = lines_.line_number();
    record.blanks = blanks_;
    record.recorded = recording_;
    record.frames.clear();
    record.sources.clear();
    if (line_.front() == '#') {
      blanks_ = 0;
      record.text = line_;
      read_comment(record);
      whole_line_ = lines_.line_number();
      return true;
    }
    // a copy: the line will be gone when the frames are read
    header_.assign(line_);
    std::string_view rest;
    const HeaderForm form = parse_header(header_, record, rest);
    if (form == HeaderForm::other && !recording_) continue;
    if (recording_ && form != HeaderForm::plain && form != HeaderForm::with_rest)
      fail("expected a sample, a comment or a blank line");
    if (form == HeaderForm::none || (form == HeaderForm::vague && looks_like_frame(header_))) {
      note_unrecognised();
      continue;
    }
    if (recording_ && record.event.starts_with("gpu-") &&
        (!record.has_pid || !record.cpu || !record.time || !record.period))
      fail("expected 'comm pid/tid [device] time: count event:'");
    blanks_ = 0;
    record.kind = Kind::sample;
    record.text = header_;
    text_.clear();
    pieces_.clear();
    // perf record without -g: the one frame stands in the header's line
    closed_ = form == HeaderForm::with_rest && looks_like_frame(rest);
    record.arguments = form == HeaderForm::with_rest && !closed_ ? rest : std::string_view();
    if (closed_) add_frame(rest);
    if (read_sample(record)) return true;
  }
  if (recording_ || after_end_) note_cut();
  after_end_ = false;
  return false;
}

void PerfScriptReader::add_frame(std::string_view line) {
  if (pieces_.size() >= kMaxFrames || text_.size() + line.size() > kMaxSample)
    fail("a sample of more than 65536 frames or 64 MiB");
  pieces_.push_back({text_.size(), line.size(), false});
  text_.append(line);
}

bool PerfScriptReader::read_sample(PerfRecord& record) {
  bool after_frame = false;
  while (!closed_ && read_line()) {
    if (line_.empty() || (!(source_lines_ && after_frame) && trim_left(line_).empty())) {
      whole_line_ = lines_.line_number();
      closed_ = true;
      break;
    }
    if (source_lines_ && after_frame) {
      add_frame(line_);
      pieces_.back().source = true;
      after_frame = false;
      continue;
    }
    if (line_.front() == '#') {
      if (!line_.starts_with("# gpustall ")) {
        if (recording_) fail("expected a frame or a blank line");
        continue;
      }
      pending_ = true;
      if (recording_) {
        note_cut();  // this sample was not whole
        return false;
      }
      break;
    }
    FrameText frame;
    if (recording_) {
      if (!split_frame(line_, frame) || !is_hex(frame.address))
        fail("expected a frame or a blank line");
    } else if (!is_blank(line_.front()) || ends_like_header(line_)) {
      // frames are indented as a rule, headers are not
      PerfRecord ahead;
      std::string_view rest;
      const HeaderForm form = parse_header(line_, ahead, rest);
      if (form != HeaderForm::none &&
          (form != HeaderForm::vague || (!is_blank(line_.front()) && !looks_like_frame(line_)))) {
        pending_ = true;
        break;
      }
    }
    if (!split_frame(line_, frame)) {
      note_unrecognised();
      continue;
    }
    add_frame(line_);
    after_frame = true;
  }
  if (recording_ && !closed_) return false;  // cut: next() says so
  closed_ = false;
  finish_sample(record);
  return true;
}

void PerfScriptReader::finish_sample(PerfRecord& record) {
  for (const Piece& piece : pieces_) {
    const std::string_view line(text_.data() + piece.begin, piece.size);
    if (piece.source) {
      record.sources.resize(record.frames.size());
      record.sources.back() = trim_right(trim_left(line));
    } else {
      record.frames.push_back(line);
    }
  }
  if (source_lines_) record.sources.resize(record.frames.size());
}

void PerfScriptReader::read_comment(PerfRecord& record) {
  record.kind = Kind::comment;
  std::string_view text = record.text.substr(1);
  take_prefix(text, " ");
  std::string_view fields = text;
  const std::string_view word = take_field(fields);
  if (word == "gpustall") {
    const auto version = parse_number<uint64_t>(take_field(fields));
    if (!version || !fields.empty()) fail("expected '# gpustall VERSION'");
    if (*version != 1)
      fail(format("gpustall format %llu; this program reads format 1",
                  static_cast<unsigned long long>(*version))
               .c_str());
    if (recording_) note_cut();
    recording_ = record.recorded = true;
    after_end_ = false;
    record.kind = Kind::recording;
    return;
  }
  if (!recording_) return;
  const char* what = nullptr;
  if (parse_perf_record(text, record, what)) return;
  if (what != nullptr) fail(what);
  record.kind = Kind::comment;
  const size_t colon = text.find(" : ");
  if (word == "launch") {
    const std::string_view number = take_field(fields);
    const auto launch = parse_number<uint64_t>(number);
    if (!fields.empty() || (number != "?" && (!launch || *launch == 0)))
      fail("expected '# launch N' or '# launch ?'");
    record.launch = launch.value_or(0);
    record.kind = Kind::launch;
  } else if (word == "launched") {
    const auto launch = parse_number<uint64_t>(take_field(fields));
    record.count = parse_number<uint64_t>(take_field(fields));
    const std::string_view busy = take_field(fields);
    record.busy = parse_seconds(busy);
    if (!launch || *launch == 0 || !record.count || !fields.empty() ||
        (busy != "-" && !record.busy))
      fail("expected '# launched N COUNT BUSY'");
    record.launch = *launch;
    record.kind = Kind::launched;
  } else if (word == "slice") {
    const auto start = parse_seconds(take_field(fields));
    const auto stop = parse_seconds(take_field(fields));
    if (!start || !stop || *stop < *start || !fields.empty()) fail("expected '# slice START END'");
    record.start = *start;
    record.stop = *stop;
    record.kind = Kind::slice;
  } else if (word == "end" && colon == std::string_view::npos) {
    const bool good =
        take_field(fields) == "samples" && parse_count(take_field(fields), record.samples) &&
        take_field(fields) == "launches" && parse_count(take_field(fields), record.launches) &&
        take_field(fields) == "lost" && parse_count(take_field(fields), record.losses) &&
        fields.empty();
    if (!good) fail("expected '# end samples N launches N lost N'");
    record.kind = Kind::end;
    recording_ = false;
    after_end_ = true;
  } else if (colon != std::string_view::npos) {
    record.key = trim_right(text.substr(0, colon));
    record.value = text.substr(colon + 3);
    record.kind = Kind::header;
  }
}

}  // namespace aiflame
