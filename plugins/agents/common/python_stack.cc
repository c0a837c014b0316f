/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/python_stack.h"

namespace aiflame::agent {
namespace {

void push(MixedFrames& out, uint64_t frame) {
  if (out.count == out.capacity)
    out.is_cut = true;
  else
    out.frames[out.count++] = frame;
}

}  // namespace

bool interleave(const NativeFrames& native, const PythonFrames& python, NumberFrame number,
                void* context, bool (*is_interpreter)(uint64_t pc), MixedFrames& out) {
  uint32_t run = 0, frame = 0;
  const auto push_run = [&] {
    for (; frame < python.runs[run].end; ++frame)
      if (const uint64_t written = number(context, python.frames[frame]); written != 0)
        push(out, written);
    ++run;
  };
  for (int i = 0; i < native.count; ++i) {
    push(out, native.addresses[i]);
    const bool is_last = i + 1 == native.count;
    for (; run < python.run_count; push_run()) {
      const uint64_t at = python.runs[run].stack_address;
      if (at < native.pointers[i]) return false;
      if (!is_last && at >= native.pointers[i + 1]) break;
      // beyond the last native frame the C frame is unknown
      if (is_last) break;
      if (!is_interpreter(native.addresses[i])) return false;
    }
  }
  out.is_cut = out.is_cut || native.is_cut || python.is_cut;
  if (native.is_cut) return true;
  while (run < python.run_count) push_run();
  return true;
}

}  // namespace aiflame::agent
