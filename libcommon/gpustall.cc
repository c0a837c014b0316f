// SPDX-License-Identifier: MIT
#include "libcommon/gpustall.h"

#include <cinttypes>

#include "libcommon/program.h"

namespace aiflame {
namespace {

// The length of the valid UTF-8 sequence at the front of `text`; 0 when there is none. Overlong
// forms, surrogates and what is beyond U+10FFFF are not valid (RFC 3629).
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = 0;
  unsigned char low = 0x80, high = 0xbf;  // bounds of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return length;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string gpustall_comm(std::string_view comm) {
  if (comm.empty()) return "?";
  std::string out;
  while (!comm.empty()) {
    const size_t length = utf8_length(comm);
    // a leading '#' would make the record a comment, a leading blank a frame
    const bool bad =
        length == 0 || is_control(comm[0]) || (out.empty() && (comm[0] == '#' || comm[0] == ' '));
    if (bad)
      out += '?';
    else
      out += comm.substr(0, length);
    comm.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string gpustall_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_control(c))
      out += format("\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out;
}

std::string gpustall_seconds(uint64_t ns) {
  return format("%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

void GpustallWriter::comment(const std::string& text) {
  out_.write("# ");
  out_.write(text);
  out_.write("\n");
  after_comment_ = true;
}

void GpustallWriter::begin() {
  launch_ = kNotSaid;
  comment(format("gpustall %u", kGpustallVersion));
}

void GpustallWriter::header(std::string_view text) {
  comment(gpustall_text(text));
}

void GpustallWriter::origin_text(const GpustallOrigin& origin) {
  line_ = gpustall_comm(origin.comm);
  line_ += format(" %u/%u [%03u] %5" PRIu64 ".%09" PRIu64 ": ", origin.pid, origin.tid,
                  origin.device, origin.time / 1000000000, origin.time % 1000000000);
}

void GpustallWriter::load(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                          uint64_t file_offset, std::string_view path) {
  origin_text(origin);
  line_ += format("PERF_RECORD_MMAP2 %u/%u: [0x%" PRIx64 "(0x%" PRIx64 ") @ 0x%" PRIx64
                  " 00:00 0 0]: r-xp ",
                  origin.pid, origin.tid, address, bytes, file_offset);
  line_ += gpustall_text(path);
  comment(line_);
}

void GpustallWriter::unload(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                            std::string_view path) {
  origin_text(origin);
  line_ += format("PERF_RECORD_MUNMAP %u/%u: [0x%" PRIx64 "(0x%" PRIx64 ")]: r-xp ", origin.pid,
                  origin.tid, address, bytes);
  line_ += gpustall_text(path);
  comment(line_);
}

void GpustallWriter::slice(uint64_t start, uint64_t end) {
  comment("slice " + gpustall_seconds(start) + " " + gpustall_seconds(end));
  launch_ = kNotSaid;
}

void GpustallWriter::state(uint32_t launch) {
  if (launch_ == launch) return;
  launch_ = launch;
  comment(launch == 0 ? "launch ?" : format("launch %u", launch));
}

void GpustallWriter::record(const GpustallOrigin& origin, uint64_t period, std::string_view event,
                            const std::vector<GpustallFrame>& frames) {
  // the blank line ends the comments for readers that know nothing of them
  if (after_comment_) out_.write("\n");
  after_comment_ = false;
  origin_text(origin);
  line_ += format("%10" PRIu64 " ", period);
  line_ += event;
  line_ += ": \n";
  for (const GpustallFrame& frame : frames) {
    line_ += format("\t%16" PRIx64 " ", frame.address);
    line_ += gpustall_text(frame.symbol);
    if (frame.offset != GpustallFrame::kNoOffset) line_ += format("+0x%" PRIx64, frame.offset);
    line_ += " (";
    line_ += gpustall_text(frame.object);
    line_ += ")\n";
  }
  line_ += '\n';
  out_.write(line_);
}

void GpustallWriter::launch(uint32_t number, const GpustallOrigin& origin,
                            const std::vector<GpustallFrame>& frames) {
  // always said: it numbers the record that follows
  launch_ = kNotSaid;
  state(number);
  record(origin, 1, "gpu-launch", frames);
}

void GpustallWriter::launched(uint32_t number, uint64_t count, uint64_t busy_ns) {
  comment(format("launched %u %" PRIu64 " %s", number, count,
                 busy_ns == kUnknown ? "-" : gpustall_seconds(busy_ns).c_str()));
}

void GpustallWriter::sample(uint32_t launch, const GpustallOrigin& origin, uint64_t count,
                            std::string_view event, const std::vector<GpustallFrame>& frames) {
  state(launch);
  record(origin, count, event, frames);
}

void GpustallWriter::lost(const GpustallOrigin& origin, uint64_t count, std::string_view what) {
  origin_text(origin);
  line_ += "PERF_RECORD_LOST lost ";
  line_ += count == kUnknown ? "?" : format("%" PRIu64, count);
  if (!what.empty()) line_ += ' ' + std::string(what);
  comment(line_);
}

void GpustallWriter::end(uint64_t samples, uint64_t launches, uint64_t lost) {
  std::string text =
      format("end samples %" PRIu64 " launches %" PRIu64 " lost ", samples, launches);
  text += lost == kUnknown ? "?" : format("%" PRIu64, lost);
  comment(text);
  out_.write("\n");
  after_comment_ = false;
}

}  // namespace aiflame
