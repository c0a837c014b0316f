// SPDX-License-Identifier: MIT
// Puts together what a source and the agents tell, slice by slice, and writes it as gpustall(5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/gpustall.h"
#include "tools/gpustall-record/agent_host.h"
#include "tools/gpustall-record/agent_reasons.h"
#include "tools/gpustall-record/cpu_names.h"
#include "tools/gpustall-record/objects.h"
#include "tools/gpustall-record/python_frames.h"
#include "tools/gpustall-record/slice.h"
#include "tools/gpustall-record/source_host.h"

namespace aiflame {

class Recorder : public AgentListener {
 public:
  struct Totals {
    uint64_t samples = 0, lost = 0, launches = 0, lost_launches = 0, stacks = 0;
    uint64_t lost_unknown = 0;   // reports of a loss that do not say how many
    uint64_t ambiguous = 0;      // samples of code that several processes have
    uint64_t cut_stacks = 0;     // without their outermost frames
    uint64_t python_unread = 0;  // stacks without the Python frames that they have
    std::set<uint32_t> pythons;  // PY_VERSION_HEX, of those that no agent walks
    uint64_t of_driver = 0;      // of the samples: of the driver's own kernels
  };

  Recorder(Output& out, std::string event, uint64_t origin, uint64_t interval_ns,
           const std::string& objects_directory);

  // `# gpustall 1` and its header lines.
  void begin(const std::vector<std::string>& header);
  // What a source whose samples have no time has told since the last call is one slice, up to
  // `now`.
  void cut(uint64_t now) { slices_.cut(now); }
  // Where a device of the source sits, for what agents tell of devices.
  void set_place(uint32_t device, const std::string& place) { places_[device] = place; }
  // Samples of `device` tell so many low bits of an address, and not whose: see gpustall_device.
  void set_address_bits(uint32_t device, unsigned bits) { address_bits_[device] = bits; }
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
  const Totals& totals() const { return totals_; }

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
  // A distinct launch: thread, kernel and CPU stack.
  struct Launch {
    uint32_t number = 0, pid = 0, tid = 0, device = 0, kernel = 0;
    uint64_t time = 0;     // of the first one
    uint64_t address = 0;  // of the kernel, where the agent told in which object it is, and that
    std::string object;    // object's path
    std::string comm;
    std::vector<const GpustallFrame*> stack;  // in frames_
    std::set<uint64_t> written;               // with these kernel addresses; 0 = without one
  };

  struct FrameOrder {
    bool operator()(const GpustallFrame& a, const GpustallFrame& b) const;
  };

  void forget_stacks(uint32_t pid);
  // Code that an agent told of, on a device of the source.
  struct Loaded {
    uint32_t pid = 0, device = 0;
    std::shared_ptr<const CodeObject> object;
  };

  const std::vector<uint32_t>& devices_of(uint32_t pid, uint32_t number) const;
  void forget_devices(uint32_t pid);
  void forget_code(uint32_t pid);
  void unload_code(const std::vector<Loaded>& loaded, uint64_t time);
  void place_unload(const Loaded& loaded, uint64_t time, bool before_samples);
  void place_unloads(uint64_t until);
  void put_front(const std::vector<NamedFrame>& front, std::vector<const GpustallFrame*>& stack);
  const GpustallFrame* frame_of(uint32_t pid, uint64_t frame, bool is_return);
  void put_appended(uint32_t pid, const std::vector<uint64_t>& appended,
                    std::vector<const GpustallFrame*>& stack);
  void place_losses();
  void take_load(const gpustall_event& event);
  void take_sample(const gpustall_event& event);
  void write_slice(const Slice& slice);
  void write_event(const SliceEvent& event);
  void write_launch(uint32_t number);
  void write_launch_at(Launch& launch, uint64_t address, const std::string& object);
  void write_group(const SampleGroup& group, uint64_t slice_end);
  void find_process(TimedSample& sample);
  std::vector<GpustallFrame> frames_of(const TimedSample& sample) const;
  const std::string& comm_of(uint32_t pid) const;

  Output& out_;
  GpustallWriter writer_;
  std::string event_;
  Slices slices_;
  ObjectStore store_;
  Names kernels_, reasons_;
  CpuNames cpu_names_;
  PythonFrames python_frames_;
  // By device: as the source and the agents have told, and as the output has: slices are written
  // later.
  std::map<uint32_t, Objects> objects_, written_objects_;
  std::map<uint32_t, std::string> comms_;
  std::vector<Launch> launches_;                                      // by number - 1
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> launch_numbers_;  // by (pid, agent's id)
  // What agents' objects put on the device, by (pid, agent's id).
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Loaded>> code_;
  // Unloads told by agents that are not placed yet, by when they are to be.
  struct Unload {
    uint64_t time = 0;
    Loaded loaded;
  };
  std::deque<Unload> unloads_;
  std::map<uint32_t, std::string> places_;  // by device of the source
  // What agents mean by a device's number: devices of the source, by (pid, number).
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> agent_devices_;
  std::map<uint32_t, unsigned> address_bits_;  // by device
  // The frames of all stacks, each once: threads that come and go launch from the same code.
  std::set<GpustallFrame, FrameOrder> frames_;
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
  Totals totals_;
};

}  // namespace aiflame
