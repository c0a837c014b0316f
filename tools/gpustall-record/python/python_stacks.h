// SPDX-License-Identifier: MIT
// The Python functions in the stacks of launches that probes see: of programs without an agent. The
// kernel reads the frames while the thread stands at the probe (python_probe.bpf.c), so that they
// are the launch's. Their names are read from the process afterwards, if its code objects are still
// the same.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpustall-record/python/code_reader.h"
#include "tools/gpustall-record/python/find_python.h"
#include "tools/gpustall-record/python/mixed_stack.h"
#include "tools/gpustall-record/python/probe_program.h"

namespace aiflame::record {

class PythonStacks {
 public:
  // `directory`: where plugins and agents are. Throws Error, with the cause, when the kernel cannot
  // read frames.
  explicit PythonStacks(const std::string& directory);

  // Of a tracepoint whose hits are launches; see TraceEvent.
  void attach(const std::string& group, const std::string& tracepoint) {
    program_.attach(group, tracepoint);
  }

  // Looks for an interpreter in the process, unless that is known; its stacks have Python functions
  // from then on.
  const Python& look(uint32_t pid);
  // At the programs that run already, by the names of their files.
  void look_everywhere();
  // The process has mapped a file with code.
  void mapped(uint32_t pid, std::string_view path);
  void forked(uint32_t parent, uint32_t pid);
  void forget(uint32_t pid);

  // Comes after the hits were drained and before they are mixed.
  void drain();

  struct Hit {
    uint32_t pid, tid;
    uint64_t time, sp;
    const std::vector<uint64_t>& frames;
  };
  struct Mixed {
    std::vector<uint64_t> frames;
    std::vector<const PythonPlace*> places;  // of numbers in it; valid until the next drain()
    uint16_t flags = 0;                      // AGENT_CUT, AGENT_NO_PYTHON
  };
  // The stack of a hit with its Python functions. Hits come in order of time.
  Mixed mix(const Hit& hit);

  // Stacks for which there was no room in the kernel.
  uint64_t lost() const { return program_.lost(); }

 private:
  using Thread = std::pair<uint32_t, uint32_t>;  // pid, tid
  struct Process {
    Python python;
    uint64_t looked = 0;  // CLOCK_MONOTONIC ns
    uint64_t since = 0;   // its frames are read
    std::optional<CodeReader> code;
  };
  struct Read {  // a python_stack
    uint64_t time, sp;
    uint32_t flags;
    std::vector<python_frame> frames;
  };

  void add(uint32_t pid, Process& process);
  void make_room();
  void make_room_for_places();
  const PythonPlace& place(CodeReader& code, const python_frame& frame);
  std::optional<Read> stack_of(const Hit& hit);
  [[nodiscard]] bool name_frames(const std::vector<python_frame>& frames, Process& process,
                                 Mixed& out, PythonRuns& runs);

  FindPython find_;
  ProbeProgram program_;
  std::map<uint32_t, Process> processes_;
  std::map<Thread, std::deque<Read>> waiting_;
  size_t waiting_frames_ = 0;
  size_t new_place_bytes_ = 0;  // read since make_room_for_places()
};

}  // namespace aiflame::record
