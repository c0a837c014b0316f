/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/mappings.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "plugins/agents/common/channel/rare_lock.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/clock.h"

namespace aiflame::agent {
namespace {

// What was written so far; guarded by rare_lock.
struct Range {
  uint64_t start, end;
};
constexpr int kMaxRanges = 8192;
Range ranges[kMaxRanges];
int range_count = 0;
uint64_t loader_generation = 0;
uint64_t maps_read_at = 0;

bool write_map(agent_ring* to, uint64_t start, uint64_t end, uint64_t offset, const char* path,
               size_t path_bytes, bool first) {
  if (path_bytes > AGENT_MAX_NAME - 1) path_bytes = AGENT_MAX_NAME - 1;
  const uint32_t bytes = round_up(static_cast<uint32_t>(sizeof(agent_map) + path_bytes + 1));
  auto* map = reserve_record<agent_map>(to, bytes);
  if (map == nullptr) return false;
  map->start = start;
  map->end = end;
  map->file_offset = offset;
  std::memcpy(map + 1, path, path_bytes);  // what follows is zero already
  publish(&map->record, bytes, AGENT_MAP, first ? AGENT_FIRST : 0);
  return true;
}

uint64_t hex(const char*& at, const char* end) {
  uint64_t value = 0;
  for (; at < end; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9')
      value = value << 4 | static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | static_cast<uint64_t>(c - 'a' + 10);
    else
      break;
  }
  return value;
}

// "7f2c9a3a0000-7f2c9a3b2000 r-xp 00003000 fe:00 1234      /usr/lib/libOpenCL.so.1.0.0"
void take_maps_line(agent_ring* to, const char* at, const char* end) {
  const uint64_t start = hex(at, end);
  if (at == end || *at++ != '-') return;
  const uint64_t stop = hex(at, end);
  if (end - at < 6 || at[3] != 'x') return;
  at += 6;
  const uint64_t offset = hex(at, end);
  for (int blanks = 0; at < end && blanks < 3; ++at)
    if (*at == ' ') ++blanks;
  while (at < end && *at == ' ') ++at;
  if (range_count == kMaxRanges) return;
  if (!write_map(to, start, stop, offset, at, static_cast<size_t>(end - at), range_count == 0))
    return;
  ranges[range_count++] = Range{start, stop};
}

void read_maps(agent_ring* to) {
  range_count = 0;
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  static char buffer[32 * 1024];
  size_t filled = 0;
  for (;;) {
    const ssize_t n = read(fd, buffer + filled, sizeof buffer - filled);
    if (n <= 0) break;
    filled += static_cast<size_t>(n);
    const char* line = buffer;
    const char* end = buffer + filled;
    while (const void* newline = std::memchr(line, '\n', static_cast<size_t>(end - line))) {
      take_maps_line(to, line, static_cast<const char*>(newline));
      line = static_cast<const char*>(newline) + 1;
    }
    filled = static_cast<size_t>(end - line);
    std::memmove(buffer, line, filled);
    if (filled == sizeof buffer) filled = 0;  // the kernel writes no line of that length
  }
  close(fd);
}

bool is_known(uint64_t pc) {
  int low = 0, high = range_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ranges[middle].end <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < range_count && ranges[low].start <= pc;
}

// Changes when a library is loaded or unloaded.
uint64_t current_loader_generation() {
  uint64_t generation = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &generation);
  return generation;
}

}  // namespace

void report_maps(agent_ring* to, const uint64_t* frames, uint32_t count) {
  const uint64_t generation = current_loader_generation();
  // does not wait for the lock, because the program may hold any lock
  if (!rare_lock.try_lock()) return;
  bool read = generation != loader_generation || range_count == 0;
  // JIT compilers make mappings all the time, and those have no name to give. It is enough to look
  // once in 10 ms, the recorder's default interval.
  const uint64_t now = monotonic_ns();
  for (uint32_t i = 0; i < count && !read; ++i)
    read = frames[i] != 0 && (frames[i] & AGENT_TEXT_FRAME) == 0 && !is_known(frames[i]) &&
           now - maps_read_at > 10000000;
  if (read) {
    loader_generation = generation;
    maps_read_at = now;
    read_maps(to);
  }
  rare_lock.unlock();
}

void forget_mappings() {
  range_count = 0;
  maps_read_at = 0;
}

}  // namespace aiflame::agent
