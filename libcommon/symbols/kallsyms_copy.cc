// SPDX-License-Identifier: MIT
#include "libcommon/symbols/kallsyms_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/parse.h"
#include "libcommon/symbols/find_object.h"
#include "libcommon/symbols/kallsyms.h"

namespace aiflame {
namespace {

// How far into the list the image may begin: before it stand the variables of each processor.
constexpr size_t kMaxPreamble = size_t{1} << 20;
// The longest name has 511 bytes.
constexpr size_t kLine = 1024;
// What is read at a time when it is found: near 100 functions, since one is seldom asked for alone.
constexpr uint64_t kWindow = 4096;
// The largest list seen has 20 MB, of which half is the image's.
constexpr size_t kMaxWindows = 1024;

struct Line {
  uint64_t address = 0;
  bool in_image = false;
  std::string_view name;
};

// `ffffffff81000000 T _text`, of a module with `\t[name]` behind. False: no symbol that counts.
bool parse_line(std::string_view line, Line& out) {
  if (line.size() < 20 || line[16] != ' ' || line[18] != ' ') return false;
  const auto address = parse_hex(line.substr(0, 16));
  if (!address || !is_kernel_symbol(line[17]) || line[19] == '$') return false;
  out.address = *address;
  out.in_image = line.back() != ']';
  out.name = line.substr(19);
  return true;
}

}  // namespace

KallsymsCopy::KallsymsCopy(const std::string& path, const std::string& running) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (fd_ < 0 || fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  size_ = static_cast<uint64_t>(status.st_size);
  // as a rule it is the third line
  constexpr std::string_view kText = " T _text\n";
  for (size_t size = 4096; size <= kMaxPreamble; size *= 16) {
    std::string head = read(0, size);
    const size_t at = head.find(kText);
    if (at == std::string::npos) continue;
    head.resize(at + kText.size());
    Line line;
    const size_t start = at < 16 ? 0 : at - 16;
    if (parse_line(std::string_view(head).substr(start, head.size() - 1 - start), line) &&
        read_text(running, head.size()) == head)
      text_ = line.address;
    return;
  }
}

KallsymsCopy::~KallsymsCopy() {
  if (fd_ >= 0) ::close(fd_);
}

std::string KallsymsCopy::read(uint64_t offset, size_t size) const {
  std::string bytes(size, '\0');
  const ssize_t n = ::pread(fd_, bytes.data(), size, static_cast<off_t>(offset));
  bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return bytes;
}

void KallsymsCopy::learn_around(uint64_t address) {
  if (windows_.size() >= kMaxWindows) return;
  // between what earlier searches have seen; they are wrong together where the copy is in no order
  const auto above = looked_.upper_bound(address);
  uint64_t low = above == looked_.begin() ? 0 : std::prev(above)->second;
  uint64_t high = above == looked_.end() ? size_ : above->second;
  if (low > high) return;
  while (high - low > kWindow) {
    const uint64_t middle = low + (high - low) / 2;
    const std::string bytes = read(middle, kLine);
    const size_t line = bytes.find('\n');
    const auto found = line == std::string::npos
                           ? std::nullopt
                           : parse_hex(std::string_view(bytes).substr(line + 1, 16));
    if (!found) return;
    (*found <= address ? low : high) = middle;
    looked_.try_emplace(*found, middle);
  }
  // the line that decided begins behind its place, and the next function's behind that
  Window window;
  window.text = read(low, static_cast<size_t>(high - low) + 4 * kLine);
  std::string_view lines = window.text;
  if (low > 0) lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
  // The image's functions stand in order. That the copy's do is not taken on trust: a function is
  // known when it and the next one stand side by side, in order.
  Line last;
  for (size_t at = 0, end = 0; (end = lines.find('\n', at)) != std::string_view::npos;
       at = end + 1) {
    Line line;
    if (!parse_line(lines.substr(at, end - at), line)) continue;
    const bool follows = last.in_image && line.in_image && last.address >= text_;
    // of several names for one address, the last
    if (follows && line.address > last.address)
      window.functions.push_back({last.address, line.address, last.name});
    else if (follows && line.address < last.address)
      return;
    last = line;
  }
  if (window.functions.empty()) return;
  const uint64_t first = window.functions.front().start;
  windows_.try_emplace(first, std::move(window));  // its text stays where it is
}

const KallsymsCopy::Function* KallsymsCopy::find(uint64_t address) const {
  const auto window = windows_.upper_bound(address);
  if (window == windows_.begin()) return nullptr;
  const std::vector<Function>& functions = std::prev(window)->second.functions;
  const auto next =
      std::upper_bound(functions.begin(), functions.end(), address,
                       [](uint64_t at, const Function& each) { return at < each.start; });
  return next != functions.begin() && address < std::prev(next)->end ? &*std::prev(next) : nullptr;
}

std::optional<KernelFunction> KallsymsCopy::at(uint64_t address) {
  if (address < text_ || text_ == 0) return std::nullopt;
  const Function* function = find(address);
  if (function == nullptr) {
    learn_around(address);
    function = find(address);
  }
  if (function == nullptr) return std::nullopt;
  return KernelFunction{function->start, function->name};
}

}  // namespace aiflame
