// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/diff_settings.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"

namespace aiflame::diff {
namespace {

// "1000,1200.5"
Pair parse_work(const std::string& text) {
  const size_t comma = text.find(',');
  const auto before = parse_count(std::string_view(text).substr(0, comma));
  const auto after = comma == std::string::npos
                         ? std::nullopt
                         : parse_count(std::string_view(text).substr(comma + 1));
  if (!before || !after || before->value == 0 || after->value == 0)
    throw UsageError("option '--normalize-by': '" + text +
                     "' is not two numbers greater than 0 with a comma between them");
  Count one = *before, other = *after;
  const unsigned decimals = std::max(one.decimals, other.decimals);
  if (!widen(one, decimals) || !widen(other, decimals))
    throw UsageError("option '--normalize-by': '" + text + "' is too large");
  return {one.value, other.value};
}

void assign_paths(Paths& paths, const std::vector<std::string>& operands) {
  if (paths[0].empty() != paths[1].empty())
    throw UsageError("--before and --after belong together");
  if (paths[0].empty()) {
    if (operands.size() != 2) throw UsageError("two files are needed, BEFORE and AFTER");
    for (size_t side = 0; side < kSides; ++side) paths[side].push_back(operands[side]);
  } else if (!operands.empty()) {
    throw UsageError("'" + operands[0] + "' belongs to neither --before nor --after");
  }
  const auto inputs = std::count(paths[0].begin(), paths[0].end(), "-") +
                      std::count(paths[1].begin(), paths[1].end(), "-");
  if (inputs > 1) throw UsageError("only one of the files can be standard input");
}

}  // namespace

std::optional<DiffSettings> parse_diff_settings(int argc, char** argv) {
  DiffSettings settings;
  bool strip_too = false, mixed = false;
  std::string work, match = "structure";
  std::vector<std::string> operands;
  Options options(Options::Style::gnu,
                  "[OPTION]... BEFORE AFTER > OUT.folded, or aiflame-diff [OPTION]... --before "
                  "FILE... --after FILE... > OUT.folded",
                  "Joins files of folded stacks, `frame;frame;... COUNT`, of two sides into lines "
                  "with two counts. '-' is standard input.",
                  "Example: aiflame-diff before.folded after.folded | aiflame-svg > diff.svg");
  options.words("before", settings.paths[0], "FILE...",
                "the runs before: counts are the mean of these files");
  options.words("after", settings.paths[1], "FILE...", "the runs after");
  options.flag("normalize,n", settings.normalize,
               "scale the counts before, so that their sum is that of those after");
  options.text("normalize-by", work, "BEFORE,AFTER",
               "scale the counts before by how much work, such as launches or seconds, was done "
               "before and after");
  options.text("match", match, "structure|offset",
               "compare device frames by structure, which is kernel, inlined functions, line, "
               "mnemonic and reason (the default), or also by offset, for runs of one build");
  double confidence = 95;
  options.real(
      "confidence", confidence, "PERCENT",
      "this part of the changes beyond noise is real; default 95; 0 leaves out the lines of noise");
  options.flag("strip-hex,x", settings.rewriting.strip_hex,
               "take all hexadecimal numbers as 0x...");
  options.flag("strip,s", strip_too, "the same, by difffolded.pl's name");
  options.flag("mixed", mixed, "compare counts of different units or periods all the same");
  bool strict = false;  // there is no other way
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(operands);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.rewriting.strip_hex = settings.rewriting.strip_hex || strip_too;
  settings.rewriting.match = parse_match(match);
  if (!work.empty()) settings.work = parse_work(work);
  if (confidence >= 100) throw UsageError("option '--confidence': must be less than 100");
  settings.confidence = confidence / 100;
  if (settings.work && settings.normalize)
    throw UsageError("--normalize and --normalize-by exclude each other");
  if (mixed)
    settings.comparison = Compared::mixed;
  else if (settings.normalize)
    settings.comparison = Compared::shares;
  assign_paths(settings.paths, operands);
  return settings;
}

}  // namespace aiflame::diff
