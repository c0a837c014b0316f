// SPDX-License-Identifier: MIT
#include "plugins/energy/common/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "libcommon/base/clock.h"
#include "libcommon/base/write_all.h"

namespace aiflame::energy {
namespace {

// A line each: what a device calls itself may hold anything.
std::string in_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\0') c = ' ';
  return text;
}

std::string introduction(const Found& found) {
  std::string out;
  for (const std::string& note : found.notes) out += "note " + in_one_line(note) + "\n";
  for (const Counter& counter : found.counters)
    out += "counter " + (counter.place.empty() ? "-" : counter.place) + " " +
           in_one_line(counter.name) + "\n";
  return found.counters.empty() ? out + "none\n" : out;
}

std::string reading(const std::vector<Counter>& counters) {
  std::string out = "at " + std::to_string(monotonic_ns());
  for (const Counter& counter : counters) {
    const std::optional<uint64_t> microjoules = counter.read();
    out += microjoules ? " " + std::to_string(*microjoules) : " ?";
  }
  return out + "\n";
}

// The number of lines that have come; nothing at the end of the input.
std::optional<size_t> read_requests() {
  char bytes[256];
  ssize_t n = 0;
  do {
    n = read(STDIN_FILENO, bytes, sizeof bytes);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  size_t lines = 0;
  for (ssize_t i = 0; i < n; ++i) lines += bytes[i] == '\n';
  return lines;
}

}  // namespace

int serve(Found (*find)()) {
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  const Found found = find();
  if (!write_all(out, introduction(found))) return 1;
  if (found.counters.empty()) return 0;
  while (const std::optional<size_t> requests = read_requests())
    for (size_t i = 0; i < *requests; ++i)
      if (!write_all(out, reading(found.counters))) return 1;
  return 0;
}

std::string pci_address(uint64_t domain, uint64_t bus, uint64_t device, uint64_t function) {
  char out[32];
  std::snprintf(out, sizeof out, "%04llx:%02x:%02x.%x", static_cast<unsigned long long>(domain),
                static_cast<unsigned>(bus & 0xff), static_cast<unsigned>(device & 0x1f),
                static_cast<unsigned>(function & 7));
  return out;
}

}  // namespace aiflame::energy
