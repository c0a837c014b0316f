// SPDX-License-Identifier: MIT
#include "tools/aiflame/plan.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "tools/aiflame/input_file.h"

namespace aiflame::front {
namespace {

const Command kDraw = {"aiflame-svg"};

// A path that begins with '-' must not look like an option; "-" alone is standard input.
std::string operand(const std::string& path) {
  return path.starts_with('-') && path != "-" ? "./" + path : path;
}

Plan plan_drawing(const std::vector<std::string>& paths) {
  Plan plan;
  Command first;
  std::string kind_of_first;
  for (const std::string& path : paths) {
    const InputFile file = look_at(path);
    const std::string program = file.reader().empty() ? kDraw.front() : file.reader();
    if (first.empty()) {
      plan.output = stem(file.path) + ".svg";
      first = {program};
      kind_of_first = kind_name(file.kind);
    } else if (first.front() != program) {
      throw Error(format("%s is %s, and %s is %s: draw one kind at a time", paths.front().c_str(),
                         kind_of_first.c_str(), path.c_str(),
                         std::string(kind_name(file.kind)).c_str()));
    }
    first.push_back(operand(file.path));
  }
  const bool is_folded = first.front() == kDraw.front();
  plan.pipeline.stages.push_back(std::move(first));
  if (!is_folded) plan.pipeline.stages.push_back(kDraw);
  return plan;
}

Plan plan_comparison(const std::vector<std::string>& paths) {
  Plan plan;
  plan.output = "diff.svg";
  for (const std::string& path : paths) {
    const InputFile file = look_at(path);
    Pipeline::Input input{operand(file.path), {}};
    if (!file.reader().empty()) input.reader = {file.reader(), input.path};
    plan.pipeline.inputs.push_back(std::move(input));
  }
  plan.pipeline.stages = {{"aiflame-diff"}, kDraw};
  return plan;
}

// The name of the program that is recorded: the command's, or that of `-p PID`.
std::string recorded_name(const Settings& settings) {
  std::string name = "aiflame";
  if (!settings.command.empty()) {
    const std::string& program = settings.command.front();
    name = program.substr(program.rfind('/') + 1);
  } else if (!settings.pid.empty()) {
    std::string comm = read_text("/proc/" + settings.pid + "/comm", 64);
    if (comm.ends_with('\n')) comm.pop_back();
    if (!comm.empty() && comm.find('/') == std::string::npos) name = std::move(comm);
  }
  return name;
}

Plan plan_recording(const Settings& settings) {
  Plan plan;
  plan.output = recorded_name(settings) + ".svg";
  Command record = {"gpustall-record"};
  record.insert(record.end(), settings.record.begin(), settings.record.end());
  if (!settings.command.empty()) record.push_back("--");
  record.insert(record.end(), settings.command.begin(), settings.command.end());
  plan.pipeline.stages = {std::move(record), {"stackcollapse-aiflame"}, kDraw};
  plan.pipeline.begins_with_recorder = true;
  return plan;
}

}  // namespace

Plan make_plan(const Settings& settings) {
  Plan plan = settings.task == Settings::Task::record    ? plan_recording(settings)
              : settings.task == Settings::Task::compare ? plan_comparison(settings.files)
                                                         : plan_drawing(settings.files);
  if (!settings.output.empty()) plan.output = settings.output;
  return plan;
}

}  // namespace aiflame::front
