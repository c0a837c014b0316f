// SPDX-License-Identifier: MIT
// Reads $FAKE_XE/script, and writes $FAKE_XE/log.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/fakes/xe/eu_stall_bits.h"
#include "tests/fakes/xe/fake_xe.h"

namespace fake_xe {
namespace {

std::string directory() {
  const char* path = std::getenv("FAKE_XE");
  return path == nullptr ? "." : path;
}

// By raw system calls, because the fake's own open(), read() and close() need the script first.
int raw_open(const std::string& name, int flags) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, (directory() + name).c_str(), flags, 0600));
}

std::string contents(const std::string& name) {
  std::string text;
  const int fd = raw_open(name, O_RDONLY | O_CLOEXEC);
  char part[4096];
  for (long n = 0; (n = raw_read(fd, part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(n));
  syscall(SYS_close, fd);
  return text;
}

[[noreturn]] void fail(const std::string& line) {
  std::fprintf(stderr, "fake xe: not understood: %s\n", line.c_str());
  std::abort();
}

Row read_row(std::istringstream& words, const Gt& gt, size_t record_bytes,
             const std::string& line) {
  std::map<std::string, uint64_t> values;
  Row row;
  if (!eu_stall_bits::read_fields(words, gt.layout(), values, row.samples)) fail(line);
  row.bytes = eu_stall_bits::encode(gt.layout(), record_bytes, values);
  return row;
}

Failure read_failure(std::istringstream& words, const std::string& line) {
  std::string open, enable;
  if (!(words >> open >> enable)) fail(line);
  Failure failure{error_number(open), error_number(enable)};
  uint64_t times = 0;
  if (words >> times) failure.times = times;
  return failure;
}

Gt& gt_of(Node& node, unsigned id, const std::string& line) {
  for (Gt* gt : node.gts)
    if (gt->id == id) return *gt;
  fail(line);
}

std::map<int, Node> read_script() {
  std::map<int, Node> found;
  std::istringstream file(contents("/script"));
  std::string line;
  Node* node = nullptr;
  Gt* at = nullptr;
  size_t cores = 2;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string what, first;
    if (!(words >> what) || what.front() == '#') continue;
    if (what == "node") {
      int minor = 0;
      if (!(words >> minor >> first)) fail(line);
      node = &found[minor];
      node->minor = minor;
      node->driver = first;
      continue;
    }
    if (node == nullptr) fail(line);
    Step step;
    if (what == "open-node" && words >> first) {
      node->open_error = error_number(first);
    } else if (what == "sampler" && words >> first) {
      if (first.front() == 'E') {
        node->sampler_error = error_number(first);
      } else if (first != "none") {
        node->has_sampler = true;
        node->record_bytes = std::stoull(first);
        for (uint64_t period = 0; words >> period;) node->periods.push_back(period);
      }
    } else if (what == "cores" && words >> cores) {
    } else if (what == "gt") {
      unsigned id = 0, type = 0, tile = 0, major = 0, minor = 0;
      if (!(words >> id >> type >> tile >> major >> minor)) fail(line);
      node->gts.push_back(new Gt(id, type, tile, major, minor, cores));
    } else if (what == "stream") {
      unsigned id = 0;
      if (!(words >> id)) fail(line);
      gt_of(*node, id, line).failure = read_failure(words, line);
    } else if (what == "at") {
      unsigned id = 0;
      if (!(words >> id)) fail(line);
      at = &gt_of(*node, id, line);
    } else if (at == nullptr) {
      fail(line);
    } else if (what == "tick") {
      words >> step.file;
      at->steps.push_back(step);
    } else if (what == "row" || what == "rows") {
      step.kind = Step::Kind::rows;
      if ((what == "rows" && !(words >> step.times)) || !(words >> step.core)) fail(line);
      step.row = read_row(words, *at, node->record_bytes, line);
      at->steps.push_back(step);
    } else if (what == "reset") {
      step.kind = Step::Kind::reset;
      at->steps.push_back(step);
    } else if (what == "drained" || what == "release") {
      step.kind = what == "drained" ? Step::Kind::drained : Step::Kind::release;
      at->steps.push_back(step);
    } else if (what == "hold" && words >> step.file) {
      step.kind = Step::Kind::hold;
      at->expect_hold();
      at->steps.push_back(step);
    } else if (what == "fail") {
      step.kind = Step::Kind::fail;
      step.failure = read_failure(words, line);
      at->steps.push_back(step);
    } else {
      fail(line);
    }
  }
  return found;
}

}  // namespace

int error_number(const std::string& name) {
  static const std::map<std::string, int> numbers{
      {"0", 0},           {"EACCES", EACCES}, {"EBUSY", EBUSY},        {"EINVAL", EINVAL},
      {"EIO", EIO},       {"ENODEV", ENODEV}, {"ENOMEM", ENOMEM},      {"EPERM", EPERM},
      {"EFAULT", EFAULT}, {"ENOTTY", ENOTTY}, {"ETIMEDOUT", ETIMEDOUT}};
  const auto known = numbers.find(name);
  if (known == numbers.end()) fail(name);
  return known->second;
}

std::map<int, Node>& nodes() {
  static auto* const read = new std::map<int, Node>(read_script());
  return *read;
}

void log(const std::string& line) {
  const std::string text = line + "\n";
  const int fd = raw_open("/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
  syscall(SYS_close, fd);
}

}  // namespace fake_xe
