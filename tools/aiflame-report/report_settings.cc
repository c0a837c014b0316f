// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/report_settings.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-report/profile.h"

namespace aiflame::report {
namespace {

std::array<double, 2> parse_work(const std::string& text) {
  const size_t comma = text.find(',');
  const std::string_view all = text;
  std::array<double, 2> out{};
  if (comma != std::string::npos) {
    out[0] = parse_number<double>(all.substr(0, comma)).value_or(0);
    out[1] = parse_number<double>(all.substr(comma + 1)).value_or(0);
  }
  // the negation also refuses NaN
  if (!(out[0] > 0) || !(out[1] > 0) || out[0] > 1e18 || out[1] > 1e18)
    throw UsageError("option '--normalize-by': '" + text +
                     "' is not two numbers greater than 0 with a comma between them");
  return out;
}

std::vector<Kind> parse_sections(std::string_view text) {
  std::vector<Kind> out;
  for (bool last = false; !last;) {
    const size_t comma = text.find(',');
    last = comma == std::string_view::npos;
    const std::string_view name = text.substr(0, comma);
    text.remove_prefix(last ? text.size() : comma + 1);
    int kind = 0;
    while (kind < kKinds && name != kind_name(static_cast<Kind>(kind))) ++kind;
    if (kind == kKinds)
      throw UsageError(
          "option '--sections': '" + std::string(name) +
          "' is not rank, memory, device, idle, reason, kernel, operator, module, finding, launch, "
          "function, line, instruction or frame");
    if (std::find(out.begin(), out.end(), static_cast<Kind>(kind)) == out.end())
      out.push_back(static_cast<Kind>(kind));
  }
  return out;
}

void check_inputs(ReportSettings& settings) {
  auto& [before, after] = settings.runs;
  if (before.empty() != after.empty()) throw UsageError("--before and --after belong together");
  if (settings.two_sides() && !settings.inputs.empty())
    throw UsageError("'" + settings.inputs[0] + "' belongs to neither --before nor --after");
  if (!settings.two_sides() && settings.inputs.empty()) settings.inputs.emplace_back("-");
  std::ptrdiff_t standard = 0;
  for (const auto* files : {&before, &after, &settings.inputs})
    standard += std::count(files->begin(), files->end(), "-");
  if (standard > 1) throw UsageError("only one of the files can be standard input");
}

void check_fail_on(const ReportSettings& settings) {
  size_t patterns = 0;
  for (const Condition& one : settings.fail_on) {
    if (one.subject == Condition::Subject::pattern) ++patterns;
    if (one.change && !settings.two_sides())
      throw UsageError("option '--fail-on': '" + one.text +
                       "' is about a change, which needs --before and --after");
  }
  if (patterns > Profile::kMostPatterns)
    throw UsageError("option '--fail-on': more than 64 regular expressions");
}

// Option values that are checked and converted after parsing.
struct Given {
  std::string work, sections, sort, match = "structure";
  std::vector<std::string> conditions;
  bool strict = false;  // there is no other way
};

void declare(Options& options, ReportSettings& settings, Given& given) {
  options.words("before", settings.runs[0], "FILE...", "the runs before, each a file");
  options.words("after", settings.runs[1], "FILE...", "the runs after");
  options.text(
      "match", given.match, "structure|offset",
      "compare device frames of the two sides by what they are, without offsets (default), "
      "or by offset too, if both ran the same code");
  options.flag("mixed", settings.mixed,
               "add and compare counts of different units or periods all the same");
  options.flag("normalize,n", settings.normalize,
               "scale each run to the same total: compare shares");
  options.text("normalize-by", given.work, "BEFORE,AFTER",
               "scale the counts before by how much work, such as launches or seconds, was done "
               "before and after");
  options.real("confidence", settings.confidence, "PERCENT",
               "of the intervals of changes; default 95");
  options.real(
      "sample", settings.sample, "N",
      "what one sample adds to a count, such as its period; default: what the input says, "
      "else of a single run the smallest count of a line if that is at least 1000, else 1");
  options.list("fail-on", given.conditions, "CONDITION",
               "exit with status 3 if it holds, e.g. 'total>+3%', 'kernel:NAME>+1000', "
               "'/REGEX/>20%'; may be given again");
  options.flag("allow-missing", settings.allow_missing,
               "what --fail-on names may be missing from all inputs, and counts 0 there");
  options.text("sections", given.sections, "LIST",
               "the sections to print, in this order; default: "
               "rank,memory,device,idle,reason,kernel,operator,module,finding,launch,function,line,"
               "instruction; "
               "also frame");
  options.text("sort", given.sort, "KEY",
               "order functions, operators, modules and kernels by self or by total; default: by "
               "self, but kernels by total");
  options.number("top", settings.top, "N", "rows of each section; default 10, 0 for all");
  options.number(
      "width", settings.width, "N",
      "cut names so that lines have at most N characters; default 0, as wide as they are");
  options.flag("strict", given.strict,
               "fail at the first malformed line, as is done without it, too");
  options.flag("json", settings.json, "write JSON");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.values("sections", [] {
    std::string names;
    for (int kind = 0; kind < kKinds; ++kind) names += std::string(kind_name(Kind(kind))) + " ";
    return names;
  });
  options.values("sort", "self total");
  options.operands(settings.inputs);
}

void take(const Given& given, ReportSettings& settings) {
  if (!given.work.empty()) settings.work = parse_work(given.work);
  settings.match = parse_match(given.match);
  if (!given.sections.empty()) settings.sections = parse_sections(given.sections);
  if (!given.sort.empty() && given.sort != "self" && given.sort != "total")
    throw UsageError("option '--sort': '" + given.sort + "' is neither self nor total");
  if (!given.sort.empty())
    settings.functions_by_self = settings.kernels_by_self = given.sort == "self";
  if (settings.confidence >= 100) throw UsageError("option '--confidence': must be less than 100");
  for (const std::string& text : given.conditions)
    settings.fail_on.push_back(parse_condition(text));
  check_inputs(settings);
  if ((settings.normalize || settings.work) && !settings.two_sides())
    throw UsageError("--normalize and --normalize-by need --before and --after");
  if (settings.normalize && settings.work)
    throw UsageError("--normalize and --normalize-by exclude each other");
  check_fail_on(settings);
}

}  // namespace

std::optional<ReportSettings> parse_report_settings(int argc, char** argv) {
  ReportSettings settings;
  Given given;
  Options options(Options::Style::gnu,
                  "[OPTION]... [FILE]..., or aiflame-report [OPTION]... --before FILE... --after "
                  "FILE...",
                  "Prints where the cost of a profile in folded stacks is: the stall reasons, "
                  "kernels, functions, source lines and instructions that cost most, and what to "
                  "try. With two sides, prints what changed most, and whether it is more than "
                  "noise. '-' is standard input.",
                  "Example: aiflame-report --before main1 main2 --after new1 new2 --fail-on "
                  "'total>+3%'");
  declare(options, settings, given);
  if (!options.parse(argc, argv)) return std::nullopt;
  take(given, settings);
  return settings;
}

}  // namespace aiflame::report
