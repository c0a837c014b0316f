// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/gpustall_writer.h"

#include <charconv>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"

namespace aiflame {
namespace {

// Appends a number. printf takes several times as long, and a recording is thousands of records a
// second, written on the processors that the recorded program needs.
void append(std::string& line, uint64_t number, int base = 10, size_t width = 0, char fill = ' ') {
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  const auto length = static_cast<size_t>(end - digits);
  if (length < width) line.append(width - length, fill);
  line.append(digits, length);
}

void append_hex(std::string& line, uint64_t number) {
  line += "0x";
  append(line, number, 16);
}

void append_seconds(std::string& line, uint64_t ns, size_t width) {
  append(line, ns / 1000000000, 10, width);
  line += '.';
  append(line, ns % 1000000000, 10, 9, '0');
}

}  // namespace

std::string gpustall_comm(std::string_view comm) {
  if (comm.empty()) return "?";
  std::string out;
  while (!comm.empty()) {
    std::string_view rest = comm;
    take_code_point(rest);
    const std::string_view character = comm.substr(0, comm.size() - rest.size());
    // a leading '#' would turn the record into a comment, a leading blank into a frame
    const bool begins = out.empty() && (comm[0] == '#' || comm[0] == ' ');
    if (begins || !is_printable(character))
      out += '?';
    else
      out += character;
    comm = rest;
  }
  // a reader would take a blank at the end for the separator
  if (out.back() == ' ') out.back() = '?';
  return out;
}

std::string gpustall_seconds(uint64_t ns) {
  std::string out;
  append_seconds(out, ns, 0);
  return out;
}

void GpustallWriter::put(std::string_view text) {
  if (out_ != nullptr)
    out_->write(text);
  else
    text_ += text;
}

void GpustallWriter::flush() {
  if (out_ != nullptr) out_->flush();
}

void GpustallWriter::comment(const std::string& text) {
  put("# ");
  put(text);
  put("\n");
  after_comment_ = true;
}

void GpustallWriter::add_comments(std::string_view lines) {
  if (lines.empty()) return;
  put(lines);
  after_comment_ = true;
}

void GpustallWriter::begin() {
  written_ = RecordingCounts();
  launch_ = kNotWritten;
  comment(format("gpustall %u", kGpustallVersion));
}

void GpustallWriter::header(std::string_view text) {
  comment(printable(text));
}

// Sets line_ to `COMM PID/TID [DEVICE] TIME: `.
void GpustallWriter::origin_text(const GpustallOrigin& origin) {
  line_ = gpustall_comm(origin.comm);
  line_ += ' ';
  append(line_, origin.pid);
  line_ += '/';
  append(line_, origin.tid);
  line_ += " [";
  append(line_, origin.device, 10, 3, '0');
  line_ += "] ";
  append_seconds(line_, origin.time, 5);
  line_ += ": ";
}

// Writes the comment `PERF_RECORD_… PID/TID: [ADDRESS(BYTES)`, `more`, `]: r-xp PATH`.
void GpustallWriter::mapping(const GpustallOrigin& origin, std::string_view record,
                             uint64_t address, uint64_t bytes, const std::string& more,
                             std::string_view path) {
  origin_text(origin);
  line_ += record;
  line_ += ' ';
  append(line_, origin.pid);
  line_ += '/';
  append(line_, origin.tid);
  line_ += ": [";
  append_hex(line_, address);
  line_ += '(';
  append_hex(line_, bytes);
  line_ += ')';
  line_ += more;
  line_ += "]: r-xp ";
  append_printable(line_, path);
  comment(line_);
}

void GpustallWriter::load(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                          uint64_t file_offset, std::string_view path) {
  std::string more = " @ ";
  append_hex(more, file_offset);
  more += " 00:00 0 0";  // device and inode, which no reader needs
  mapping(origin, "PERF_RECORD_MMAP2", address, bytes, more, path);
}

void GpustallWriter::unload(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                            std::string_view path) {
  mapping(origin, "PERF_RECORD_MUNMAP", address, bytes, "", path);
}

void GpustallWriter::slice(uint64_t start, uint64_t end) {
  line_ = "slice ";
  append_seconds(line_, start, 0);
  line_ += ' ';
  append_seconds(line_, end, 0);
  comment(line_);
  launch_ = kNotWritten;
}

void GpustallWriter::state(uint32_t launch) {
  if (launch_ == launch) return;
  launch_ = launch;
  line_ = "launch ";
  if (launch == 0)
    line_ += '?';
  else
    append(line_, launch);
  comment(line_);
}

void GpustallWriter::record(const GpustallOrigin& origin, uint64_t period, std::string_view event,
                            const std::vector<GpustallFrame>& frames) {
  // the blank line ends the comments for readers that do not know them
  if (after_comment_) put("\n");
  after_comment_ = false;
  origin_text(origin);
  append(line_, period, 10, 10);
  line_ += ' ';
  line_ += event;
  line_ += ": \n";
  for (const GpustallFrame& frame : frames) {
    line_ += '\t';
    append(line_, frame.address, 16, 16);
    line_ += ' ';
    append_printable(line_, frame.symbol);
    if (frame.offset != GpustallFrame::kNoOffset) {
      line_ += '+';
      append_hex(line_, frame.offset);
    }
    line_ += " (";
    append_printable(line_, frame.object);
    line_ += ")\n";
  }
  line_ += '\n';
  put(line_);
}

void GpustallWriter::launch(uint32_t number, const GpustallOrigin& origin,
                            const std::vector<GpustallFrame>& frames, std::string_view event) {
  // always written: it numbers the record that follows
  launch_ = kNotWritten;
  state(number);
  record(origin, 1, event, frames);
}

void GpustallWriter::size(uint32_t number, const LaunchSize& size) {
  line_ = "size ";
  append(line_, number);
  line_ += ' ';
  line_ += launch_size_text(size);
  comment(line_);
}

void GpustallWriter::launched(uint32_t number, uint64_t count, uint64_t busy_ns) {
  add_saturating(written_.launches, count);
  line_ = "launched ";
  append(line_, number);
  line_ += ' ';
  append(line_, count);
  line_ += ' ';
  if (busy_ns == kUnknown)
    line_ += '-';
  else
    append_seconds(line_, busy_ns, 0);
  comment(line_);
}

void GpustallWriter::hidden(uint32_t number, uint64_t ns) {
  line_ = "hidden ";
  append(line_, number);
  line_ += ' ';
  append_seconds(line_, ns, 0);
  comment(line_);
}

void GpustallWriter::waited(uint32_t number, uint64_t count, uint64_t ns) {
  line_ = "waited ";
  append(line_, number);
  line_ += ' ';
  append(line_, count);
  line_ += ' ';
  append_seconds(line_, ns, 0);
  comment(line_);
}

void GpustallWriter::idle(uint32_t device, IdleKind kind, uint32_t number, uint64_t count,
                          uint64_t ns) {
  line_ = "idle ";
  append(line_, device);
  line_ += ' ';
  line_ += idle_word(kind);
  line_ += ' ';
  if (number == 0)
    line_ += '?';
  else
    append(line_, number);
  line_ += ' ';
  append(line_, count);
  line_ += ' ';
  append_seconds(line_, ns, 0);
  comment(line_);
}

void GpustallWriter::allocated(uint32_t number, uint64_t time, uint64_t address, uint64_t bytes) {
  add_saturating(written_.memory, 1);
  line_ = "allocated ";
  append(line_, number);
  line_ += ' ';
  append_seconds(line_, time, 0);
  line_ += ' ';
  append_hex(line_, address);
  line_ += ' ';
  append(line_, bytes);
  comment(line_);
}

void GpustallWriter::freed(uint32_t pid, uint32_t device, uint64_t time, uint64_t address,
                           uint64_t bytes) {
  add_saturating(written_.memory, 1);
  line_ = "freed ";
  append(line_, pid);
  line_ += ' ';
  append(line_, device);
  line_ += ' ';
  append_seconds(line_, time, 0);
  line_ += ' ';
  append_hex(line_, address);
  line_ += ' ';
  if (bytes == kUnknown)
    line_ += '?';
  else
    append(line_, bytes);
  comment(line_);
}

void GpustallWriter::released(uint32_t pid, uint64_t time) {
  line_ = "released ";
  append(line_, pid);
  line_ += ' ';
  append_seconds(line_, time, 0);
  comment(line_);
}

void GpustallWriter::sample(uint32_t launch, const GpustallOrigin& origin, uint64_t count,
                            std::string_view event, const std::vector<GpustallFrame>& frames) {
  if (event != kExposedEvent) add_saturating(written_.samples, count);
  state(launch);
  record(origin, count, event, frames);
}

void GpustallWriter::lost(const GpustallOrigin& origin, uint64_t count, std::string_view what) {
  written_.add_loss(what, count);
  origin_text(origin);
  line_ += "PERF_RECORD_LOST lost ";
  if (count == kUnknown)
    line_ += '?';
  else
    append(line_, count);
  if (!what.empty()) {
    line_ += ' ';
    line_ += what;
  }
  comment(line_);
}

void GpustallWriter::end_of(const RecordingCounts& counts) {
  line_ = "end samples ";
  append(line_, counts.samples);
  line_ += " launches ";
  append(line_, counts.launches);
  line_ += " lost ";
  if (counts.lost_unknown > 0 || counts.lost == kUnknown)
    line_ += '?';
  else
    append(line_, counts.lost);
  comment(line_);
  put("\n");
  after_comment_ = false;
}

}  // namespace aiflame
