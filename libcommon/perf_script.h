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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/input.h"

namespace aiflame {

// A frame line, apart: `ADDRESS SYMBOL (OBJECT)`, the symbol with its `+0x…`.
struct FrameText {
  std::string_view address, symbol, object;
};

// False when the line is not a frame. The object is what the last parenthesis holds, nested ones
// included: `/tmp/x (deleted)`.
bool split_frame(std::string_view line, FrameText& out);

// The same with its numbers.
struct Frame {
  uint64_t address = 0;
  std::string_view symbol;  // without the offset
  bool has_offset = false;
  uint64_t offset = 0;
  std::string_view object;
};

bool parse_frame(std::string_view line, Frame& out);

// Views are valid until the reader's next next().
struct PerfRecord {
  enum class Kind {
    sample,     // comm … event, frames
    recording,  // # gpustall 1
    header,     // # key : value
    mapped,     // PERF_RECORD_MMAP2: comm … time, address, size, file_offset, path
    unmapped,   // PERF_RECORD_MUNMAP: comm … time, address, size, path
    launch,     // # launch N: launch, 0 for `?`
    launched,   // # launched N COUNT BUSY: launch, count, busy
    slice,      // # slice START END
    lost,       // PERF_RECORD_LOST: comm … time, count, of_launches
    end,        // # end samples N launches N lost N
    comment,    // any other line that starts with '#'
  };

  Kind kind = Kind::comment;
  bool recorded = false;  // part of a gpustall recording; else only samples and comments occur
  uint64_t line = 0;      // number of its first line
  unsigned blanks = 0;    // blank lines in front of it, so that a writer can give them back; the
                          // one that ends a sample is the sample's
  std::string_view text;  // its first line as it stands

  std::string_view comm;
  bool has_pid = false;  // `pid/tid`; older perf prints the tid alone
  int64_t pid = 0, tid = 0;
  std::optional<uint64_t> cpu;   // [003]: the CPU, in gpustall(5) the device
  std::optional<uint64_t> time;  // nanoseconds
  std::optional<uint64_t> period;
  std::string_view event;                 // empty where the line does not tell it
  std::string_view arguments;             // of a tracepoint: `(7f2c9a3b1aaa) kernel="iterate"`
  std::vector<std::string_view> frames;   // lines, leaf first: split_frame(), parse_frame()
  std::vector<std::string_view> sources;  // with source_lines: of each frame, trimmed

  uint64_t address = 0, size = 0, file_offset = 0;
  std::string_view path;

  uint64_t launch = 0;
  std::optional<uint64_t> count;  // nothing for `?`
  std::optional<uint64_t> busy;   // nanoseconds; nothing for `-`
  bool of_launches = false;
  uint64_t start = 0, stop = 0;                       // nanoseconds
  std::optional<uint64_t> samples, launches, losses;  // of # end
  std::string_view key, value;
};

class PerfScriptReader {
 public:
  // `source_lines`: each frame is followed by a line of its own (perf script -F +srcline).
  explicit PerfScriptReader(const std::string& path, bool source_lines = false);
  explicit PerfScriptReader(ByteSource&& source, bool source_lines = false);

  // Throws Error("path:line: …") where a recording is malformed, or the input is perf.data.
  bool next(PerfRecord& record);

  const std::string& name() const { return lines_.name(); }
  // "path:line" of a record.
  std::string place(const PerfRecord& record) const;
  // Recordings that ended early, and the line up to which the last one of them was read.
  unsigned cuts() const { return cuts_; }
  uint64_t cut_line() const { return cut_line_; }
  // Lines outside recordings that were no part of a sample.
  uint64_t unrecognised() const { return unrecognised_; }
  uint64_t first_unrecognised() const { return first_unrecognised_; }

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
  bool source_lines_;
  std::string_view line_;   // the current line, without '\r'
  bool pending_ = false;    // line_ was read, but belongs to the next record
  bool recording_ = false;  // between `# gpustall 1` and `# end`
  bool after_end_ = false;  // `# end` was the last record, and has no blank line behind it yet
  bool closed_ = false;     // the current sample is complete with its header line
  unsigned blanks_ = 0;
  unsigned cuts_ = 0;
  uint64_t cut_line_ = 0, whole_line_ = 0;
  uint64_t unrecognised_ = 0, first_unrecognised_ = 0;

  // The sample being read: its header; its other lines one after another, and where each begins.
  std::string header_, text_;
  struct Piece {
    size_t begin, size;
    bool source;
  };
  std::vector<Piece> pieces_;
};

}  // namespace aiflame
