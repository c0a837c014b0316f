// SPDX-License-Identifier: MIT
// An SQLite file as input of stackcollapse-nsys.
#include <unistd.h>

#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-nsys/read_export.h"

using namespace aiflame;
using namespace aiflame::nsys;

namespace {

// SQLite wants a path that it can resolve: a file in memory has none.
class TemporaryFile {
 public:
  TemporaryFile() : fd_(mkstemp(path_)) {
    if (fd_ < 0) abort();
  }
  ~TemporaryFile() {
    close(fd_);
    unlink(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void set(const uint8_t* data, size_t size) {
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, data, size, 0) != static_cast<ssize_t>(size)) abort();
  }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/nsys_fuzz-XXXXXX";
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static TemporaryFile file;
  file.set(data, size);
  for (const int way : {0, 1, 2})
    fuzz::import_bytes(data, size, [&](const std::string&, ImportedStacks& stacks) {
      Settings settings;
      settings.cpu = way == 1;
      settings.rank = true;
      settings.streams = way != 1;
      if (way == 2) settings.timeline = {.idle = true, .outside = true, .exposed = true};
      uint64_t rank = 0;
      read_export(file.path(), settings, stacks, rank);
    });
  return 0;
}
