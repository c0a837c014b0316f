// SPDX-License-Identifier: MIT
// Takes what agents and launch probes report: launches with their stacks, code objects, and, from
// agents that are the source, samples. Names are looked up at once, while the process is alive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/gpustall/process_facts.h"
#include "tools/gpustall-record/agents/agent_listener.h"
#include "tools/gpustall-record/budget/recent_processes.h"
#include "tools/gpustall-record/join/agent_devices.h"
#include "tools/gpustall-record/join/agent_reasons.h"
#include "tools/gpustall-record/join/capture_tables.h"
#include "tools/gpustall-record/join/code_tracker.h"
#include "tools/gpustall-record/join/memory_sizes.h"
#include "tools/gpustall-record/join/sample_intake.h"
#include "tools/gpustall-record/join/slice_joiner.h"
#include "tools/gpustall-record/names/cpu_names.h"
#include "tools/gpustall-record/names/python_frames.h"
#include "tools/gpustall-record/names/stack_namer.h"

namespace aiflame::record {

class AgentIntake : public AgentListener {
 public:
  // `origin` is the start of the recording.
  AgentIntake(uint64_t origin, CaptureTables& tables, CodeTracker& code, SliceJoiner& joiner);

  // The place of a device of the source, see AgentDevices.
  void set_place(uint32_t device, const std::string& place) { devices_.set_place(device, place); }
  // Accepts samples: the agents of source `name` take them. Without this call, agents' samples are
  // ignored.
  void accept_samples(const std::string& name);
  // --memory
  void accept_memory() { accepts_memory_ = true; }
  // When an agent last began to sample or ended a slice of its samples; 0 = never.
  uint64_t last_sampled() const { return std::max(last_drain_, last_sampling_); }

  // --no-sandbox
  void keep_rights() { cpu_names_.keep_rights(); }

  // Sets the current time. Call it before each drain of the agents: times in their records that lie
  // far beyond it are not believed.
  void set_time(uint64_t now);
  // Adds the losses that wait for their records, at the time of the latest launch or sample.
  void place_losses();
  // Ends the slices that agents have not ended, at the end of the recording.
  void end_slices();
  // Header lines that are new since the last call: who processes are, the devices that agents have
  // begun to sample, and the build ids of the objects in stacks.
  std::vector<std::string> take_header_lines();
  // Leaves out the build ids: the lines name files by their places (--redact).
  void redact() { is_redacted_ = true; }
  // The files of the stacks so far.
  std::vector<CpuNames::Object> cpu_objects() const { return cpu_names_.objects(); }

  void on_connected(uint32_t pid) override;
  void on_root(uint32_t pid, int root) override { cpu_names_.set_root(pid, root); }
  void on_device(uint32_t pid, uint32_t number, std::string_view place) override;
  void on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
              std::string_view path, bool first) override;
  void on_fork(uint32_t parent, uint32_t pid) override;
  void on_text(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
               uint32_t line) override;
  void on_python(uint32_t pid, uint32_t version, bool has_no_gil) override;
  void on_stack(uint32_t pid, const Stack& stack) override;
  void on_size(uint32_t pid, const agent_size& size) override;
  void on_launch(uint32_t pid, const agent_launch& launch) override;
  void on_done(uint32_t pid, const agent_done& done) override;
  void on_launches(uint32_t pid, const agent_launches& launches) override;
  void on_call(uint32_t pid, const agent_call& call) override;
  void on_allocated(uint32_t pid, const agent_allocated& allocated) override;
  void on_freed(uint32_t pid, const agent_freed& freed) override;
  void on_memory(uint32_t pid, uint32_t device, uint64_t bytes) override;
  void on_lost_memory(uint32_t pid, uint64_t count) override;
  void on_load(uint32_t pid, const agent_code& code, const ObjectContent& content) override;
  void on_unload(uint32_t pid, const agent_code& code) override;
  void on_lost(uint32_t pid, uint64_t launches) override;
  void on_lost_calls(uint32_t, uint64_t calls) override {
    add_saturating(tables_.totals.lost_calls, calls);
  }
  void on_gone(uint32_t pid) override;
  void on_sampling(uint32_t pid, uint32_t device, uint64_t period, std::string_view unit,
                   std::string_view name) override;
  void on_reason(uint32_t pid, uint32_t number, std::string_view name) override;
  void on_sample(uint32_t pid, const agent_sample& sample) override;
  void on_lost_samples(uint32_t pid, uint32_t device, uint64_t count) override;
  void on_drained(uint32_t pid, uint64_t time) override;
  void on_message(uint32_t pid, std::string_view text, bool is_hint) override;

 private:
  uint64_t plausible(uint64_t time) const;
  void note_process(uint32_t pid);
  bool is_over_budget(uint32_t pid, const Stack& stack);
  DistinctLaunch* find_launch(uint32_t pid, uint64_t id);
  void release_memory(uint32_t pid, const std::vector<uint32_t>& calls);
  void remove_ended();
  void forget(uint32_t pid);

  CaptureTables& tables_;
  CodeTracker& code_;
  SliceJoiner& joiner_;
  SampleIntake samples_;
  CpuNames cpu_names_;
  PythonFrames python_frames_;
  StackNamer stack_namer_;
  AgentDevices devices_;
  AgentReasons reasons_;
  const uint64_t origin_;
  uint64_t now_, previous_;  // the last two times of set_time()
  bool is_ending_ = false;
  // Launches of programs that have ended, removed when the last slice that may have them is
  // written.
  struct Ended {
    uint64_t time = 0;
    uint32_t pid = 0;
    std::vector<uint32_t> launches;
  };
  std::deque<Ended> ended_;

  // Samples by agents.
  bool accepts_samples_ = false;
  std::string source_name_;
  std::map<uint32_t, std::vector<TimedSample>> open_samples_;  // by pid: their slice has not ended
  uint64_t last_drain_ = 0, last_sampling_ = 0;

  bool accepts_memory_ = false;
  MemorySizes memory_sizes_;

  RecentProcesses<ProcessFacts> facts_;

  // For the output and the user, each once.
  std::vector<std::string> new_header_lines_;
  bool is_redacted_ = false;
  std::set<std::string> device_lines_, messages_;
};

}  // namespace aiflame::record
