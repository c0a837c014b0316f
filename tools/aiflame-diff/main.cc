// SPDX-License-Identifier: MIT
// aiflame-diff: what changed between two profiles, as folded lines with two counts.
//
//   aiflame-diff -n before.folded after.folded | aiflame-svg > diff.svg
//
// Reads folded(5), twice:
//   matmul;main;run_basic 57        matmul;main;run_basic 40
//   matmul;main;write 3             matmul;main;run_tiled 9
// Writes every stack of either, with its count before and after:
//   matmul;main;run_basic 57 40
//   matmul;main;run_tiled 0 9
//   matmul;main;write 3 0
//
// A drop-in for difffolded.pl.
#include "libcommon/folded.h"
#include "libcommon/input.h"
#include "libcommon/options.h"
#include "libcommon/output.h"
#include "libcommon/program.h"
#include "tools/aiflame-diff/diff.h"

namespace aiflame {
namespace {

constexpr const char* kTooLarge = "the counts are too large to be added in 64 bits";

struct Settings {
  bool normalize = false;
  bool strip_hex = false;
  std::string before, after;
};

bool parse(int argc, char** argv, Settings& settings) {
  bool strip_too = false;
  std::vector<std::string> files;
  Options options(Options::Style::gnu, "[OPTION]... BEFORE AFTER > OUT.folded",
                  "Joins two files of folded stacks, `frame;frame;... COUNT`, into lines with two "
                  "counts. '-' is standard input.",
                  "Example: aiflame-diff -n before.folded after.folded | aiflame-svg > diff.svg");
  options.flag("normalize,n", settings.normalize,
               "scale the counts of BEFORE, so that their sum is that of AFTER");
  options.flag("strip-hex,x", settings.strip_hex, "take all hexadecimal numbers as 0x...");
  options.flag("strip,s", strip_too, "the same, by difffolded.pl's name");
  options.operands(files);
  if (!options.parse(argc, argv)) return false;
  if (files.size() != 2) throw UsageError("two files are needed, BEFORE and AFTER");
  if (files[0] == "-" && files[1] == "-")
    throw UsageError("only one of the files can be standard input");
  settings.strip_hex = settings.strip_hex || strip_too;
  settings.before = files[0];
  settings.after = files[1];
  return true;
}

CountTable read_counts(const std::string& path, bool strip) {
  CountTable table;
  LineReader reader(path);
  std::string stripped;
  std::string_view line;
  while (reader.next(line)) {
    if (line.starts_with("# ") || line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    FoldedLine folded;
    if (!split_folded(line, false, folded)) throw Error(reader.place() + ": missing count");
    if (strip) {
      strip_hex(folded.stack, stripped);
      folded.stack = stripped;
    }
    const auto count = parse_count(folded.count);
    if (!count || !table.add(folded.stack, *count)) throw Error(reader.place() + ": " + kTooLarge);
  }
  table.finish();
  return table;
}

void normalize(CountTable& before, const CountTable& after, const Settings& settings) {
  if (before.total() == 0) throw Error("cannot normalize: '" + settings.before + "' has no counts");
  before.scale_to(after.total());
}

void write_diff(const CountTable& before, const CountTable& after) {
  Output out;
  uint64_t sum_before = 0, sum_after = 0;
  join(before, after, [&](std::string_view stack, uint64_t was, uint64_t is) {
    sum_before += was;
    sum_after += is;
    out.write(stack);
    out.write(" " + format_count(was, before.decimals()) + " " +
              format_count(is, after.decimals()) + "\n");
  });
  // whatever was read was written
  if (sum_before != before.total() || sum_after != after.total())
    throw Error("internal error: counts were lost");
  out.close();
}

int run(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) return 0;
  CountTable before = read_counts(settings.before, settings.strip_hex);
  CountTable after = read_counts(settings.after, settings.strip_hex);
  const unsigned decimals = std::max(before.decimals(), after.decimals());
  if (!before.widen_to(decimals) || !after.widen_to(decimals)) throw Error(kTooLarge);
  if (settings.normalize) normalize(before, after, settings);
  write_diff(before, after);
  return 0;
}

}  // namespace
}  // namespace aiflame

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-diff", argc, argv, aiflame::run);
}
