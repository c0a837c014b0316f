// SPDX-License-Identifier: MIT
#include "libcommon/io/file_window.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// The following functions run in a signal handler: only system calls are allowed.

void say(const char* text, size_t size) {
  // a failure cannot be reported
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text, size);
}

void say(const char* text) {
  say(text, std::strlen(text));
}

// As printable(), which takes memory.
void say_printable(std::string_view text) {
  if (is_printable(text)) return say(text.data(), text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)),
                          static_cast<char>('0' + (byte >> 3 & 7)),
                          static_cast<char>('0' + (byte & 7))};
    const bool plain = is_printable(uint32_t{byte}) && byte < 0x80;
    say(plain ? &c : octal, plain ? 1 : sizeof octal);
  }
}

// Prints the path of the file that is mapped at an address, from the lines of /proc/self/maps:
// `7f01e4a00000-7f01e4c00000 r--p 00200000 fe:00 1234   /tmp/perf.data`.
void say_file_at(uintptr_t address) {
  char bytes[4096], path[PATH_MAX];
  size_t length = 0;
  uintptr_t start = 0, end = 0;
  enum { kStart, kEnd, kFlags, kPath } at = kStart;
  bool found = false;
  const auto take = [&](char c) {
    const auto digit = static_cast<uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (c == '\n') {
      found = length > 0;
      start = end = 0;
      at = kStart;
    } else if (at == kStart && c == '-') {
      at = kEnd;
    } else if (at == kStart) {
      start = start << 4 | digit;
    } else if (at == kEnd && c == ' ') {
      at = kFlags;
    } else if (at == kEnd) {
      end = end << 4 | digit;
    } else {
      if (c == '/') at = kPath;
      if (at == kPath && address >= start && address < end && length < sizeof path)
        path[length++] = c;
    }
  };
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t n; !found && (n = ::read(maps, bytes, sizeof bytes)) > 0;)
    for (ssize_t i = 0; i < n && !found; ++i) take(bytes[i]);
  if (found)
    say_printable(std::string_view(path, length));
  else
    say("a file");
}

void say_and_exit(int, siginfo_t* signal, void*) {
  say(program_name());
  say(": ");
  say_file_at(reinterpret_cast<uintptr_t>(signal->si_addr));
  say(": cannot be read on: it has become shorter, or its disk has failed\n");
  _exit(1);
}

void expect_shorter_files() {
  static const bool once = [] {
    struct sigaction action {};
    action.sa_sigaction = say_and_exit;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace

FileWindow::FileWindow(int fd, uint64_t offset, size_t size, FileWrites writes) {
  expect_shorter_files();
  const int access = writes == FileWrites::stay_in_memory ? PROT_READ | PROT_WRITE : PROT_READ;
  // without a reserve for what may be written, as next to nothing is
  void* bytes =
      mmap(nullptr, size, access, MAP_PRIVATE | MAP_NORESERVE, fd, static_cast<off_t>(offset));
  if (bytes == MAP_FAILED) return;
  bytes_ = static_cast<char*>(bytes);
  size_ = size;
}

FileWindow::~FileWindow() {
  if (bytes_ != nullptr) munmap(bytes_, size_);
}

FileWindow::FileWindow(FileWindow&& other) noexcept
    : bytes_(std::exchange(other.bytes_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileWindow& FileWindow::operator=(FileWindow&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace aiflame
