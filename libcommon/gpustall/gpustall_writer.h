// SPDX-License-Identifier: MIT
// Writes gpustall(5), the dialect of `perf script` text that gpustall-record produces. The reader
// is gpustall_reader.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/gpustall/gpustall_record.h"
#include "libcommon/gpustall/idle_kind.h"
#include "libcommon/gpustall/launch_size.h"
#include "libcommon/gpustall/recording_counts.h"

namespace aiflame {

// The version of the format that is written. A reader refuses a newer one.
inline constexpr unsigned kGpustallVersion = 1;

// A frame, printed as `ADDRESS SYMBOL+OFFSET (OBJECT)`.
struct GpustallFrame {
  static constexpr uint64_t kNoOffset = UINT64_MAX;
  uint64_t address = 0;
  std::string symbol;
  uint64_t offset = kNoOffset;  // kNoOffset: `ADDRESS SYMBOL (OBJECT)`
  std::string object;
};

// How a record begins: `COMM PID/TID [DEVICE] TIME:`.
struct GpustallOrigin {
  std::string_view comm;
  uint32_t pid = 0, tid = 0;
  uint32_t device = 0;
  uint64_t time = 0;  // nanoseconds
};

class GpustallWriter {
 public:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  explicit GpustallWriter(Output& out) : out_(&out) {}
  // Keeps the text for take_text().
  GpustallWriter() = default;
  virtual ~GpustallWriter() = default;
  GpustallWriter(const GpustallWriter&) = delete;
  GpustallWriter& operator=(const GpustallWriter&) = delete;

  std::string take_text() { return std::exchange(text_, {}); }

  // `# gpustall 1`: begins a recording, which shares nothing with the preceding one.
  virtual void begin();
  // `# TEXT`: "clock : monotonic", "device 0 : …"
  virtual void header(std::string_view text);
  virtual void load(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                    uint64_t file_offset, std::string_view path);
  virtual void unload(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                      std::string_view path);
  virtual void slice(uint64_t start, uint64_t end);
  // Whether launch() has to be called, once more, before `number` is named: the output of a caller
  // that has called it may have been cut since.
  virtual bool needs_launch(uint32_t) const { return false; }
  // Defines launch `number` with its stack: the kernel first, then the CPU stack, leaf first. With
  // kCallEvent as `event` it is a call that waits, and with kAllocationEvent one that allocates
  // memory; these have the CPU stack alone.
  virtual void launch(uint32_t number, const GpustallOrigin& origin,
                      const std::vector<GpustallFrame>& frames,
                      std::string_view event = kLaunchEvent);
  // How large the launches of `number` are that launched() counts from here on.
  virtual void size(uint32_t number, const LaunchSize& size);
  // `busy_ns` kUnknown: not measured.
  virtual void launched(uint32_t number, uint64_t count, uint64_t busy_ns);
  // `ns` of the busy time of `number` were covered by other work of the device.
  virtual void hidden(uint32_t number, uint64_t ns);
  // `count` calls of `number` kept their thread for `ns`.
  virtual void waited(uint32_t number, uint64_t count, uint64_t ns);
  // `count` times `ns` of a device. `number` 0: `?`.
  virtual void idle(uint32_t device, IdleKind kind, uint32_t number, uint64_t count, uint64_t ns);
  // A call of `number` has allocated memory at `address`.
  virtual void allocated(uint32_t number, uint64_t time, uint64_t address, uint64_t bytes);
  // It was freed. `bytes` kUnknown: `?`.
  virtual void freed(uint32_t pid, uint32_t device, uint64_t time, uint64_t address,
                     uint64_t bytes);
  // The program of a process has ended, and with it went what it had not freed.
  virtual void released(uint32_t pid, uint64_t time);
  // `launch` 0: not known. `event`: "gpu-stall", "gpu-clock" or kExposedEvent.
  virtual void sample(uint32_t launch, const GpustallOrigin& origin, uint64_t count,
                      std::string_view event, const std::vector<GpustallFrame>& frames);
  // `count` kUnknown: `?`. `what`: "" for samples, kLostLaunches or kLostMemory.
  virtual void lost(const GpustallOrigin& origin, uint64_t count, std::string_view what);
  // The last line: what has been written since begin().
  virtual void end() { end_of(written_); }
  // The last line of a recording with these counts.
  void end_of(const RecordingCounts& counts);
  // What was given to this writer since begin(): it may leave some of it out, as the ring of a
  // flight recording does.
  virtual const RecordingCounts& taken() const { return written_; }
  // Hands on what has been written.
  virtual void flush();

 protected:
  const std::string& text() const { return text_; }
  // Adds whole comment lines to the text.
  void add_comments(std::string_view lines);

 private:
  void put(std::string_view text);
  void comment(const std::string& text);
  void origin_text(const GpustallOrigin& origin);
  void mapping(const GpustallOrigin& origin, std::string_view record, uint64_t address,
               uint64_t bytes, const std::string& more, std::string_view path);
  void state(uint32_t launch);
  void record(const GpustallOrigin& origin, uint64_t period, std::string_view event,
              const std::vector<GpustallFrame>& frames);

  static constexpr uint32_t kNotWritten = UINT32_MAX;
  Output* out_ = nullptr;
  std::string text_;  // without out_
  std::string line_;
  RecordingCounts written_;
  bool after_comment_ = false;
  uint32_t launch_ = kNotWritten;  // the last `# launch` line, as long as it holds
};

// The comm made safe for the start of a record: see gpustall(5), "Text".
std::string gpustall_comm(std::string_view comm);
// "5012.010000000"
std::string gpustall_seconds(uint64_t ns);

}  // namespace aiflame
