// SPDX-License-Identifier: MIT
// perf script text in pieces of whole samples, for several threads at once.
//
// A file is cut at every 128 KiB, and each cut moved on behind the next blank line, which any
// thread finds for itself: none waits for another's reading. Of a pipe, or of what is decompressed,
// one thread at a time reads the next piece.
//
// A piece is text as long as none of its lines says how to read what is behind it
// (PerfScriptReader::sets_mode()). Whoever comes upon such a line in a file gives all pieces up.
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
  // Of what is behind the reader's last record.
  explicit PerfScriptPieces(PerfScriptReader& reader);

  // The next piece, for any thread, which is to read it; false when there are no more for threads.
  // Its buffer is used again. Lines are numbered in the order of the input, but not by ones: see
  // line().
  bool next(PerfScriptPiece& piece);
  // To be told of each piece, when it was read: how many lines it has.
  void has_lines(const PerfScriptPiece& piece, uint64_t lines);
  // No more pieces.
  void stop();
  // No more pieces, and what was read of the others is not to be used: given_up() is true.
  void give_up();

  // When all threads are done: has the reader go on behind the pieces; at the first one, where they
  // were given up. They can't be where the input is a pipe, of which every line is looked at
  // before.
  void finish();
  bool given_up() const { return given_up_; }
  // The number in the input of a line by its number in a piece; after finish().
  uint64_t line(uint64_t number_in_piece) const;

 private:
  bool read_range(PerfScriptPiece& piece);

  PerfScriptReader& reader_;
  const uint64_t start_, start_line_;
  const bool ranges_;  // of a file

  std::mutex mutex_;  // of all below
  uint64_t claimed_ = 0;
  bool stopped_ = false, given_up_ = false;
  uint64_t ended_ = UINT64_MAX;  // the first piece that has come to the file's end
  uint64_t last_ = 0;            // of those with text
  uint64_t end_ = 0;             // of its text, in the file
  std::vector<uint64_t> lines_;  // of each piece; after finish(), of all those before it
};

}  // namespace aiflame
