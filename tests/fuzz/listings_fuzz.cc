// SPDX-License-Identifier: MIT
// Listings of aiflame-annotate, as aiflame-svg reads them. What comes out has no markup, and no
// line more than went in.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/listing/listings.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  ListingsReader reader;
  try {
    // each input is of one listing, of which the fuzzer need not find the first line
    reader.read(kListingsHeader);
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
      for (const char c : reader.read(line))
        if (c == '<' || c == '>' || c == '\n' || (c != '\t' && c >= 0 && c < ' ')) abort();
    }
    reader.end();
  } catch (const Error&) {
  }
  return 0;
}
