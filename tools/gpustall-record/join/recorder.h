// SPDX-License-Identifier: MIT
// Puts together what a source and the agents tell, slice by slice, and writes it as gpustall(5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "plugins/abi/gpustall_plugin.h"
#include "tools/gpustall-record/capture/agent_devices.h"
#include "tools/gpustall-record/capture/agent_reasons.h"
#include "tools/gpustall-record/capture/agent_records.h"
#include "tools/gpustall-record/capture/python_frames.h"
#include "tools/gpustall-record/join/loaded_code.h"
#include "tools/gpustall-record/join/recording.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/write/cpu_names.h"
#include "tools/gpustall-record/write/slice_writer.h"
#include "tools/gpustall-record/write/stack_namer.h"

namespace aiflame::record {

class Recorder : public AgentListener {
 public:
  Recorder(Output& out, std::string event, uint64_t origin, uint64_t interval_ns,
           const std::string& objects_directory);

  // `# gpustall 1` and its header lines.
  void begin(const std::vector<std::string>& header);
  // What a source whose samples have no time has told since the last call is one slice, up to
  // `now`.
  void cut(uint64_t now) { slices_.cut(now); }
  // Where a device of the source sits, for what agents tell of devices.
  void set_place(uint32_t device, const std::string& place) { devices_.set_place(device, place); }
  // Samples of `device` tell so many low bits of an address, and not whose: see gpustall_device.
  void set_address_bits(uint32_t device, unsigned bits) {
    slice_writer_.set_address_bits(device, bits);
  }
  // Samples of the source `name` come from its agents.
  void take_samples_of_agents(const std::string& name) {
    samples_by_agents_ = true;
    source_name_ = name;
  }
  // When an agent began to sample, or ended a slice of its samples, last; 0 = never.
  uint64_t last_sampled() const { return std::max(last_drain_, last_sampling_); }
  // It is `now`: nothing honest that is told until the next call is much later than that.
  void tick(uint64_t now);
  void take(const gpustall_event& event);
  // Writes the slices that are complete up to `settled`; `all`: the rest too.
  void write(uint64_t settled, bool all);
  void end();
  const Totals& totals() const { return recording_.totals; }

  void on_connected(uint32_t pid) override;
  void on_device(uint32_t pid, uint32_t number, std::string_view place) override;
  void on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
              std::string_view path, bool first) override;
  void on_fork(uint32_t parent, uint32_t pid) override { cpu_names_.fork(parent, pid); }
  void on_text(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
               uint32_t line) override;
  void on_python(uint32_t pid, uint32_t version) override;
  void on_stack(uint32_t pid, const Stack& stack) override;
  void on_launch(uint32_t pid, const agent_launch& launch) override;
  void on_done(uint32_t pid, const agent_done& done) override;
  void on_launches(uint32_t pid, const agent_launches& launches) override;
  void on_load(uint32_t pid, const agent_code& code, const std::string& content) override;
  void on_unload(uint32_t pid, const agent_code& code) override;
  void on_lost(uint32_t pid, uint64_t launches) override;
  void on_gone(uint32_t pid) override;
  void on_sampling(uint32_t pid, uint32_t device, uint64_t period, std::string_view unit,
                   std::string_view name) override;
  void on_reason(uint32_t pid, uint32_t number, std::string_view name) override;
  void on_sample(uint32_t pid, const agent_sample& sample) override;
  void on_lost_samples(uint32_t pid, uint32_t device, uint64_t count) override;
  void on_drained(uint32_t pid, uint64_t time) override;
  void on_message(uint32_t pid, std::string_view text, bool is_hint) override;

 private:
  // Of agents' times.
  uint64_t believed(uint64_t time) const;
  void place_losses();
  void take_sample(const gpustall_event& event);
  void lose_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count);
  void forget(uint32_t pid);

  Output& out_;
  GpustallWriter writer_;
  Recording recording_;
  SliceWriter slice_writer_;
  Slices slices_;
  LoadedCode code_;
  CpuNames cpu_names_;
  PythonFrames python_frames_;
  StackNamer stack_namer_;
  AgentDevices devices_;
  std::map<uint32_t, uint64_t> lost_launches_;  // by pid, since the last slices
  bool samples_by_agents_ = false;
  std::string source_name_;
  AgentReasons agent_reasons_;
  // Samples whose slice their agent has not ended, by pid.
  std::map<uint32_t, std::vector<TimedSample>> drains_;
  size_t undrained_ = 0;  // in all of them
  uint64_t last_drain_ = 0, last_sampling_ = 0;
  std::set<std::string> device_lines_, messages_;
  uint64_t now_ = 0, before_ = 0;  // this tick, and the one before
  uint64_t last_time_ = 0;         // of the latest launch or sample: where a loss is placed
};

}  // namespace aiflame::record
