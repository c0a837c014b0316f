/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/recorder_address.h"

#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {
namespace {

// What the kernel shows for a user that has no number in the namespace, unless the administrator
// has chosen another.
constexpr uint32_t kNoUser = 65534;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reads a decimal number up to `end`, and moves `at` behind that character.
bool take_number(const char*& at, char end, uint64_t most, uint64_t& out) {
  uint64_t value = 0;
  const char* first = at;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<uint64_t>(*at - '0');
    if (value > (most - digit) / 10) return false;
    value = value * 10 + digit;
  }
  if (at == first || *at != end) return false;
  ++at;
  out = value;
  return true;
}

// The same in a column of /proc/self/uid_map, which begins with blanks.
bool take_column(const char*& at, char end, uint64_t& out) {
  while (*at == ' ') ++at;
  const char* first = at;
  while (*at >= '0' && *at <= '9') ++at;
  const char* after = at;
  at = first;
  return take_number(at, *after == end ? end : '\0', UINT32_MAX, out);
}

}  // namespace

bool parse_recorder_address(const char* text, RecorderAddress& out) {
  for (uint8_t& byte : out.secret) {
    const int high = hex_digit(*text);
    const int low = high < 0 ? -1 : hex_digit(text[1]);
    if (low < 0) return false;
    byte = static_cast<uint8_t>(high * 16 + low);
    text += 2;
  }
  uint64_t uid = 0, descriptor = 0, inode = 0;
  if (*text++ != ':' || !take_number(text, ':', UINT32_MAX, uid) ||
      !take_number(text, ':', INT_MAX, descriptor) || !take_number(text, ':', UINT64_MAX, inode) ||
      std::strlen(text) >= sizeof out.directory)
    return false;
  out.uid = static_cast<uint32_t>(uid);
  out.descriptor = static_cast<int>(descriptor);
  out.inode = inode;
  std::memcpy(out.directory, text, std::strlen(text) + 1);
  return true;
}

// The lines of the map are: first user inside, first user outside, number of users.
uint32_t uid_seen_here(uint32_t uid) {
  struct Map {
    char text[4096];
  };
  const OffStack<Map> room;  // may be below a launch, in a forked child
  if (!room) return uid;
  char* const map = room->text;
  const int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return uid;
  const ssize_t bytes = read(fd, map, sizeof room->text - 1);
  close(fd);
  if (bytes < 0) return uid;
  map[bytes] = '\0';
  const char* at = map;
  uint64_t inside = 0, outside = 0, count = 0;
  while (take_column(at, ' ', inside) && take_column(at, ' ', outside) &&
         take_column(at, '\n', count))
    if (uid >= outside && uid - outside < count)
      return static_cast<uint32_t>(inside + uid - outside);
  return kNoUser;
}

}  // namespace aiflame::agent
