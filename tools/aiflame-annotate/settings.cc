// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/settings.h"

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"

namespace aiflame::annotate {

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(
      Options::Style::gnu, "[options] [FILE...]",
      "Lists the instructions of the kernels in gpustall(5) recordings, and of the functions in "
      "perf.data, with their "
      "samples, stall reasons, source lines and what they wait for, the kernel with "
      "most samples first. '-' and no FILE are standard input.",
      "Example:\n  gpustall-record -o r.gpustall ./app; aiflame-annotate r.gpustall");
  Settings out;
  std::vector<std::string> kernels;
  std::string percent_type = "kernel";
  options.list("kernel,k", kernels, "PATTERN",
               "only kernels whose name, or that of the function they call, this regular "
               "expression matches; may be given again");
  options.flag("line,l", out.lines, "a summary by source line, hottest first");
  options.text("event", out.event, "NAME",
               "the event to show: gpu-stall, gpu-clock or one of perf.data; default: the first of "
               "them that the input has");
  options.text("percent-type", percent_type, "kernel|total",
               "percentages of the kernel's samples (default), or of all");
  options.real("min-percent", out.min_percent, "PERCENT",
               "leave out kernels, and with --line source lines, with less; default 0");
  options.flag("all,a", out.every_instruction,
               "show every instruction; else more than 20 in a row without samples are one line");
  options.number("context", out.context, "N",
                 "show N lines of source before and after each line; default 0");
  options.list("source-prefix", out.source_prefixes, "DIR",
               "look for source files below DIR first; may be given again");
  options.flag("full-paths", out.full_paths, "source files with directories");
  options.flag("full-names", out.full_names,
               "kernels and functions with parameters and all template arguments");
  options.flag("json", out.json, "write JSON");
  options.text("html", out.html, "FILE",
               "write a page with the source beside the instructions to FILE");
  options.text("links", out.links, "FILE",
               "with --html: write links from the frames of a flame graph to the page to FILE, for "
               "aiflame-svg --nameattr");
  options.text("stats", out.stats, "FILE", "write the statistics as JSON to FILE");
  options.flag("no-sandbox", out.no_sandbox, kNoSandboxHelp);
  options.values("event", "gpu-stall gpu-clock");
  options.values("percent-type", "kernel total");
  options.operands(out.inputs);
  if (!options.parse(argc, argv)) return std::nullopt;
  for (const std::string& expression : kernels) out.kernels.emplace_back(expression);
  if (percent_type != "kernel" && percent_type != "total")
    throw UsageError("option '--percent-type': '" + percent_type + "' is neither kernel nor total");
  out.of_total = percent_type == "total";
  // the negation also refuses NaN
  if (!(out.min_percent >= 0 && out.min_percent <= 100))
    throw UsageError("option '--min-percent': not from 0 to 100");
  if (out.context > 1000) throw UsageError("option '--context': more than 1000 lines");
  if (out.json && !out.html.empty()) throw UsageError("--json and --html exclude each other");
  if (out.lines && (out.json || !out.html.empty()))
    throw UsageError("--line is for text; JSON and HTML have the lines in any case");
  if (!out.links.empty() && (out.html.empty() || out.html == "-" || out.links == "-"))
    throw UsageError("option '--links': needs a file, and --html with another one");
  if (out.stats == "-") throw UsageError("option '--stats': standard output has the listing");
  if (out.inputs.empty()) out.inputs.emplace_back("-");
  return out;
}

}  // namespace aiflame::annotate
