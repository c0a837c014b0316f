// SPDX-License-Identifier: MIT
// Carries a recording's events from the source and the agents, through the joiner, to the output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "plugins/abi/gpustall_plugin.h"
#include "tools/gpustall-record/join/agent_intake.h"
#include "tools/gpustall-record/join/capture_tables.h"
#include "tools/gpustall-record/join/code_tracker.h"
#include "tools/gpustall-record/join/slice_joiner.h"
#include "tools/gpustall-record/join/source_intake.h"
#include "tools/gpustall-record/names/keep_objects.h"
#include "tools/gpustall-record/write/slice_writer.h"

namespace aiflame::record {

class Pipeline {
 public:
  // `event` is the event name of samples. `origin` is the start of the recording. `interval_ns` is
  // the length of a slice; 0 = samples have no time, and cut() ends the slices. `objects_directory`
  // as for ObjectStore.
  Pipeline(GpustallWriter& writer, const std::string& event, uint64_t origin, uint64_t interval_ns,
           const std::string& objects_directory, Budgets& budgets);

  // The samples of `device` have only the low `bits` of an address, see gpustall_device.
  void set_address_bits(uint32_t device, unsigned bits) {
    slice_writer_.set_address_bits(device, bits);
  }

  // Leaves out the places of files (--redact).
  void redact() {
    slice_writer_.redact();
    agents_.redact();
  }

  // Writes the recording's first lines.
  void begin(const std::vector<std::string>& header);
  // Writes a line that says more of the recording, in the form of a header's.
  void header(const std::string& line) { writer_.header(line); }
  // Takes an event of the source.
  void take(const gpustall_event& event) { source_.take(event); }
  // Sets the current time. Call it before agents are drained and slices are written.
  void set_time(uint64_t now);
  // Takes what agents and launch probes report.
  AgentIntake& agents() { return agents_; }
  // When samples have no time: ends a slice at `time`.
  void cut(uint64_t time) { joiner_.cut(time); }
  // Writes the slices that are complete and end at or before `settled`, up to which all events have
  // been taken. `all`: writes the rest too.
  void write(uint64_t settled, bool all);
  // Writes also the slices that end at or before `settled` and whose launches have not ended.
  void write_incomplete(uint64_t settled) {
    joiner_.stop_waiting(settled);
    write(settled, false);
  }
  // Keeps the CPU objects of all stacks, see keep_objects().
  KeptObjects keep_cpu_objects(const BuildIdCache& cache, bool sandboxed) {
    return keep_objects(cache, agents_.cpu_objects(), tables_.budgets, sandboxed);
  }
  // Writes the last line, and before it that launches are missing if `agents` were turned away.
  // Call write() with `all` first.
  void end(uint64_t agents);
  // Throws Error when some sample or launch is neither written, nor lost by name, nor still held.
  void check_ledger() const;

  const CaptureTotals& totals() const { return tables_.totals; }
  // What was dropped, since processes were over their budgets.
  const Budgets& budgets() const { return tables_.budgets; }

 private:
  uint64_t now_;
  GpustallWriter& writer_;
  CaptureTables tables_;
  SliceJoiner joiner_;
  CodeTracker code_;
  SourceIntake source_;
  AgentIntake agents_;
  SliceWriter slice_writer_;
};

}  // namespace aiflame::record
