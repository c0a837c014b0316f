// SPDX-License-Identifier: MIT
// Reads the text of `perf script`, one record at a time.
//
//   matmul 4711/4713 [000]  5012.010000000:     250000 cycles:u:         a sample's header
//             4012ab run_basic(float*)+0x2b (/home/u/matmul)             its frames, leaf first
//             401180 main+0x40 (/home/u/matmul)
//                                                                        a blank line ends it
//   # captured on    : Sun Nov 22 17:21:27 2026                          comment lines
//
// The text is read as stackcollapse-perf.pl reads it: lines that fit nowhere are counted and
// skipped, and the last sample needs no blank line. A dialect, gpustall(5), may mark parts of the
// text as its recordings. Inside of those a line that fits nowhere is an error with its line
// number, and a sample that a cut has left unfinished is dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/perf_script/frame_line.h"
#include "libcommon/perf_script/script_record.h"

namespace aiflame {

// The kinds of lines between a header and a blank line, outside of recordings. `after_one_line`:
// the line may follow a sample of one line, so that an indented one may be a header.
enum class SampleLine { frame, header, comment, blank, other };
SampleLine sample_line(std::string_view line, bool after_one_line);

// How a dialect marks its recordings. The words are data, so that no virtual function is called for
// each line.
struct ScriptDialect {
  std::string_view word;         // first word of the comment that begins a recording
  std::string_view opening;      // how that comment usually begins; it then ends an open sample
  std::string_view first_line;   // the whole comment
  std::string_view full_events;  // samples of events with this prefix must have every header field
};

// A sample as it stands in the input: what PerfScriptReader::peek() shows.
struct SampleText {
  std::string_view leaf;  // the first frame line, without its newline; nothing where there is none
  std::string_view callers;  // the other frame lines, newlines and all
  size_t size = 0;           // of the whole sample: header, frame lines, blank line
};

// Headers of samples with columns that are not known, and the first of them.
struct PassedOver {
  uint64_t headers = 0, first_line = 0;
  std::string column;
  void add(const PassedOver& more);
};

class PerfScriptReader {
 public:
  // `source_lines`: outside of recordings, frames whose source line perf knows are followed by a
  // line of its own (perf script -F +srcline).
  explicit PerfScriptReader(const std::string& path, bool source_lines = false);
  explicit PerfScriptReader(ByteSource&& source, bool source_lines = false);
  // Continues with the samples of a block that another reader has split_off(). The counts of
  // unrecognised lines go on.
  void read(LineBlock& block);

  // False at the end. Throws Error("path:line: …") where a recording is malformed, or the input is
  // perf.data.
  [[nodiscard]] bool next(PerfRecord& record);

  // Shows the next sample without reading it, for a caller that may know its lines already: the
  // header's fields in `record`, the other lines unchanged in `sample`. If each of those lines is a
  // frame (sample_line()), the caller may skip() the sample, with the same effect as next(). If one
  // is not, the caller must refuse(). False where only next() can read on: in recordings, at
  // comments, at unusual headers, where the next blank line is far away.
  [[nodiscard]] bool peek(PerfRecord& record, SampleText& sample);
  // `lines`: the number of the sample's lines, with its header and its blank line.
  void skip(const SampleText& sample, uint64_t lines);
  // peek() returns false until next() has read the sample that was shown.
  void refuse() { refused_ = peeked_end_; }

  // Bytes of the input that were read.
  uint64_t offset() const { return lines_.offset(); }
  uint64_t line_number() const { return lines_.line_number(); }

  // For PerfScriptPieces. Whether the reader is in plain text, and not inside of a sample.
  bool between_samples() const;
  // Hands the next whole samples, as many as the buffer has, to another reader, without counting
  // their lines. False where only next() can read on: at a line that sets_mode(), near the end,
  // where blank lines are far apart.
  [[nodiscard]] bool split_off(LineBlock& out);
  // Whether any thread may read the file by read_at().
  bool seekable() const { return lines_.seekable(); }
  size_t read_at(uint64_t offset, char* data, size_t size) {
    return lines_.read_at(offset, data, size);
  }
  // Continues at an offset of the file.
  void seek(uint64_t offset) { lines_.seek(offset); }
  // Other readers have read up to this line, the last one of a sample.
  void continue_after(uint64_t line_number);
  // Whether a line of `text`, which begins with a line, changes how the lines after it are read.
  bool sets_mode(std::string_view text) const;

  const std::string& name() const { return lines_.name(); }
  // "path:line" of a record, for error messages.
  std::string place(const PerfRecord& record) const;
  // Recordings that were cut short, and the line up to which the last one of them was read.
  unsigned cuts() const { return cuts_; }
  uint64_t cut_line() const { return cut_line_; }
  // Lines outside of recordings that fit nowhere.
  uint64_t unrecognised() const { return unrecognised_; }
  uint64_t first_unrecognised() const { return first_unrecognised_; }
  const PassedOver& passed_over() const { return passed_over_; }
  // Adds those that another reader has found in this input.
  void add_unrecognised(uint64_t count, uint64_t first);
  void add_passed_over(const PassedOver& more) { passed_over_.add(more); }

 protected:
  // For the reader of a dialect, which calls these when next() has returned a comment.
  PerfScriptReader(const std::string& path, bool source_lines, const ScriptDialect* dialect)
      : lines_(path), source_lines_(source_lines), dialect_(dialect) {}
  PerfScriptReader(ByteSource&& source, bool source_lines, const ScriptDialect* dialect)
      : lines_(std::move(source)), source_lines_(source_lines), dialect_(dialect) {}
  explicit PerfScriptReader(const ScriptDialect* dialect) : dialect_(dialect) {}
  // The comment begins a recording. One that was open is cut short.
  void begin_recording();
  // The comment ends the recording.
  void end_recording();
  // Throws Error("path:line: what"), of the line read last.
  [[noreturn]] void fail(const char* what) const;

 private:
  [[nodiscard]] bool read_line();
  [[nodiscard]] bool read_sample(PerfRecord& record);
  void add_frame(std::string_view line);
  void read_source_line(bool after_tab);
  void finish_sample(PerfRecord& record);
  void note_unrecognised();
  void note_cut();

  LineReader lines_;
  bool source_lines_ = false;
  const ScriptDialect* dialect_ = nullptr;  // or null: plain perf script
  std::string_view line_;                   // the current line, without '\r'
  bool pending_ = false;                    // line_ was read, but belongs to the next record
  bool recording_ = false;                  // inside of a dialect's recording
  bool after_end_ = false;  // its end was the last record, and no blank line has followed yet
  bool closed_ = false;     // the current sample is complete with its header line
  unsigned blanks_ = 0;
  unsigned cuts_ = 0;
  // The line up to which all records were whole. A comment counts from the next next() on, so that
  // begin_recording() still knows where the recording before it ended.
  uint64_t whole_line_ = 0;
  uint64_t comment_line_ = 0, cut_line_ = 0;
  uint64_t unrecognised_ = 0, first_unrecognised_ = 0;
  PassedOver passed_over_;

  // Offsets in the input. blank_ is the newline right before the first blank line that the last
  // search found. That search found no other blank line before searched_. peek() shows nothing that
  // begins before refused_, so that a stretch without blank lines is searched and hashed only once.
  uint64_t blank_ = 0, searched_ = 0, refused_ = 0;
  uint64_t peeked_end_ = 0;  // end of the sample shown

  // The sample being read: its header; the text of its other lines, and the place of each in it.
  std::string header_, text_;
  struct Piece {
    size_t begin, size;
    bool source;
  };
  std::vector<Piece> pieces_;
};

}  // namespace aiflame
