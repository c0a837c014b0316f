// SPDX-License-Identifier: MIT
// Reads the text of `perf script` and its dialect gpustall(5), one record at a time.
//
//   matmul 4711/4713 [000]  5012.010000000:         57 gpu-stall:        a sample's header
//                  0 sbid ([stall])                                      its frames, leaf first
//       800000001430 multiply_basic+0xa30 (/home/u/objects/3f2a.zebin)
//                                                                        a blank line ends it
//   # launched 17 1 0.009120000                                          gpustall(5): comment lines
//
// Inside a gpustall recording (from `# gpustall 1` to `# end`) what is not understood is an error
// with its line, and what a cut has left unfinished is dropped. Any other text is read as
// stackcollapse-perf.pl reads it: odd lines are counted, the last sample needs no blank line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/perf_script/frame_line.h"
#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// What a line between a header and a blank line is, outside of recordings.
enum class SampleLine { frame, header, comment, blank, other };
SampleLine sample_line(std::string_view line);

// A sample as it stands in the input: what PerfScriptReader::peek() shows.
struct SampleText {
  std::string_view leaf;  // the first frame line, without its newline; nothing where there is none
  std::string_view callers;  // the other frame lines, newlines and all
  size_t size = 0;           // of all of it: header, frame lines, blank line
};

class PerfScriptReader {
 public:
  // `source_lines`: each frame is followed by a line of its own (perf script -F +srcline).
  explicit PerfScriptReader(const std::string& path, bool source_lines = false);
  explicit PerfScriptReader(ByteSource&& source, bool source_lines = false);
  // Of what another reader has cut() alone, by read().
  PerfScriptReader() = default;
  // Goes on with the samples of a block; what was counted of the one before stays.
  void read(LineBlock& block);

  // Throws Error("path:line: …") where a recording is malformed, or the input is perf.data.
  bool next(PerfRecord& record);

  // The next sample, unread, for one who knows such lines already: the fields of its header, and
  // its lines as they stand. If each of them is a frame (sample_line()), skip() may step over it,
  // and nothing is different from next() having read it; if not, refuse(). False where only next()
  // can tell: in recordings, at comments, at headers that are not as usual, where the blank line is
  // far away.
  bool peek(PerfRecord& record, SampleText& sample);
  // `lines`: how many the sample has, with its header and its blank line.
  void skip(const SampleText& sample, uint64_t lines);
  // One of its lines is no frame: peek() says false until they are behind.
  void refuse() { refused_ = peeked_end_; }

  // How much of the input was read.
  uint64_t offset() const { return lines_.offset(); }
  uint64_t line_number() const { return lines_.line_number(); }

  // For PerfScriptPieces. Whether what comes next is perf script text, and no part of a sample.
  bool between_samples() const;
  // The next samples, whole, as many as the buffer has, for another reader; their lines are not
  // counted. False where only next() can go on: before a line that sets_mode(), near the end, where
  // blank lines are far apart.
  bool cut(LineBlock& out);
  // Whether read_at() reads the file, for any thread.
  bool seekable() const { return lines_.seekable(); }
  size_t read_at(uint64_t offset, char* data, size_t size) {
    return lines_.read_at(offset, data, size);
  }
  // Goes on at an offset of the file.
  void seek(uint64_t offset) { lines_.seek(offset); }
  // Says up to which line others have read, between samples.
  void go_on_behind(uint64_t line_number);
  // Does `text`, which begins with a line, say how to read what is behind it?
  static bool sets_mode(std::string_view text);

  const std::string& name() const { return lines_.name(); }
  // "path:line" of a record.
  std::string place(const PerfRecord& record) const;
  // Recordings that ended early, and the line up to which the last one of them was read.
  unsigned cuts() const { return cuts_; }
  uint64_t cut_line() const { return cut_line_; }
  // Lines outside recordings that were no part of a sample.
  uint64_t unrecognised() const { return unrecognised_; }
  uint64_t first_unrecognised() const { return first_unrecognised_; }
  // Adds those that another reader has come upon in this input.
  void add_unrecognised(uint64_t count, uint64_t first);

 private:
  bool read_line();
  bool read_sample(PerfRecord& record);
  void add_frame(std::string_view line);
  void finish_sample(PerfRecord& record);
  void read_comment(PerfRecord& record);
  void note_unrecognised();
  void note_cut();
  [[noreturn]] void fail(const char* what) const;

  LineReader lines_;
  bool source_lines_ = false;
  std::string_view line_;   // the current line, without '\r'
  bool pending_ = false;    // line_ was read, but belongs to the next record
  bool recording_ = false;  // between `# gpustall 1` and `# end`
  bool after_end_ = false;  // `# end` was the last record, and has no blank line behind it yet
  bool closed_ = false;     // the current sample is complete with its header line
  unsigned blanks_ = 0;
  unsigned cuts_ = 0;
  uint64_t cut_line_ = 0, whole_line_ = 0;
  uint64_t unrecognised_ = 0, first_unrecognised_ = 0;

  // Offsets in the input. blank_ is the newline in front of the first blank line behind the place
  // where it was searched for; there is no other before searched_. Nothing is peeked at before
  // refused_, so that no stretch without blank lines is searched or hashed again for each sample.
  uint64_t blank_ = 0, searched_ = 0, refused_ = 0;
  uint64_t peeked_end_ = 0;  // of the sample shown

  // The sample being read: its header; its other lines one after another, and where each begins.
  std::string header_, text_;
  struct Piece {
    size_t begin, size;
    bool source;
  };
  std::vector<Piece> pieces_;
};

}  // namespace aiflame
