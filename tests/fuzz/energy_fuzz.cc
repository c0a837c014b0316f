// SPDX-License-Identifier: MIT
// The energy of a recording: the bytes follow `# energy 0 : `, and what is read is read again from
// what is written of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/gpustall/energy_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  const auto reading = aiflame::parse_energy("energy 0", value);
  if (!reading) return 0;
  const std::string text = aiflame::energy_text(*reading);
  constexpr std::string_view kKey = "energy 0 : ";
  const auto again = aiflame::parse_energy("energy 0", std::string_view(text).substr(kKey.size()));
  if (!again || again->microjoules != reading->microjoules || again->start != reading->start ||
      again->stop != reading->stop)
    std::abort();
  return 0;
}
