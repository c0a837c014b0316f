// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/sorted_file.h"

#include <sys/stat.h>

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "libcommon/folded/stack_order.h"
#include "libcommon/folded/time_slice.h"
#include "libcommon/io/file_kind.h"

namespace aiflame::diff {

bool SortedFile::possible(const std::string& path) {
  struct stat status {};
  if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return ByteSource(path).seekable();
}

bool SortedFile::check(const std::atomic<bool>& stop) {
  LineReader reader(open_folded(path_));
  StackOrder order;
  std::string_view line;
  uint64_t next_mark = 0;
  for (; reader.next(line); size_ += line.size() + (reader.terminated() ? 1 : 0)) {
    if (is_blank_or_comment(line)) {
      quantity_.read(line, reader.line_number());
      continue;
    }
    FoldedLine folded;
    if (!split_folded(line, false, folded)) throw Error(reader.place() + ": missing count");
    if (!cut_to_match(folded.stack, match_)) return false;
    if (stop || order.next(folded.stack) != StackOrder::Found::in_order) return false;
    const std::optional<Count> count = parse_count(folded.count);
    if (!count || !sum_.add(*count)) throw Error(reader.place() + ": " + kCountsTooLarge);
    if (marks_.empty() && is_slice(first_frame(folded.stack))) slice_ = reader.line_number();
    if (size_ >= next_mark) {
      marks_.push_back({size_, std::string(folded.stack)});
      next_mark = size_ + kMarkDistance;
    }
  }
  return true;
}

uint64_t SortedFile::lower_bound(std::string_view stack, std::string& buffer) const {
  // the line lies between the last mark that is less and the next mark
  const auto mark = std::partition_point(marks_.begin(), marks_.end(), [&](const Mark& one) {
    return std::string_view(one.stack) < stack;
  });
  if (mark == marks_.begin()) return 0;
  uint64_t offset = std::prev(mark)->offset;
  std::string_view rest = read(offset, mark == marks_.end() ? size_ : mark->offset, buffer);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end - (rest[end - 1] == '\n' ? 1 : 0));
    FoldedLine folded;
    if (!is_blank_or_comment(line) && split_folded(line, false, folded) &&
        cut_to_match(folded.stack, match_) && folded.stack >= stack)
      return offset;
    offset += end;
    rest.remove_prefix(end);
  }
  return offset;
}

std::string_view SortedFile::read(uint64_t begin, uint64_t end, std::string& buffer) const {
  if (begin >= end) return {};
  const size_t size = end - begin;
  if (buffer.size() < size) buffer.resize(size);
  if (source_.read_at(begin, buffer.data(), size) != size)
    throw Error("'" + path_ + "' changed while it was read");
  return std::string_view(buffer).substr(0, size);
}

}  // namespace aiflame::diff
