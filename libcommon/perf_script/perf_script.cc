// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/perf_script.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/sample_header.h"
#include "libcommon/text/byte_pair.h"

namespace aiflame {
namespace {

// These limits keep an input without blank lines from taking all memory. perf itself records 127
// frames by default, and some thousands at most.
constexpr size_t kMaxFrames = 65536;
constexpr size_t kMaxSample = size_t{64} << 20;
// The largest sample that peek() shows. It has fewer than kMaxFrames frames, which have 5 bytes at
// least.
constexpr size_t kMaxPeek = size_t{256} << 10;

// Whether the line ends in a colon: a sample's header does, a frame never does.
bool ends_like_header(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t");
  return last != std::string_view::npos && line[last] == ':';
}

// Whether a sample without frames so far may be whole, so that an indented header may follow. A
// symbol can look like the fields of a header, so that no frame may end a stack.
bool may_be_one_line(const PerfRecord& record) {
  return is_blank(record.text.front()) || !record.arguments.empty();
}

}  // namespace

SampleLine sample_line(std::string_view line, bool after_one_line) {
  if (trim_left(line).empty()) return SampleLine::blank;
  if (line.front() == '#') return SampleLine::comment;
  const bool indented = is_blank(line.front());
  // Frames are indented, and headers only where a sample is one line: perf then aligns the comms,
  // with spaces, and what follows them may look like the rest of a frame:
  //
  //   sleep  2705 [001] 28690.326844: raw_syscalls:sys_enter: NR 35 (7ffc, 0, 0, 0, 0, 0)
  if (!indented || ends_like_header(line) || (after_one_line && line.front() == ' ')) {
    PerfRecord ahead;
    std::string_view rest;
    const HeaderForm form = parse_header(line, ahead, rest);
    if (form != HeaderForm::none &&
        (form != HeaderForm::vague || (!indented && !looks_like_frame(line))))
      return SampleLine::header;
  }
  FrameText frame;
  return split_frame(line, frame) && is_hex(frame.address) ? SampleLine::frame : SampleLine::other;
}

PerfScriptReader::PerfScriptReader(const std::string& path, bool source_lines)
    : lines_(path), source_lines_(source_lines) {}

PerfScriptReader::PerfScriptReader(ByteSource&& source, bool source_lines)
    : lines_(std::move(source)), source_lines_(source_lines) {}

void PerfScriptReader::read(LineBlock& block) {
  lines_.read(block);
  blank_ = searched_ = refused_ = peeked_end_ = 0;
}

std::string PerfScriptReader::place(const PerfRecord& record) const {
  return format("%s:%llu", name().c_str(), static_cast<unsigned long long>(record.line));
}

void PerfScriptReader::fail(const char* what) const {
  throw Error(lines_.place() + ": " + what);
}

void PerfScriptReader::note_unrecognised() {
  if (unrecognised_++ == 0) first_unrecognised_ = lines_.line_number();
}

void PerfScriptReader::add_unrecognised(uint64_t count, uint64_t first) {
  if (count == 0) return;
  if (unrecognised_ == 0 || first < first_unrecognised_) first_unrecognised_ = first;
  unrecognised_ += count;
}

void PassedOver::add(const PassedOver& more) {
  if (more.headers == 0) return;
  if (headers == 0 || more.first_line < first_line) {
    first_line = more.first_line;
    column = more.column;
  }
  headers += more.headers;
}

void PerfScriptReader::note_cut() {
  ++cuts_;
  cut_line_ = whole_line_;
  recording_ = false;
}

// Reads the next line into line_; false at the end. A recording's last line without a newline was
// cut, and is no line.
bool PerfScriptReader::read_line() {
  if (pending_) {
    pending_ = false;
    return true;
  }
  if (!lines_.next(line_)) return false;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (lines_.line_number() == 1) {
    if (line_.starts_with("PERFILE2")) throw Error(name() + ": is perf.data, not text");
    // a recording that was cut inside of its first line
    if (!lines_.terminated() && !line_.empty() && dialect_ != nullptr &&
        dialect_->first_line.starts_with(line_))
      recording_ = true;
  }
  return lines_.terminated() || !recording_;
}

bool PerfScriptReader::next(PerfRecord& record) {
  if (comment_line_ != 0) whole_line_ = std::exchange(comment_line_, 0);
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
      record.is_sample = false;
      comment_line_ = lines_.line_number();
      return true;
    }
    // a copy: reading the frames may overwrite the line
    header_.assign(line_);
    std::string_view rest;
    const HeaderForm form = parse_plain_header(header_, record)
                                ? HeaderForm::plain
                                : parse_header(header_, record, rest);
    if (form == HeaderForm::other && !recording_) continue;
    if (recording_ && ((form != HeaderForm::plain && form != HeaderForm::with_rest) ||
                       !record.passed_over.empty()))
      fail("expected a sample, a comment or a blank line");
    if (form == HeaderForm::none || (form == HeaderForm::vague && looks_like_frame(header_))) {
      note_unrecognised();
      continue;
    }
    if (recording_ && record.event.starts_with(dialect_->full_events) &&
        (!record.has_pid || !record.cpu || !record.time || !record.period))
      fail("expected 'comm pid/tid [device] time: count event:'");
    if (!record.passed_over.empty())
      passed_over_.add({1, lines_.line_number(), std::string(record.passed_over)});
    blanks_ = 0;
    record.is_sample = true;
    record.text = header_;
    text_.clear();
    pieces_.clear();
    // perf record without -g: the only frame is in the header's line
    closed_ = form == HeaderForm::with_rest && looks_like_frame(rest);
    record.arguments = form == HeaderForm::with_rest && !closed_ ? rest : std::string_view();
    if (closed_) {
      add_frame(rest);
      if (source_lines_ && !recording_) read_source_line(false);
    }
    if (read_sample(record)) return true;
  }
  if (recording_ || after_end_) note_cut();
  after_end_ = false;
  return false;
}

bool PerfScriptReader::peek(PerfRecord& record, SampleText& sample) {
  if (recording_ || pending_ || source_lines_ || lines_.line_number() == 0) return false;
  for (;;) {
    const uint64_t start = lines_.offset();
    if (start < refused_) return false;
    const std::string_view text = lines_.ahead();
    if (!text.empty() && (text.front() == '#' || text.front() == '\n')) return false;
    const size_t header_end = text.find('\n');
    if (header_end != std::string_view::npos) {
      if (!parse_plain_header(text.substr(0, header_end), record)) return false;
      const uint64_t from = std::max(start + header_end, searched_);
      if (blank_ < start + header_end) {
        const size_t pair = find_pair(text.substr(from - start), '\n', '\n');
        if (pair != std::string_view::npos)
          blank_ = searched_ = from + pair;
        else
          searched_ = start + text.size() - 1;
      }
      if (blank_ >= start + header_end) {
        sample.size = blank_ + 2 - start;
        if (sample.size > kMaxPeek) break;
        const size_t frames = header_end + 1;
        const size_t leaf_end = std::min(text.find('\n', frames), sample.size - 1);
        sample.leaf = blank_ + 1 > start + frames ? text.substr(frames, leaf_end - frames)
                                                  : std::string_view();
        sample.callers = leaf_end + 2 < sample.size
                             ? text.substr(leaf_end + 1, sample.size - 2 - leaf_end)
                             : std::string_view();
        record.line = lines_.line_number() + 1;
        record.text = text.substr(0, header_end);
        record.is_sample = true;
        record.recorded = false;
        peeked_end_ = start + sample.size;
        return true;
      }
    }
    if (!lines_.read_ahead()) break;
  }
  refused_ = blank_ < lines_.offset() ? searched_ : blank_;
  return false;
}

void PerfScriptReader::skip(const SampleText& sample, uint64_t lines) {
  lines_.skip(sample.size, lines);
  blanks_ = 0;
  whole_line_ = lines_.line_number();
}

// A recording may begin with `#gpustall 1` or `# gpustall 1`; perf script --header prints
// `# clockid: …`.
bool PerfScriptReader::sets_mode(std::string_view text) const {
  const std::string_view word = dialect_ != nullptr ? dialect_->word : "clockid";
  // a search for '#' alone is faster than one for "\n#", and lines seldom hold one
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::string_view line = trim_left(text.substr(at + 1));
    if (line.starts_with(word) || line.starts_with("clockid")) return true;
  }
  return false;
}

bool PerfScriptReader::between_samples() const {
  return !recording_ && !pending_ && !after_end_ && !source_lines_ && lines_.line_number() > 0;
}

bool PerfScriptReader::split_off(LineBlock& out) {
  // a pipe fills the buffer in steps
  while (lines_.read_ahead()) {
  }
  const std::string_view text = lines_.ahead();
  const size_t blank = text.rfind("\n\n");
  if (blank == std::string_view::npos) return false;
  const std::string_view whole = text.substr(0, blank + 2);
  if (whole.size() > kMaxPeek || sets_mode(whole)) return false;
  lines_.split_off(whole.size(), out);
  return true;
}

void PerfScriptReader::continue_after(uint64_t line_number) {
  lines_.continue_after(line_number);
  blanks_ = 0;
  whole_line_ = line_number;
}

void PerfScriptReader::add_frame(std::string_view line) {
  if (pieces_.size() >= kMaxFrames || text_.size() + line.size() > kMaxSample)
    fail("a sample of more than 65536 frames or 64 MiB");
  pieces_.push_back({text_.size(), line.size(), false});
  text_.append(line);
}

// Reads the line that -F +srcline adds to a frame, if it is there:
//
// \t    7f01 leaf+0x10 (/usr/bin/app)
//   leaf.c:10
// \t    7f02 [unknown] ([unknown])
// \t    7f03 run+0x3 (/usr/bin/app)
//   run.c:99
//
// perf prints none where it knows none. It begins with two blanks, and frames with a tab; where the
// tabs were lost, the line is one that is no frame.
void PerfScriptReader::read_source_line(bool after_tab) {
  if (!read_line()) return;
  const bool is_source = !line_.empty() && line_.front() != '\t' && line_.front() != '#' &&
                         is_blank(line_.front()) &&
                         (after_tab || sample_line(line_, false) != SampleLine::frame);
  if (!is_source) {
    pending_ = true;
    return;
  }
  add_frame(line_);
  pieces_.back().source = true;
}

bool PerfScriptReader::read_sample(PerfRecord& record) {
  while (!closed_ && read_line()) {
    if (trim_left(line_).empty()) {
      whole_line_ = lines_.line_number();
      closed_ = true;
      break;
    }
    if (line_.front() == '#') {
      if (dialect_ == nullptr || !line_.starts_with(dialect_->opening)) {
        if (recording_) fail("expected a frame or a blank line");
        continue;
      }
      pending_ = true;
      if (recording_) {
        note_cut();  // this sample is not whole
        return false;
      }
      break;
    }
    if (recording_) {
      FrameText frame;
      if (!split_frame(line_, frame) || !frame.has_object || !is_hex(frame.address))
        fail("expected a frame or a blank line");
    } else {
      const SampleLine form = sample_line(line_, pieces_.empty() && may_be_one_line(record));
      if (form == SampleLine::header) {
        pending_ = true;
        break;
      }
      if (form != SampleLine::frame) {
        note_unrecognised();
        continue;
      }
    }
    const bool has_tab = line_.front() == '\t';
    add_frame(line_);
    // a recording has no source lines
    if (source_lines_ && !recording_) read_source_line(has_tab);
  }
  if (recording_ && !closed_) return false;  // cut: next() reports it
  closed_ = false;
  finish_sample(record);
  return true;
}

void PerfScriptReader::finish_sample(PerfRecord& record) {
  for (const Piece& piece : pieces_) {
    const std::string_view line(text_.data() + piece.begin, piece.size);
    if (piece.source) {
      record.sources.resize(record.frames.size());
      record.sources.back() = trim(line);
    } else {
      record.frames.push_back(line);
    }
  }
  if (source_lines_) record.sources.resize(record.frames.size());
}

void PerfScriptReader::begin_recording() {
  if (recording_) note_cut();
  recording_ = true;
  after_end_ = false;
}

void PerfScriptReader::end_recording() {
  recording_ = false;
  after_end_ = true;
}

}  // namespace aiflame
