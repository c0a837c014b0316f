// SPDX-License-Identifier: MIT
// The C library's functions through which a program reaches the driver. The fake answers calls
// about its own nodes, and forwards the rest.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/fakes/xe/fake_xe.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace fake_xe {

long raw_read(int fd, void* to, size_t size) {
  return syscall(SYS_read, fd, to, size);
}

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::mutex open_nodes_lock;
std::map<int, Node*>& open_nodes() {
  static auto* const open = new std::map<int, Node*>;
  return *open;
}

Node* node_of(int fd) {
  const std::lock_guard<std::mutex> guard(open_nodes_lock);
  const auto known = open_nodes().find(fd);
  return known == open_nodes().end() ? nullptr : known->second;
}

Gt* stream_of(int fd) {
  if (fd < 0) return nullptr;
  for (auto& [minor, node] : nodes())
    for (Gt* gt : node.gts)
      if (gt->fd() == fd) return gt;
  return nullptr;
}

// "/sys/class/drm/…" becomes "$FAKE_XE/root/sys/class/drm/…".
std::string redirected(const char* path) {
  const char* root = std::getenv("FAKE_XE");
  const std::string_view text = path;
  for (const char* ours : {"/dev/dri", "/sys/class/drm", "/proc/sys/dev/xe",
                           "/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"})
    if (root != nullptr && text.starts_with(ours)) return std::string(root) + "/root" + path;
  return path;
}

int open_at(int directory, const char* path, int flags, mode_t mode) {
  const auto real = next<int(int, const char*, int, ...)>("openat");
  constexpr std::string_view kNode = "/dev/dri/renderD";
  const std::string_view text = path;
  if (std::getenv("FAKE_XE") == nullptr || !text.starts_with(kNode))
    return real(directory, redirected(path).c_str(), flags, mode);
  const auto node = nodes().find(std::atoi(path + kNode.size()));
  if (node == nodes().end()) {
    errno = ENOENT;
    return -1;
  }
  if (node->second.open_error != 0) {
    errno = node->second.open_error;
    return -1;
  }
  const int fd = real(AT_FDCWD, "/dev/null", flags, 0);
  const std::lock_guard<std::mutex> guard(open_nodes_lock);
  open_nodes()[fd] = &node->second;
  return fd;
}

long answer(long result) {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// ---- ioctls of a node, by number: include/uapi/drm/drm.h and xe_drm.h ---------------------------

uint64_t number_at(const void* from, size_t offset) {
  uint64_t number = 0;
  std::memcpy(&number, static_cast<const char*>(from) + offset, sizeof number);
  return number;
}

template <typename T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string sampler_answer(const Node& node) {
  std::string text;
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1}, uint64_t{node.record_bytes}, uint64_t{kRingBytes}, uint64_t{0},
        uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{node.periods.size()}})
    append(text, number);
  for (const uint64_t period : node.periods) append(text, period);
  return text;
}

std::string gt_answer(const Node& node) {
  std::string text;
  append(text, static_cast<uint32_t>(node.gts.size()));
  append(text, uint32_t{0});
  for (const Gt* gt : node.gts) {
    std::string one;
    for (const unsigned number : {gt->type, gt->tile, gt->id, 0u, 0u, 0u})
      append(one, static_cast<uint16_t>(number));
    append(one, uint32_t{19200000});
    append(one, uint64_t{1});
    append(one, uint64_t{2});
    for (const unsigned number : {gt->major, gt->minor, 0u, 0u})
      append(one, static_cast<uint16_t>(number));
    one.resize(96);
    text += one;
  }
  return text;
}

// xe_query_ioctl()
int query(const Node& node, void* argument) {
  constexpr uint32_t kGtList = 3, kEuStall = 10;
  char* const bytes = static_cast<char*>(argument);
  uint32_t what = 0, size = 0;
  std::memcpy(&what, bytes + 8, sizeof what);
  std::memcpy(&size, bytes + 12, sizeof size);
  if (number_at(bytes, 0) != 0 || number_at(bytes, 24) != 0 || number_at(bytes, 32) != 0)
    return -EINVAL;
  if (what != kGtList && what != kEuStall) return -EINVAL;
  if (what == kEuStall && node.sampler_error != 0) return -node.sampler_error;
  const bool nothing = what == kEuStall && !node.has_sampler;
  const std::string text = nothing ? "" : what == kEuStall ? sampler_answer(node) : gt_answer(node);
  if (size == 0 || nothing) {
    size = static_cast<uint32_t>(text.size());
    std::memcpy(bytes + 12, &size, sizeof size);
    return 0;
  }
  if (size != text.size()) return -EINVAL;
  std::memcpy(reinterpret_cast<void*>(number_at(bytes, 16)), text.data(), text.size());
  return 0;
}

// xe_eu_stall_stream_open() with its chain of properties
int observe(Node& node, const void* argument) {
  constexpr uint64_t kEuStall = 1, kStreamOpen = 0;
  if (number_at(argument, 0) != 0 || number_at(argument, 8) != kEuStall ||
      number_at(argument, 16) != kStreamOpen)
    return -EINVAL;
  if (!node.has_sampler) return -ENODEV;
  uint64_t period = 1004, wait = 1;
  Gt* gt = nullptr;
  int properties = 0;
  for (uint64_t at = number_at(argument, 24); at != 0;) {
    const auto* property = reinterpret_cast<const char*>(at);
    if (++properties > 5) return -E2BIG;
    const uint64_t name_and_pad = number_at(property, 8), id_and_pad = number_at(property, 16);
    const uint64_t value = number_at(property, 24);
    if (name_and_pad != 0 || id_and_pad < 1 || id_and_pad > 3) return -EINVAL;
    if (id_and_pad == 2) period = value;
    if (id_and_pad == 3) wait = value;
    if (id_and_pad == 1) {
      gt = nullptr;
      for (Gt* one : node.gts)
        if (one->id == value) gt = one;
      if (gt == nullptr) return -EINVAL;
    }
    at = number_at(property, 0);
  }
  if (gt == nullptr) return -EINVAL;
  return gt->open(period, wait, node.record_bytes, "renderD" + std::to_string(node.minor));
}

// drm_version(): copies what fits, returns the whole length
int version(const Node& node, void* argument) {
  char* const bytes = static_cast<char*>(argument);
  size_t room = 0;
  std::memcpy(&room, bytes + 16, sizeof room);
  char* to = nullptr;
  std::memcpy(&to, bytes + 24, sizeof to);
  node.driver.copy(to, room);
  room = node.driver.size();
  std::memcpy(bytes + 16, &room, sizeof room);
  return 0;
}

int node_ioctl(Node& node, unsigned long request, void* argument) {
  if (request == 0xc0406400) return version(node, argument);
  if (node.driver != "xe") return -EINVAL;
  if (request == 0xc0286440) return query(node, argument);
  if (request == 0x4020644b) return observe(node, argument);
  return -EINVAL;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace fake_xe

using namespace fake_xe;

#define FAKE_OPEN(name)                                    \
  FAKE_EXPORT int name(const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_of(flags, arguments);         \
    va_end(arguments);                                     \
    return open_at(AT_FDCWD, path, flags, mode);           \
  }
FAKE_OPEN(open)
FAKE_OPEN(open64)

FAKE_EXPORT ssize_t read(int fd, void* to, size_t size) {
  if (Gt* gt = stream_of(fd)) return answer(gt->read(static_cast<unsigned char*>(to), size));
  return next<ssize_t(int, void*, size_t)>("read")(fd, to, size);
}

// what the compiler makes of open() and read() with _FORTIFY_SOURCE
// NOLINTBEGIN(bugprone-reserved-identifier)
FAKE_EXPORT int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
FAKE_EXPORT int __open64_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
FAKE_EXPORT ssize_t __read_chk(int fd, void* to, size_t size, size_t) {
  return read(fd, to, size);
}
// NOLINTEND(bugprone-reserved-identifier)

FAKE_EXPORT DIR* opendir(const char* path) {
  return next<DIR*(const char*)>("opendir")(redirected(path).c_str());
}

FAKE_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (Node* node = node_of(fd))
    return static_cast<int>(answer(node_ioctl(*node, request, argument)));
  if (Gt* gt = stream_of(fd)) return static_cast<int>(answer(gt->ioctl(request)));
  return next<int(int, unsigned long, void*)>("ioctl")(fd, request, argument);
}

FAKE_EXPORT int close(int fd) {
  if (Gt* gt = stream_of(fd)) gt->close();
  {
    const std::lock_guard<std::mutex> guard(open_nodes_lock);
    open_nodes().erase(fd);
  }
  return next<int(int)>("close")(fd);
}
