// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/kernel_table.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/import/imported_names.h"
#include "libcommon/io/input.h"
#include "tools/stackcollapse-trace/read/kernel_details.h"

namespace aiflame::trace {

void fold_kernel_table(const std::string& path, const TraceSettings& settings,
                       ImportedStacks& stacks) {
  const std::string name = input_name(path);
  if (settings.cpu || settings.timeline.needs_timeline() || !settings.stack_categories.empty())
    throw Error(name +
                ": a table of kernels has no host: no --cpu, --idle, --exposed, "
                "--stack-cats; trace_view.json has it");
  int64_t first = -1;
  read_kernel_details(path, [&](const KernelDetail& one) {
    if (first < 0) first = one.start;
    stacks.read(one.duration < 0 ? 0 : static_cast<uint64_t>(one.duration));
    if (one.duration < 0) return stacks.lose("with a negative duration", 0);
    uint32_t stack = ImportedStacks::kEmpty;
    if (settings.by_time.is_set())
      stack = stacks.child(
          stack,
          settings.by_time.name(static_cast<uint64_t>(std::max<int64_t>(one.start - first, 0))));
    if (settings.import.by_range.is_set())
      stack = stacks.child(stack, settings.import.by_range.outside());
    if (settings.rank) stack = stacks.child(stack, name.substr(name.rfind('/') + 1));
    if (settings.by_step)
      stack = stacks.child(stack, one.step.empty() ? "[no step]" : "step " + std::string(one.step));
    stack = stacks.child(stack, one.core);
    stack = stacks.child(stack, operator_frame(one.type));
    stack = stacks.child(stack, "-");
    stacks.add(stacks.child(stack, kernel_frame(one.name, settings.import.names)),
               static_cast<uint64_t>(one.duration));
  });
  hint("%s has no host: trace_view.json beside it shows what launched its kernels", name.c_str());
}

}  // namespace aiflame::trace
