// SPDX-License-Identifier: MIT
// Takes the events of a source plugin: samples go to the joiner with their code looked up, objects
// to the code tracker.
#pragma once

#include "plugins/abi/gpustall_plugin.h"
#include "tools/gpustall-record/join/capture_tables.h"
#include "tools/gpustall-record/join/code_tracker.h"
#include "tools/gpustall-record/join/sample_intake.h"
#include "tools/gpustall-record/join/slice_joiner.h"

namespace aiflame::record {

class SourceIntake {
 public:
  SourceIntake(CaptureTables& tables, CodeTracker& code, SliceJoiner& joiner)
      : tables_(tables), code_(code), joiner_(joiner), samples_(tables, code, joiner) {}

  // Events of unknown types, from a newer plugin, are skipped. GPUSTALL_EVENT_WARNING is the
  // caller's.
  void take(const gpustall_event& event);

 private:
  void take_sample(const gpustall_event& event);

  CaptureTables& tables_;
  CodeTracker& code_;
  SliceJoiner& joiner_;
  SampleIntake samples_;
};

}  // namespace aiflame::record
