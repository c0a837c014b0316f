// SPDX-License-Identifier: MIT
#include "tools/aiflame/plan.h"

#include <algorithm>

#include "libcommon/base/parse.h"
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
std::string recorded_name(const Command& arguments) {
  const auto command = std::find(arguments.begin(), arguments.end(), "--");
  if (command != arguments.end() && command + 1 != arguments.end()) {
    const std::string& program = *(command + 1);
    return program.substr(program.rfind('/') + 1);
  }
  const auto option = std::find_if(arguments.begin(), command, [](const std::string& word) {
    return word == "-p" || word == "--pid";
  });
  if (option != command && option + 1 != command) {
    std::string comm(trim_right(read_text("/proc/" + *(option + 1) + "/comm", 64)));
    if (!comm.empty() && comm.find('/') == std::string::npos) return comm;
  }
  // `aiflame record ./app`
  const std::string& first = arguments.front();
  return first.starts_with('-') ? "aiflame" : first.substr(first.rfind('/') + 1);
}

Plan plan_recording(const Command& arguments) {
  Plan plan;
  plan.output = recorded_name(arguments) + ".svg";
  Command record = {"gpustall-record"};
  record.insert(record.end(), arguments.begin(), arguments.end());
  plan.pipeline.stages = {std::move(record), {"stackcollapse-aiflame"}, kDraw};
  plan.pipeline.begins_with_recorder = true;
  return plan;
}

}  // namespace

Plan make_plan(const Settings& settings) {
  Plan plan = settings.task == Settings::Task::record    ? plan_recording(settings.record)
              : settings.task == Settings::Task::compare ? plan_comparison(settings.files)
                                                         : plan_drawing(settings.files);
  if (!settings.output.empty()) plan.output = settings.output;
  return plan;
}

}  // namespace aiflame::front
