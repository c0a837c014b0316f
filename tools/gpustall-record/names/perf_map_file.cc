// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/perf_map_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace aiflame::record {

PerfMapFile::~PerfMapFile() {
  ::close(descriptor_);
}

// False when there is nothing new.
bool PerfMapFile::read() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return false;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size == bytes_) return false;
  is_beyond_ = size > kMaxBytes;
  if (is_beyond_) return false;
  std::string text(size, '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t n = ::pread(descriptor_, text.data() + filled, text.size() - filled,
                              static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += static_cast<size_t>(n);
  }
  bytes_ = size;
  // the last line may be half written
  text.resize(filled);
  text.resize(text.rfind('\n') + 1);
  symbols_.emplace(std::move(text));
  return true;
}

bool PerfMapFile::find(uint64_t address, std::string& name, uint64_t& offset) {
  constexpr uint64_t kMostPatience = 1023;
  auto found = symbols_ ? symbols_->function_at(address) : std::nullopt;
  if (!found && left_ > 0) {
    --left_;
    return false;
  }
  if (!found && read()) {
    found = symbols_->function_at(address);
    patience_ = found ? 0 : std::min(2 * patience_ + 1, kMostPatience);
    left_ = patience_;
  }
  if (!found) return false;
  name = found->name;
  offset = address - found->start;
  return true;
}

}  // namespace aiflame::record
