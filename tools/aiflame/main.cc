// SPDX-License-Identifier: MIT
// aiflame: from a file or a program to a picture in one command.
//
//   aiflame trace.json.gz      stackcollapse-trace trace.json.gz | aiflame-svg > trace.svg
//   aiflame diff a b           aiflame-diff <(stackcollapse-aiflame a) b | aiflame-svg > diff.svg
//   aiflame record -- ./app    gpustall-record -- ./app | stackcollapse-aiflame |
//                                aiflame-svg > app.svg
//
// The programs do the work; this one knows which.
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "libcommon/base/program.h"
#include "tools/aiflame/front_settings.h"
#include "tools/aiflame/picture.h"
#include "tools/aiflame/plan.h"

namespace aiflame::front {
namespace {

void open_picture(std::string path) {
  std::string program = "xdg-open";
  char* arguments[] = {program.data(), path.data(), nullptr};
  pid_t child = -1;
  int status = posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ);
  if (status == 0 && waitpid(child, &status, 0) == child && status == 0) return;
  warn("xdg-open did not open '%s'; package xdg-utils has it", path.c_str());
}

int run_aiflame(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  const Plan plan = make_plan(*settings);
  Picture picture(plan.output, !settings->output.empty());
  if (settings->print) say("%s", shell_text(plan.pipeline, plan.output).c_str());
  const Outcome outcome = run(plan.pipeline, picture.descriptor());
  if (!outcome.failure.empty()) {
    say("%s: no picture is written", outcome.failure.c_str());
    return outcome.status;
  }
  picture.finish();
  if (plan.output != "-") say("wrote %s", plan.output.c_str());
  if (settings->open) open_picture(plan.output);
  return outcome.status;
}

}  // namespace
}  // namespace aiflame::front

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame", argc, argv, aiflame::front::run_aiflame);
}
