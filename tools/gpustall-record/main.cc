// SPDX-License-Identifier: MIT
// gpustall-record: records what an accelerator's kernels spend their time on, and which CPU code
// launched them, as text (gpustall(5)).
//
//   gpustall-record -o app.gpustall -- ./app --its options
//   gpustall-record -- ./app | stackcollapse-aiflame | aiflame-svg > app.svg
//
// in:  a source plugin's samples and code objects; the agents' launches and CPU stacks
// out: # gpustall 1
//      …
//      matmul 4711/4711 [000]  5012.010000000:         57 gpu-clock:
//              7f12c0001430 multiply_basic+0x430 (/home/u/.cache/aiflame/objects/3f2a….so)

#include <unistd.h>

#include <cstdint>
#include <string>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/arguments.h"
#include "tools/gpustall-record/command/inherited_signals.h"
#include "tools/gpustall-record/command/read_process_facts.h"
#include "tools/gpustall-record/print_environment.h"
#include "tools/gpustall-record/session.h"
#include "tools/gpustall-record/source/capture_plan.h"
#include "tools/gpustall-record/source/choose_source.h"
#include "tools/gpustall-record/write/copy_recording.h"
#include "tools/gpustall-record/write/output_name.h"

namespace aiflame::record {
namespace {

int body(int argc, char** argv) {
  const InheritedSignals inherited;
  block_snapshot_signal();
  Arguments a;
  if (!parse_arguments(argc, argv, a)) return 0;
  if (a.list) return list_sources(a.source, a.capture);
  a.output = output_name(a.output, read_process_facts(static_cast<uint32_t>(getpid())));
  if (a.print_environment) return print_environment(a.capture, a.source);
  const AttachedAgent others = agents_of_others(a.capture);
  const ChosenSource chosen = choose_source(a.source, a.capture, others);
  if (chosen.source->has(GPUSTALL_RECORDED)) {
    copy_recording(*chosen.source, a.capture, a.input, a.output, a.flight);
    return 0;
  }
  const CapturePlan plan = plan_capture(chosen, a.capture, others);
  return run_session(*chosen.source, a.output, a.capture, plan, others, a.flight, inherited);
}

}  // namespace
}  // namespace aiflame::record

int main(int argc, char** argv) {
  // 125 as timeout(1) does: other statuses are the command's own
  return aiflame::run_program("gpustall-record", argc, argv, aiflame::record::body, 125, 125);
}
