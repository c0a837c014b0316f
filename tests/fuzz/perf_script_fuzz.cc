// SPDX-License-Identifier: MIT
// libFuzzer entry: any bytes as input of stackcollapse-aiflame. Seeds: tests/data/stackcollapse-
// aiflame. An Error is a right answer; a crash, a hang or an "internal:" error is not.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcommon/output.h"
#include "libcommon/program.h"
#include "tools/stackcollapse-aiflame/collapse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int fd = memfd_create("input", MFD_CLOEXEC);
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  aiflame::Settings settings;
  settings.frames.kernel = settings.frames.jit = true;
  settings.cpu = true;
  settings.source_lines = size % 5 == 0;
  settings.device.levels =
      aiflame::parse_levels("file,kernel,function,line,mnemonic,reason,offset");
  try {
    aiflame::Collapse collapse(settings);
    collapse.read(path);
    aiflame::Output out("/dev/null");
    collapse.write(out);
    out.close();
    collapse.statistics().line();
    collapse.statistics().json();
  } catch (const aiflame::Error& error) {
    if (std::string(error.what()).find("internal:") != std::string::npos) abort();
  }
  return 0;
}
