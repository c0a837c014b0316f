// SPDX-License-Identifier: MIT
// aiflame-report: shows where the cost of a profile is, or what has changed, as text or JSON.
//
//   aiflame-report --before main.1 main.2 main.3 --after new.1 new.2 new.3 --fail-on 'total>+3%'
//
// Reads folded(5):
//   matmul;main;run_basic;-;matmul.cl_[G];multiply_basic_[G];send.ugm_[g];sbid_[g];0x1430_[g] 57
//   matmul;main;run_basic;-;matmul.cl_[G];multiply_basic_[G];mad_[g];active_[g];0x1440_[g] 12
//   matmul;main;write 3
// Writes the most expensive stall reasons, kernels, functions, source lines and instructions:
//   # Kernels, by total
//   # Self       %  Total       %  Kernel
//       69  95.83%     69  95.83%  multiply_basic
#include <algorithm>
#include <deque>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-report/report_json.h"
#include "tools/aiflame-report/report_settings.h"
#include "tools/aiflame-report/report_text.h"

namespace aiflame::report {
namespace {

// The exit status when a --fail-on condition holds. timeout(1) uses 124 and up, diff(1) and grep(1)
// use 1.
constexpr int kFailed = 3;

bool wants_frames(const ReportSettings& settings) {
  const auto of_frame = [](const Condition& one) {
    return one.subject == Condition::Subject::thing && one.kind == Kind::frame;
  };
  return std::find(settings.sections.begin(), settings.sections.end(), Kind::frame) !=
             settings.sections.end() ||
         std::any_of(settings.fail_on.begin(), settings.fail_on.end(), of_frame);
}

void read(Profile& profile, ReportSettings& settings) {
  profile.set_match(settings.match);
  if (!settings.two_sides()) {
    profile.begin_run();
    for (const std::string& path : settings.inputs) profile.read_side(path);
    // each side of a difference is one run over all files
    if (profile.is_difference()) settings.runs[0] = settings.runs[1] = {settings.inputs.front()};
    return;
  }
  // several runs show better how much they vary
  if (settings.runs[0].size() == 1 && settings.runs[1].size() == 1) profile.keep_slices();
  for (const auto& side : settings.runs) {
    for (const std::string& path : side) {
      profile.begin_run();
      profile.read(path);
    }
  }
}

// Prints the conditions that hold.
int exit_status(const Report& report, const ReportSettings& settings) {
  int status = 0;
  for (const Verdict& verdict : report.verdicts) {
    if (!verdict.failed) continue;
    say("failed: %s", printable(verdict_text(verdict, report, settings)).c_str());
    status = kFailed;
  }
  return status;
}

std::vector<std::string> all_paths(const ReportSettings& settings) {
  std::vector<std::string> out = settings.inputs;
  for (const auto& side : settings.runs) out.insert(out.end(), side.begin(), side.end());
  return out;
}

int run(int argc, char** argv) {
  std::optional<ReportSettings> settings = parse_report_settings(argc, argv);
  if (!settings) return 0;
  std::deque<Pattern> patterns;
  std::vector<const Pattern*> pointers;
  for (const Condition& one : settings->fail_on)
    if (one.subject == Condition::Subject::pattern)
      pointers.push_back(&patterns.emplace_back(one.name));
  if (!settings->no_sandbox) drop_rights({.files = all_paths(*settings)});
  if (!settings->two_sides()) outlive_interrupt();
  Profile profile(pointers, wants_frames(*settings));
  read(profile, *settings);
  profile.finish();
  const Report report = make_report(profile, *settings);
  Output out;
  out.write(settings->json ? report_json(report, *settings) : report_text(report, *settings));
  out.close();
  return exit_status(report, *settings);
}

}  // namespace
}  // namespace aiflame::report

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-report", argc, argv, aiflame::report::run);
}
