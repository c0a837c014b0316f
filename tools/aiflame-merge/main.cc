// SPDX-License-Identifier: MIT
// aiflame-merge: adds up sorted files of folded stacks, however many there are.
//
//   aiflame-merge rank*.folded | aiflame-svg > all.svg
//
// Reads folded(5):
//   app;main;read 3                 app;main;read 2
//   app;main;write 4                app;main;sync 1
// Writes each stack once:
//   app;main;read 5
//   app;main;sync 1
//   app;main;write 4
//
// All goes through a temporary file, so that an error in the last input leaves no output.
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-merge/merge_files.h"
#include "tools/aiflame-merge/merge_settings.h"
#include "tools/aiflame-merge/merged_quantity.h"

namespace aiflame::merge {
namespace {

int run(int argc, char** argv) {
  const std::optional<MergeSettings> settings = parse_merge_settings(argc, argv);
  if (!settings) return 0;
  if (!settings->no_sandbox) drop_rights({.files = settings->paths, .temporary_files = true});
  Spool merged;
  const Said said = merge_files(settings->paths, merged);
  const Quantity quantity = merged_quantity(settings->paths, said.quantities, settings->mixed);
  Output out;
  if (quantity.is_known()) out.write(quantity_line(quantity));
  for (const LaunchFact& fact : said.launches.all()) out.write(launch_fact_line(fact));
  ByteSource lines = merged.read();
  std::string block(size_t{256} << 10, '\0');
  while (const size_t size = lines.read(block.data(), block.size()))
    out.write(std::string_view(block).substr(0, size));
  out.close();
  return 0;
}

}  // namespace
}  // namespace aiflame::merge

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-merge", argc, argv, aiflame::merge::run);
}
