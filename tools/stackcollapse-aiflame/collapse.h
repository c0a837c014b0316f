// SPDX-License-Identifier: MIT
// Records in, counted stacks out: what holds for the length of a recording (objects, launches, the
// current slice) and what holds for all inputs (the stacks).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/gpustall/gpustall_reader.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/attribute/attribute.h"
#include "tools/stackcollapse-aiflame/attribute/launch_events.h"
#include "tools/stackcollapse-aiflame/attribute/objects.h"
#include "tools/stackcollapse-aiflame/fold/stack_table.h"
#include "tools/stackcollapse-aiflame/fold/statistics.h"
#include "tools/stackcollapse-aiflame/fold/time_step.h"
#include "tools/stackcollapse-aiflame/name/device_frames.h"
#include "tools/stackcollapse-aiflame/name/known_lines.h"
#include "tools/stackcollapse-aiflame/name/text_frames.h"
#include "tools/stackcollapse-aiflame/read/perf_data_input.h"
#include "tools/stackcollapse-aiflame/read/sample_filter.h"
#include "tools/stackcollapse-aiflame/read/sample_origins.h"

namespace aiflame::collapse {

struct Settings {
  FrameRules frames;
  DeviceRules device;
  std::string event;  // --event: empty takes the default
  bool cpu = false;   // --cpu
  SourceRules sources;
  FilterOptions filter;
  TimeStep by_time;  // --by-time
  bool hide_interpreter = false;
  std::string launch_events = kDefaultLaunchEvents;

  // For tests: perf script text by the reader alone, which nothing is to differ from; and threads,
  // 0 for as many as there are processors.
  bool read_each_line = false;
  unsigned threads = 0;
};

class Collapse : private PerfDataSink {
 public:
  // `common`: for one of several threads, which know lines together.
  explicit Collapse(Settings settings, KnownLines* common = nullptr);

  // Reads all inputs to their ends. What begins as a recording is read behind the others, which may
  // have its launches.
  void read_all(const std::vector<std::string>& paths);
  void read(const std::string& path) { read_all({path}); }
  // After the last input: chooses the event, writes folded(5).
  void write(Output& out);
  // Valid after write().
  const Statistics& statistics() const { return statistics_; }

 private:
  static constexpr uint32_t kNoStack = UINT32_MAX;
  // Launches that perf has recorded have their number in LaunchEvents plus this.
  static constexpr uint64_t kPerfLaunch = uint64_t{1} << 63;

  struct Launch {
    uint32_t kernel = 0;  // in texts_
    uint32_t stack = 0;   // in stacks_: CPU frames and root
    std::optional<CodePlace> start;
    bool of_driver = false;                     // what ran is none of the program's kernels
    uint64_t busy = 0;                          // nanoseconds, in this recording
    uint32_t device = 0, name = 0, thread = 0;  // in origins_
  };
  // What a device's samples are apportioned by. Filters and intervals are no part of it, so that
  // they do not change what is apportioned to whom.
  struct Cell {
    uint32_t event = 0;
    uint32_t root = 0, code = 0;                  // in texts_
    uint32_t device = 0, kernel = 0, thread = 0;  // in origins_
    bool operator==(const Cell&) const = default;
  };
  // What is drawn of them.
  struct DeviceLine {
    uint32_t event = 0;
    uint32_t stack = 0;                         // in stacks_; kNoStack: the root is known alone
    uint32_t root = 0, code = 0, interval = 0;  // in texts_
    bool operator==(const DeviceLine&) const = default;
  };
  struct TimedStack {
    uint32_t interval = 0;  // in texts_; 0 without --by-time
    uint32_t stack = 0;     // in stacks_
    bool operator==(const TimedStack&) const = default;
  };
  // A launch that a thread has come upon: they are taken in the order of the input, afterwards.
  struct LaterLaunch {
    uint64_t line = 0;
    std::string event, comm, kernel;
    std::optional<int64_t> pid;
    int64_t tid = 0;
    std::optional<uint64_t> time;
    uint32_t stack = 0;
  };
  struct KnownCode {
    uint32_t text = 0;  // its frames, in texts_
    uint32_t name = 0;  // of its kernel, in origins_
    uint32_t kernel = Attribution::kUnknownKernel;
    uint64_t start = 0;  // of the kernel; 0 where it is not known
  };
  struct Counts {
    std::vector<uint64_t> by_number;
    void add(uint32_t number, uint64_t count);
    uint32_t size() const { return static_cast<uint32_t>(by_number.size()); }
  };

  // perf.data
  bool wants(std::string_view event) override;
  uint32_t root(std::string_view comm, int32_t pid, int32_t tid) override;
  bool is_java(uint32_t root) override;
  uint32_t frame(const std::vector<CodeFrame>& code, uint32_t root) override;
  uint32_t frame(std::string_view folded) override { return texts_.number(folded); }
  uint32_t stack(const std::vector<uint32_t>& items) override;
  void count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) override;
  bool filters() const override { return filter_.any(); }
  bool passes(const SampleOrigin& origin) override;
  void tell_whole(const std::string& input, uint64_t first, uint64_t last) override;
  bool is_launch(std::string_view event) override;
  void launch(const PerfDataLaunch& launch) override;

  uint32_t timed_stack(const TimedStack& timed);
  void read_source(ByteSource&& source);
  // `directory` as PerfDataReader has it.
  void read_perf_data(ByteSource&& source, const std::string& directory);
  // launches that perf has recorded
  void take_launch_sample(const GpustallReader& reader, const GpustallRecord& record);
  void add_launches(uint64_t from, uint64_t to);
  void add_launch(uint32_t number, uint64_t count, Witness witness);
  uint32_t launch_stack(uint64_t launch) const;
  bool passes_thread(uint64_t launch, uint32_t own) const;
  void draw_launches_as_samples();

  // perf script
  void read_text(ByteSource&& source);
  // Reads to the end, or up to an offset; returns the samples.
  uint64_t read_samples(GpustallReader& reader, uint64_t until = UINT64_MAX);
  uint64_t read_in_threads(GpustallReader& reader, unsigned threads);
  void absorb(const Collapse& part);
  // Is a sample of an event that is drawn, and let through by the filters?
  bool draws(const GpustallRecord& record);
  void count(const GpustallRecord& record, uint32_t stack);
  void count_in(const TimedStack& timed, uint64_t count);
  TimedStack counted_stack(uint32_t number) const;
  uint32_t stack_of(const GpustallRecord& record, size_t first_frame);

  // gpustall(5)
  void take_recorded(const GpustallReader& reader, const GpustallRecord& record);
  void take_header(const GpustallRecord& record);
  void define_launch(const GpustallReader& reader, const GpustallRecord& record);
  void take_launched(const GpustallReader& reader, const GpustallRecord& record);
  void take_device_sample(const GpustallReader& reader, const GpustallRecord& record);
  KnownCode code_of(const GpustallReader& reader, const GpustallRecord& record);
  KnownCode read_code(const GpustallReader& reader, const GpustallRecord& record);
  void forget_codes();
  void take_slice(const GpustallRecord& record);
  void take_end(const GpustallReader& reader, const GpustallRecord& record);
  void begin_recording();
  void end_recording();
  void give(uint32_t cell, uint64_t launch, uint64_t count, How how);
  std::optional<CodePlace> place_of(const GpustallRecord& record, uint64_t address) const;
  uint32_t interval(std::optional<uint64_t> time);

  void append_stack(uint32_t stack, std::vector<uint32_t>& line) const;

  Settings settings_;
  TextFrames text_frames_;
  Statistics statistics_;
  SampleFilter filter_;
  bool unnamed_event_ = false;

  TextTable texts_;  // folded frames and roots, kernel names
  StackTable stacks_;
  KnownLines known_;
  std::string key_;
  Counts cpu_stacks_;
  NumberedTable<TimedStack> timed_stacks_;  // --by-time: what cpu_stacks_ counts
  std::string cpu_event_;
  bool cpu_event_known_ = false;
  uint64_t cpu_total_ = 0;

  std::unique_ptr<PerfDataInput> perf_data_;  // the latest, for its tables are not taken apart
  LaunchEvents launch_events_;
  // As CPU samples, which they are where there is no device: of the first of these events.
  std::string launch_event_;
  Counts launch_stacks_;
  uint64_t launch_total_ = 0, launches_filtered_ = 0, launches_untold_ = 0;
  std::map<std::string, uint64_t> launch_samples_;  // of each event
  bool launch_first_ = false;                       // the first event of the input is one of these
  std::string timeless_;                            // the first input with launches without a time
  bool timeless_told_ = false;
  bool in_threads_ = false;  // one of several: launches are put off
  bool mode_set_ = false;    // and came upon a line that says how to read what is behind it
  std::vector<LaterLaunch> later_;
  bool monotonic_text_ = false;  // the text says that its clock is CLOCK_MONOTONIC
  bool sliced_ = false;          // the recording has had a slice
  uint64_t launches_until_ = 0;  // those before have been added

  EventCounts device_events_[3];  // in the order of kDeviceEvents
  bool device_event_seen_[3] = {};
  std::string cpu_counted_;               // the event that cpu_count_ counts
  uint64_t* cpu_count_ = nullptr;         // in statistics_
  std::vector<ScriptFrame> device_code_;  // of the sample at hand

  Attribution attribution_;
  SampleOrigins origins_;
  DeviceObjects objects_;
  DeviceFrames device_frames_;
  std::unordered_map<uint64_t, Launch> launches_;
  uint64_t current_launch_ = 0;
  uint64_t recording_samples_ = 0;   // of gpu-stall and gpu-clock since `# gpustall 1`
  uint64_t recording_launches_ = 0;  // of its `# launched` lines
  uint64_t devices_ = 0, covered_ = 0, slice_time_ = 0;
  // When the device samples at hand were taken: the start of their slice.
  std::optional<uint64_t> slice_start_, device_time_;
  Digester digester_;
  FlatTable<Digest> code_numbers_;  // in known_codes_; by lines, process and device
  std::vector<KnownCode> known_codes_;
  TextTable codes_;  // what a device sample says, raw: code_texts_[number] is in texts_
  std::vector<uint32_t> code_texts_;
  std::unordered_map<uint32_t, uint32_t> driver_codes_;  // by text of unknown code: the driver's
  NumberedTable<Cell> cells_;
  NumberedTable<DeviceLine> device_lines_;
  Counts device_counts_;
};

}  // namespace aiflame::collapse
