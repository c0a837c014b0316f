// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/perf_script_pieces.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "libcommon/text/byte_pair.h"

namespace aiflame {
namespace {

// A piece of this size is still in the second-level cache when it is folded. 512 KiB take 4 % more
// processor time (`make bench`, collapse, kernel).
constexpr size_t kPiece = size_t{128} * 1024;
// The step by which the search for a blank line goes on after the end of a piece: a sample has some
// kilobytes.
constexpr size_t kStep = size_t{8} * 1024;
// A sample that is longer is left to the reader, which takes it line by line.
constexpr size_t kMaxOver = size_t{4} << 20;
// A line's number has its piece in the high bits, so that the lines of all pieces are in order.
constexpr unsigned kPieceShift = 32;

}  // namespace

PerfScriptPieces::PerfScriptPieces(PerfScriptReader& reader)
    : reader_(reader),
      start_(reader.offset()),
      start_line_(reader.line_number()),
      ranges_(reader.seekable()),
      stopped_(!reader.between_samples()),
      end_(start_) {}

// A piece goes from the first blank line of its 128 KiB, where the piece before it ends, to the
// first blank line after them. It is empty if they have no blank line. False at the end of the
// file, where the last sample may not be whole.
bool PerfScriptPieces::read_range(PerfScriptPiece& piece) {
  ReadBuffer& buffer = piece.block.buffer;
  const uint64_t from = start_ + piece.number * kPiece;
  size_t size = 0, wanted = kPiece + kStep, searched = kPiece;
  piece.block.begin = piece.block.end = 0;
  for (;;) {
    if (buffer.size() < wanted) buffer.resize(wanted);
    size += reader_.read_at(from + size, buffer.data() + size, wanted - size);
    const std::string_view text(buffer.data(), size);
    if (searched == kPiece && piece.number > 0) {
      const size_t pair = find_pair(text.substr(0, kPiece + 1), '\n', '\n');
      if (pair == std::string_view::npos) return size == wanted;
      piece.block.begin = piece.block.end = pair + 2;
    }
    const size_t pair =
        searched < size ? find_pair(text.substr(searched), '\n', '\n') : std::string_view::npos;
    if (pair != std::string_view::npos) {
      piece.block.end = searched + pair + 2;
      return true;
    }
    if (size < wanted) return false;
    if (wanted > kPiece + kMaxOver) {
      give_up();
      return false;
    }
    searched = size - 1;
    wanted += std::max(kStep, wanted - kPiece);
  }
}

bool PerfScriptPieces::next(PerfScriptPiece& piece) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    piece.number = claimed_;
    if (!ranges_ && !reader_.split_off(piece.block)) stopped_ = true;
    if (stopped_) return false;
    ++claimed_;
  }
  piece.block.name = reader_.name();
  piece.block.line_number = (piece.number + 1) << kPieceShift;
  if (!ranges_) return true;
  const bool whole = read_range(piece);
  const std::lock_guard lock(mutex_);
  if (!whole) {
    stopped_ = true;
    ended_ = std::min(ended_, piece.number);
  } else if (piece.block.end > 0) {
    last_ = std::max(last_, piece.number);
    end_ = std::max(end_, start_ + piece.number * kPiece + piece.block.end);
  }
  return whole;
}

void PerfScriptPieces::has_lines(const PerfScriptPiece& piece, uint64_t lines) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() <= piece.number) lines_.resize(piece.number + 1);
  lines_[piece.number] = lines;
}

void PerfScriptPieces::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void PerfScriptPieces::give_up() {
  const std::lock_guard lock(mutex_);
  stopped_ = given_up_ = true;
}

void PerfScriptPieces::finish() {
  // The file grew while it was read: an earlier piece reached its end, and a later one has text.
  if (last_ > ended_) given_up_ = true;
  if (given_up_ || lines_.empty()) return;
  lines_.push_back(0);
  std::exclusive_scan(lines_.begin(), lines_.end(), lines_.begin(), start_line_);
  if (ranges_) reader_.seek(end_);
  reader_.continue_after(lines_.back());
}

uint64_t PerfScriptPieces::line(uint64_t number_in_piece) const {
  return lines_[(number_in_piece >> kPieceShift) - 1] + (number_in_piece & UINT32_MAX);
}

}  // namespace aiflame
