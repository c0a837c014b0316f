// SPDX-License-Identifier: MIT
// What a program that reads a vendor's counters says to the recorder, whole and byte by byte.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/energy/energy_report.h"

namespace {

using aiflame::record::EnergyReport;

// How many counters there are in the end; nothing where the text is refused.
std::optional<size_t> counters_in(std::string_view text, size_t piece) {
  EnergyReport report;
  try {
    for (size_t at = 0; at < text.size(); at += piece) report.take(text.substr(at, piece));
  } catch (const aiflame::Error&) {
    return std::nullopt;
  }
  while (const auto reading = report.next())
    if (reading->microjoules.size() != report.counters().size()) std::abort();
  return report.counters().size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (counters_in(text, 1) != counters_in(text, size + 1)) std::abort();
  return 0;
}
