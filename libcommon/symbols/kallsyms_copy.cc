// SPDX-License-Identifier: MIT
#include "libcommon/symbols/kallsyms_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/io/read_text.h"
#include "libcommon/symbols/kallsyms.h"

namespace aiflame {
namespace {

// The image starts within this many bytes of the list. The per-processor variables precede it.
constexpr size_t kMaxPreamble = size_t{1} << 20;
// The longest name has 511 bytes.
constexpr size_t kLine = 1024;
// The lines of two functions may be this far apart, with thousands of other symbols between.
constexpr size_t kMaxBetween = size_t{1} << 16;

struct Line {
  uint64_t address = 0;
  bool in_image = false;
  std::string_view name;
};

// `ffffffff81000000 T _text`; for a module's symbol `\t[name]` follows. False: not a function.
bool parse_line(std::string_view line, Line& out) {
  if (line.size() < 20 || line[16] != ' ' || line[18] != ' ') return false;
  const auto address = parse_hex(line.substr(0, 16));
  if (!address || !is_kernel_symbol(line[17]) || line[19] == '$') return false;
  out.address = *address;
  out.in_image = line.back() != ']';
  out.name = line.substr(19);
  return true;
}

// The start of the line that holds `place`, or kLine before `place` when the line is too long.
size_t line_at(std::string_view text, size_t place) {
  const size_t least = place > kLine ? place - kLine : 0;
  return least + (text.substr(least, place - least).rfind('\n') + 1);
}

}  // namespace

KallsymsCopy::KallsymsCopy(const std::string& path, const std::string& running) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    file_ = FileWindow(fd, 0, static_cast<size_t>(status.st_size));
  if (fd >= 0) ::close(fd);
  if (file_.bytes() == nullptr) return;
  lines_ = std::string_view(file_.bytes(), static_cast<size_t>(status.st_size));
  lines_ = lines_.substr(0, lines_.rfind('\n') + 1);
  // usually the third line
  constexpr std::string_view kText = " T _text\n";
  const size_t at = lines_.substr(0, kMaxPreamble).find(kText);
  if (at == std::string_view::npos) return;
  const std::string_view head = lines_.substr(0, at + kText.size());
  Line line;
  if (parse_line(head.substr(line_at(head, at), 16 + kText.size() - 1), line) &&
      read_text(running, head.size()) == head)
    text_ = line.address;
}

// The start of the first line with an address larger than `address`, by binary search between `low`
// and `high`, if the lines there are sorted.
size_t KallsymsCopy::line_after(uint64_t address, size_t low, size_t high) const {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const size_t line = line_at(lines_, middle);
    const auto found = parse_hex(lines_.substr(line, 16));
    const size_t rest = lines_.substr(middle, kLine).find('\n');
    if (found && *found > address)
      high = line;
    else
      low = middle + (rest == std::string_view::npos ? 0 : rest) + 1;
  }
  return low;
}

// The kernel lists the image's functions in order. The copy may be out of order: a function is
// accepted only when its line and the next one are adjacent and in order.
std::optional<KernelFunction> KallsymsCopy::learn(uint64_t address, size_t after) {
  Line next, line;
  for (size_t begin = after; next.name.empty();) {
    const size_t size = lines_.substr(std::min(begin, lines_.size()), kLine).find('\n');
    if (size == std::string_view::npos || begin - after > kMaxBetween) return std::nullopt;
    parse_line(lines_.substr(begin, size), next);
    begin += size + 1;
  }
  // of several names for one address, the last
  for (size_t end = after; line.name.empty();) {
    if (end == 0 || after - end > kMaxBetween) return std::nullopt;
    const size_t begin = line_at(lines_, end - 1);
    parse_line(lines_.substr(begin, end - 1 - begin), line);
    end = begin;
  }
  if (!line.in_image || !next.in_image || line.address < text_ || address < line.address ||
      address >= next.address)
    return std::nullopt;
  known_.try_emplace(line.address, Function{next.address, after, line.name});
  return KernelFunction{line.address, line.name};
}

std::optional<KernelFunction> KallsymsCopy::at(uint64_t address) {
  if (address < text_ || text_ == 0) return std::nullopt;
  const auto above = known_.upper_bound(address);
  size_t low = 0, high = lines_.size();
  if (above != known_.end()) high = above->second.after;
  if (above != known_.begin()) {
    const auto& [start, below] = *std::prev(above);
    if (address < below.end) return KernelFunction{start, below.name};
    low = below.after;
  }
  return learn(address, line_after(address, low, high));
}

}  // namespace aiflame
