// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/settings.h"

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/io/directory.h"
#include "libcommon/process/sandbox.h"

namespace aiflame::annotate {

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(Options::Style::gnu, "[options] [FILE...]",
                  "Lists the instructions of the kernels in gpustall(5) recordings or folded(5) "
                  "text, and of the "
                  "functions in perf.data, with their "
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
  options.flag(
      "findings", out.findings,
      "of each kernel only what to look at first: where its stalls come from, and how much "
      "faster it could get at most");
  options.text("event", out.event, "NAME",
               "the event to show: gpu-stall, gpu-clock or one of perf.data; default: the first of "
               "them that the input has");
  options.text(
      "percent-type", percent_type, "kernel|total",
      "percentages of the samples of the kernel, or of the function that it calls (default), "
      "or of all");
  options.real("min-percent", out.min_percent, "PERCENT",
               "leave out kernels, and with --line source lines, with less; default 0");
  options.flag("all,a", out.every_instruction,
               "show every instruction; else more than 20 in a row without samples are one line");
  options.real("chains", out.chains, "PERCENT",
               "show what led to the stalls of each instruction with at least this part of its "
               "kernel's samples; default 1");
  options.number("context", out.context, "N",
                 "show N lines of source before and after each line; default 0");
  options.list("source-prefix", out.source_prefixes, "DIR",
               "look for source files below DIR first; may be given again");
  options.flag("full-paths", out.full_paths, "source files with directories");
  options.flag("full-names", out.full_names,
               "kernels and functions with parameters and all template arguments");
  options.flag("json", out.json, "write JSON");
  options.text("html", out.html, "FILE|DIR",
               "write a page with the source beside the instructions to FILE, or a page for each "
               "kernel, a list and links for aiflame-svg --annotate to DIR (which exists or ends "
               "in '/')");
  options.text("links", out.links, "FILE",
               "with --html: write links from the frames of a flame graph to the page to FILE, for "
               "aiflame-svg --annotate");
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
  if (!(out.chains >= 0 && out.chains <= 100))
    throw UsageError("option '--chains': not from 0 to 100");
  if (out.context > 1000) throw UsageError("option '--context': more than 1000 lines");
  if (out.json && !out.html.empty()) throw UsageError("--json and --html exclude each other");
  if (out.findings && out.lines) throw UsageError("--findings and --line exclude each other");
  if (out.findings && (out.json || !out.html.empty()))
    throw UsageError("--findings is for text; JSON and HTML have the findings in any case");
  if (out.lines && (out.json || !out.html.empty()))
    throw UsageError("--line is for text; JSON and HTML have the lines in any case");
  if (out.html.ends_with('/') || is_directory(out.html)) {
    if (!out.links.empty()) throw UsageError("option '--links': a directory has its own");
    out.pages = out.html;
    while (out.pages.ends_with('/') && out.pages.size() > 1) out.pages.pop_back();
    out.html = out.pages + "/index.html";
    out.links = out.pages + "/links";
  }
  if (!out.links.empty() && (out.html.empty() || out.html == "-" || out.links == "-"))
    throw UsageError("option '--links': needs a file, and --html with another one");
  if (out.stats == "-") throw UsageError("option '--stats': standard output has the listing");
  if (out.inputs.empty()) out.inputs.emplace_back("-");
  return out;
}

}  // namespace aiflame::annotate
