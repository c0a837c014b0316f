// SPDX-License-Identifier: MIT
// aiflame-annotate: the bytes follow `# gpustall 1`, so all of them are inside a recording, or a
// line that makes them folded text. Each format of the output has every sample, whatever they say.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-annotate/listing.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  const bool folded = size % 3 == 1;
  file.set(folded ? "# aiflame: event gpu-stall, unit stalls\n" : "# gpustall 1\n",
           {reinterpret_cast<const char*>(data), size});
  annotate::Settings settings;
  settings.json = size % 4 == 0;
  settings.lines = size % 4 == 1;
  if (size % 4 == 2) settings.html = "-";
  settings.context = size % 3;
  settings.of_total = size % 5 == 0;
  settings.every_instruction = size % 2 == 0;
  if (size % 7 == 0) settings.min_percent = 10;
  try {
    annotate::SampledCodeTable samples;
    samples.read(ByteSource(file.path()));
    Output out("/dev/null");
    write_listing(samples, settings, out);
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("internal")) std::abort();
  }
  return 0;
}
