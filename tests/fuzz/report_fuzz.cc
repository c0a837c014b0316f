// SPDX-License-Identifier: MIT
// folded(5) as input of aiflame-report: one profile or a difference, written as text and as JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/text/pattern.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-report/report_json.h"
#include "tools/aiflame-report/report_text.h"

using namespace aiflame;
using namespace aiflame::report;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  static const Pattern pattern("a|b+");
  file.set(std::string_view(reinterpret_cast<const char*>(data), size));
  ReportSettings settings;
  settings.inputs = {file.path()};
  for (int kind = 0; kind < kKinds; ++kind) settings.sections.push_back(static_cast<Kind>(kind));
  settings.fail_on = {parse_condition("total>3"), parse_condition("/a|b+/>20%")};
  try {
    Profile profile({&pattern}, true);
    profile.set_match(Match::structure);
    profile.keep_slices();
    profile.begin_run();
    profile.read_side(file.path());
    profile.finish();
    if (profile.is_difference()) settings.runs[0] = settings.runs[1] = {file.path()};
    const Report report = make_report(profile, settings);
    if (report_text(report, settings).empty() || report_json(report, settings).empty()) abort();
    // a cost without a frame is in no total
    if (!report.two_sides && report.total != profile.runs()[0].total) abort();
  } catch (const Error&) {
  }
  return 0;
}
