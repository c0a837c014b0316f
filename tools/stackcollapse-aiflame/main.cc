// SPDX-License-Identifier: MIT
// stackcollapse-aiflame: folds gpustall(5) recordings, perf.data and `perf script` text into merged
// stacks.
//
//   gpustall-record ./app | stackcollapse-aiflame | aiflame-svg > app.svg
//
//   matmul 4711/4713 [000]  5012.000123000:          1 gpu-launch:
//       800000000a00 multiply_basic+0x0 (/home/u/objects/3f2a.zebin)
//             4012ab run_basic(float*)+0x2b (/home/u/matmul)
//
//   matmul 4711/4713 [000]  5012.010000000:         57 gpu-stall:
//                  0 sbid ([stall])
//       800000001430 multiply_basic+0xa30 (/home/u/objects/3f2a.zebin)
//
//   matmul;run_basic;-;matmul.cl_[G];multiply_basic_[G];sbid_[g];0xa30_[g] 57
//
// Without device events in the input it is a drop-in for stackcollapse-perf.pl.
#include <memory>
#include <optional>
#include <string>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/import/compiled_code.h"
#include "libcommon/objects/disassembly.h"
#include "libcommon/process/sandbox.h"
#include "tools/stackcollapse-aiflame/collapse.h"
#include "tools/stackcollapse-aiflame/command_line.h"

namespace aiflame::collapse {
namespace {

void write_statistics(Output& json, const Statistics& statistics) {
  json.write(statistics.json());
  json.close();
}

// One line for people. Nothing where the whole input is drawn, as stackcollapse-perf.pl does.
void report(const Statistics& statistics) {
  for (const std::string& line : statistics.window_lines()) say("%s", line.c_str());
  if (statistics.has_device_events()) {
    say("%s", statistics.line().c_str());
    return;
  }
  const std::string others = statistics.not_drawn();
  std::string drawn = statistics.drawn;
  if (statistics.pmus > 0) drawn += format(", one event of %zu PMUs", statistics.pmus);
  const bool is_plain = statistics.chosen && statistics.drawn == statistics.asked;
  if (statistics.pmus > 0 || (!is_plain && !others.empty()))
    say("drawn: %s%s%s", drawn.c_str(), others.empty() ? "" : "; not drawn: ", others.c_str());
  if (statistics.filtering) say("%s", statistics.filter_line().c_str());
}

// Objects are named by what is recorded, so any file may have to be read.
void enter_sandbox() {
  Rights rights = disassembler_rights();
  rights.temporary_files = true;  // compressed perf.data
  drop_rights(rights);
}

int collapse(int argc, char** argv) {
  CommandLine command_line;
  if (!parse_command_line(argc, argv, command_line)) return 0;

  std::optional<Output> statistics;
  if (!command_line.stats.empty())
    statistics.emplace(command_line.stats, Output::Existing::kept_until_written);
  if (!command_line.no_sandbox) enter_sandbox();
  outlive_interrupt();
  static CompiledCode compiled;
  for (const std::string& path : command_line.inductor) compiled.read(path);
  if (!compiled.empty()) command_line.settings.sources.compiled = &compiled;
  // The tables are never destroyed: the system frees the memory faster when the program ends.
  static Collapse* const stacks = std::make_unique<Collapse>(command_line.settings).release();
  stacks->read_all(command_line.inputs);
  Output out;
  stacks->write(out);
  if (statistics) write_statistics(*statistics, stacks->statistics());
  out.close();
  report(stacks->statistics());
  return 0;
}

}  // namespace
}  // namespace aiflame::collapse

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-aiflame", argc, argv, aiflame::collapse::collapse);
}
