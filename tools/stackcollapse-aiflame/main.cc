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
#include <string>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/collapse.h"
#include "tools/stackcollapse-aiflame/command_line.h"

namespace aiflame::collapse {
namespace {

void write_statistics(const std::string& path, const Statistics& statistics) {
  Output json(path);
  json.write(statistics.json());
  json.close();
}

// One line for people. Nothing where the whole input is drawn, as stackcollapse-perf.pl does.
void report(const Statistics& statistics) {
  if (statistics.has_device_events()) {
    say("%s", statistics.line().c_str());
    return;
  }
  const std::string others = statistics.not_drawn();
  if (!statistics.chosen && !others.empty())
    say("drawn: %s; not drawn: %s", statistics.drawn.c_str(), others.c_str());
  if (statistics.filtering) say("%s", statistics.filter_line().c_str());
}

int collapse(int argc, char** argv) {
  CommandLine command_line;
  if (!parse_command_line(argc, argv, command_line)) return 0;

  outlive_interrupt();
  // The tables are never destroyed: the system frees the memory faster when the program ends.
  static Collapse* const stacks = std::make_unique<Collapse>(command_line.settings).release();
  stacks->read_all(command_line.inputs);
  Output out;
  stacks->write(out);
  if (!command_line.stats.empty()) write_statistics(command_line.stats, stacks->statistics());
  out.close();
  report(stacks->statistics());
  return 0;
}

}  // namespace
}  // namespace aiflame::collapse

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-aiflame", argc, argv, aiflame::collapse::collapse);
}
