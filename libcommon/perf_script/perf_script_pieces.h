// SPDX-License-Identifier: MIT
// Cuts perf script text into pieces of whole samples, for several threads at once.
//
// A file is cut at every 128 KiB, and each cut is moved to the end of the next blank line. Each
// thread finds that line itself, so no thread waits until another one has read. A pipe, or
// decompressed text, has one reader at a time.
//
// A piece can be read alone as long as no line of it changes how the lines after it are read
// (PerfScriptReader::sets_mode()). A thread that finds such a line in a file gives all pieces up.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/perf_script/perf_script.h"

namespace aiflame {

struct PerfScriptPiece {
  uint64_t number = 0;  // from 0, in the order of the input
  LineBlock block;
};

class PerfScriptPieces {
 public:
  // Cuts the text that follows the reader's last record.
  explicit PerfScriptPieces(PerfScriptReader& reader);

  // The next piece, for any thread to read; false when the rest is for the reader. The piece's
  // buffer is used again. Line numbers in a piece are in the order of the input, but have gaps: see
  // line().
  [[nodiscard]] bool next(PerfScriptPiece& piece);
  // Must be called for each piece, after it was read: the number of its lines.
  void has_lines(const PerfScriptPiece& piece, uint64_t lines);
  // Ends the cutting.
  void stop();
  // Ends the cutting, and the results of all pieces must be dropped: given_up() is true.
  void give_up();

  // Call it when all threads are done: moves the reader to the end of the pieces, or leaves it at
  // their beginning if they were given up. Only a file's pieces can be given up: every line of a
  // pipe is examined before it is cut.
  void finish();
  bool given_up() const { return given_up_; }
  // The line number in the input for a line number in a piece. After finish().
  uint64_t line(uint64_t number_in_piece) const;

 private:
  [[nodiscard]] bool read_range(PerfScriptPiece& piece);

  PerfScriptReader& reader_;
  const uint64_t start_, start_line_;
  const bool ranges_;  // the input is a file: threads read their ranges of it

  std::mutex mutex_;  // guards all below
  uint64_t claimed_ = 0;
  bool stopped_ = false, given_up_ = false;
  uint64_t ended_ = UINT64_MAX;  // the first piece that has reached the file's end
  uint64_t last_ = 0;            // the last piece with text
  uint64_t end_ = 0;             // the end of that text in the file
  std::vector<uint64_t> lines_;  // of each piece; after finish(), of all pieces before it
};

}  // namespace aiflame
