// SPDX-License-Identifier: MIT
// Writes a recording in parts, each of which is a recording that can be read alone: its first lines
// are the header and the code objects that are loaded, and the launches that it names are defined
// in it. With --overwrite the slices go through a ring first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/budget/recent_processes.h"
#include "tools/gpustall-record/flight/enabled_times.h"
#include "tools/gpustall-record/flight/flight_options.h"
#include "tools/gpustall-record/flight/part_files.h"
#include "tools/gpustall-record/flight/slice_ring.h"

namespace aiflame::record {

class FlightWriter : public GpustallWriter {
 public:
  // What the times of slices are: of this moment, or of another one, when a recording is replayed.
  enum class Times { live, replayed };

  // `output` as for Output. Opens it, and throws Error when that fails.
  FlightWriter(const FlightOptions& options, const std::string& output, Times times);

  // ---- the recording, as GpustallWriter has it
  void begin() override;
  void header(std::string_view text) override;
  void load(const GpustallOrigin& origin, uint64_t address, uint64_t bytes, uint64_t file_offset,
            std::string_view path) override;
  void unload(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
              std::string_view path) override;
  void slice(uint64_t start, uint64_t end) override;
  bool needs_launch(uint32_t number) const override;
  void launch(uint32_t number, const GpustallOrigin& origin,
              const std::vector<GpustallFrame>& frames,
              std::string_view event = kLaunchEvent) override;
  void size(uint32_t number, const LaunchSize& size) override;
  void launched(uint32_t number, uint64_t count, uint64_t busy_ns) override;
  void hidden(uint32_t number, uint64_t ns) override;
  void waited(uint32_t number, uint64_t count, uint64_t ns) override;
  void idle(uint32_t device, IdleKind kind, uint32_t number, uint64_t count, uint64_t ns) override;
  void allocated(uint32_t number, uint64_t time, uint64_t address, uint64_t bytes) override;
  void freed(uint32_t pid, uint32_t device, uint64_t time, uint64_t address,
             uint64_t bytes) override;
  void released(uint32_t pid, uint64_t time) override;
  void sample(uint32_t launch, const GpustallOrigin& origin, uint64_t count, std::string_view event,
              const std::vector<GpustallFrame>& frames) override;
  void lost(const GpustallOrigin& origin, uint64_t count, std::string_view what) override;
  // Ends the last part; the sums are each part's own.
  void end() override;
  // The slice that was begun is whole.
  void flush() override;

  // ---- parts
  // Ends the current part and begins another; with a ring, writes a part of what it holds at `now`.
  // Call it between two slices.
  void dump(uint64_t now);
  // Whether slices wait in memory until dump() is called.
  bool has_ring() const { return ring_.has_value(); }
  // Whether a file has reached --max-size.
  bool is_full() const { return is_full_; }

  // ---- enabled and disabled
  bool is_enabled() const { return enabled_.is_enabled(); }
  void set_enabled(bool enabled, uint64_t now) { enabled_.set(enabled, now); }

  // Everything that was given to this writer, also what the ring has dropped.
  const RecordingCounts& taken() const override { return taken_; }
  // For the user, after end(): how much is in the parts, and where the rest is.
  std::vector<std::string> report() const;

 private:
  struct Launches {
    std::set<uint32_t> defined;  // in the current part
    std::string text;            // the definitions since the last slice
  };
  std::string& kept_header(std::string_view text);
  void begin_part();
  void write_slice(const RecordedSlice& slice, const std::string& launches);
  void end_part();
  void check_sums() const;
  void finish_slice();
  void set_size_line(uint32_t number, std::string_view line);
  void name_launch(uint32_t number);
  void change_object(const GpustallOrigin& origin, uint64_t address, std::string line);
  uint64_t text_size() const { return text().size(); }

  const FlightOptions options_;
  const Times times_;
  PartFiles files_;
  EnabledTimes enabled_;
  std::string header_;
  RecentProcesses<std::string> processes_;  // who they are
  // of CPU objects, by pid and path
  std::map<std::pair<std::optional<int64_t>, std::string>, std::string> build_ids_;
  bool has_header_ = false;

  // The slice that is being written.
  RecordedSlice open_;
  bool is_dropped_;           // since the recording was disabled
  std::set<uint32_t> named_;  // launches
  std::set<uint32_t> sized_;  // launches whose size this slice has
  uint64_t last_end_ = 0;     // of the slice before

  std::optional<SliceRing> ring_;
  // Without a ring.
  LiveObjects objects_;
  Launches launches_;

  // The current part, and all of them.
  bool has_part_ = false;
  uint64_t part_bytes_ = 0;
  RecordingCounts part_;
  // Everything that was given to this writer, and where it went.
  RecordingCounts taken_, in_parts_, disabled_;
  bool is_full_ = false;
  // Builds what is not in a slice: definitions, and the first and last lines of parts.
  GpustallWriter aside_;
};

}  // namespace aiflame::record
