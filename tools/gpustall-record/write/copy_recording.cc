// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/copy_recording.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/output.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_comment.h"
#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/command/inherited_signals.h"
#include "tools/gpustall-record/flight/flight_recorder.h"

namespace aiflame::record {
namespace {

std::vector<GpustallFrame> copy(const gpustall_frame* frames, uint32_t count) {
  std::vector<GpustallFrame> out;
  for (uint32_t i = 0; i < count; ++i)
    out.push_back({frames[i].address, frames[i].symbol, frames[i].offset, frames[i].object});
  return out;
}

// How far the recording goes; a file may have several recordings, one after the other.
struct Extent {
  bool begun = false, ended = false;
};

// Writes the events of a recording again. Launches and their sizes are kept, since a part may need
// them once more.
class Copier {
 public:
  Copier(GpustallWriter& writer, std::string kind) : writer_(writer), kind_(std::move(kind)) {}

  void write(const gpustall_event& event);
  const Extent& extent() const { return extent_; }
  // Writes the last line: the counts are of what was written, whatever the input says.
  void end() {
    extent_.ended = true;
    writer_.end();
  }

 private:
  struct Launch {
    std::string comm;
    GpustallOrigin origin;  // but for the comm
    std::vector<GpustallFrame> frames;
    std::string_view event;  // kLaunchEvent, kCallEvent or kAllocationEvent
  };
  struct Known {
    std::vector<Launch> launches;  // one for each address of the kernel
    std::string size;              // the last `size …` line
  };
  void write_header(std::string_view text);
  bool write_times(std::string_view text);
  void write_launch(const gpustall_event& event, const GpustallOrigin& origin);
  void write_sample(const gpustall_event& event, const GpustallOrigin& origin);
  void name_launch(uint32_t number);

  GpustallWriter& writer_;
  const std::string kind_;
  Extent extent_;
  std::map<uint32_t, Known> known_;
};

void Copier::write_header(std::string_view text) {
  if (text == format("gpustall %u", kGpustallVersion)) {
    extent_ = {true, false};
    known_.clear();
    writer_.begin();
    return;
  }
  std::string_view rest = text;
  if (take_prefix(rest, "size "))
    if (const auto number = parse_number<uint32_t>(take_field(rest))) {
      name_launch(*number);
      known_[*number].size = text;
    }
  if (!write_times(text)) writer_.header(text);
}

// What devices did, how long threads waited and what became of memory, which comes as the text of a
// line, too. False for other lines.
bool Copier::write_times(std::string_view text) {
  GpustallRecord record;
  if (parse_gpustall_comment(text, record) != nullptr) return false;
  const auto number = static_cast<uint32_t>(record.launch);
  switch (record.kind) {
    case GpustallRecord::Kind::hidden:
      name_launch(number);
      writer_.hidden(number, *record.busy);
      return true;
    case GpustallRecord::Kind::waited:
      name_launch(number);
      writer_.waited(number, *record.count, *record.busy);
      return true;
    case GpustallRecord::Kind::idle:
      name_launch(number);
      writer_.idle(static_cast<uint32_t>(record.device), record.idle, number, *record.count,
                   *record.busy);
      return true;
    case GpustallRecord::Kind::allocated:
      name_launch(number);
      writer_.allocated(number, record.start, record.address, *record.count);
      return true;
    case GpustallRecord::Kind::freed:
      writer_.freed(static_cast<uint32_t>(record.pid), static_cast<uint32_t>(record.device),
                    record.start, record.address, record.count.value_or(GpustallWriter::kUnknown));
      return true;
    case GpustallRecord::Kind::released:
      writer_.released(static_cast<uint32_t>(record.pid), record.start);
      return true;
    default:
      return false;
  }
}

void Copier::write_launch(const gpustall_event& event, const GpustallOrigin& origin) {
  // by gpustall_call
  static constexpr std::string_view kEvents[] = {kLaunchEvent, kCallEvent, kAllocationEvent};
  const auto& from = event.u.launch;
  std::vector<Launch>& known = known_[from.number].launches;
  known.push_back({std::string(origin.comm), origin, copy(from.frames, from.frame_count),
                   kEvents[std::min<uint32_t>(from.call, GPUSTALL_ALLOCATES)]});
  if (writer_.needs_launch(from.number))
    name_launch(from.number);
  else
    writer_.launch(from.number, origin, known.back().frames, known.back().event);
}

// Defines the launch if the writer has forgotten it.
void Copier::name_launch(uint32_t number) {
  if (number == 0 || !writer_.needs_launch(number)) return;
  const auto known = known_.find(number);
  if (known == known_.end()) return;
  for (const Launch& launch : known->second.launches) {
    GpustallOrigin origin = launch.origin;
    origin.comm = launch.comm;
    writer_.launch(number, origin, launch.frames, launch.event);
  }
  if (!known->second.size.empty()) writer_.header(known->second.size);
}

void Copier::write_sample(const gpustall_event& event, const GpustallOrigin& origin) {
  const gpustall_sample& sample = event.u.sample;
  const std::vector<GpustallFrame> frames = copy(sample.frames, sample.frame_count);
  name_launch(sample.launch);
  if (sample.count > 0)
    writer_.sample(sample.launch, origin, sample.count,
                   sample.reason == nullptr ? "gpu-clock" : kind_, frames);
  if (sample.exposed > 0)
    writer_.sample(sample.launch, origin, sample.exposed, kExposedEvent, frames);
}

void Copier::write(const gpustall_event& event) {
  const GpustallOrigin origin{event.comm == nullptr ? "" : event.comm, event.pid, event.tid,
                              event.device, event.time};
  switch (event.type) {
    case GPUSTALL_EVENT_HEADER:
      write_header(event.u.text);
      break;
    case GPUSTALL_EVENT_LOAD:
      writer_.load(origin, event.u.object.address, event.u.object.bytes, event.u.object.file_offset,
                   event.u.object.saved);
      break;
    case GPUSTALL_EVENT_UNLOAD:
      writer_.unload(origin, event.u.object.address, event.u.object.bytes, event.u.object.saved);
      break;
    case GPUSTALL_EVENT_SLICE:
      writer_.slice(event.u.slice.start, event.u.slice.end);
      break;
    case GPUSTALL_EVENT_LAUNCH:
      write_launch(event, origin);
      break;
    case GPUSTALL_EVENT_LAUNCHED:
      name_launch(event.u.launched.number);
      writer_.launched(event.u.launched.number, event.u.launched.count, event.u.launched.busy_ns);
      break;
    case GPUSTALL_EVENT_SAMPLE:
      write_sample(event, origin);
      break;
    case GPUSTALL_EVENT_LOST:
      writer_.lost(origin, event.u.number, "");
      break;
    case GPUSTALL_EVENT_LOST_LAUNCHES:
      writer_.lost(origin, event.u.number, kLostLaunches);
      break;
    case GPUSTALL_EVENT_LOST_MEMORY:
      writer_.lost(origin, event.u.number, kLostMemory);
      break;
    case GPUSTALL_EVENT_END:
      end();
      break;
    default:
      break;
  }
}

// Opening the output would empty the input.
bool is_same_file(const std::string& input, const std::string& output) {
  struct stat one {
  }, other{};
  return !output.empty() && output != "-" && stat(input.c_str(), &one) == 0 &&
         stat(output.c_str(), &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// Carries the recording through the flight recorder. Parts end where a slice begins.
void copy_in_parts(Source& source, Copier& copier, FlightRecorder& flight) {
  signal(SIGPIPE, SIG_IGN);  // when whoever reads the answers to commands has gone
  bool dump = false, more = true;
  flight.start(monotonic_ns());
  while (more) {
    more = source.read([&](const gpustall_event& event) {
      if (event.type == GPUSTALL_EVENT_SLICE && std::exchange(dump, false))
        flight.dump(monotonic_ns());
      copier.write(event);
    });
    const FlightRecorder::Wish wish = flight.step(monotonic_ns(), take_snapshot_signal());
    dump = dump || wish.dump;
    if (wish.stop || wish.is_full) break;
  }
}

void check(const std::string& input, const Extent& extent) {
  if (!extent.begun) throw Error(input + ": not a gpustall recording");
  if (!extent.ended) warn("%s: cut short; what is whole was written", input.c_str());
}

}  // namespace

void copy_recording(Source& source, const CaptureOptions& options, const std::string& input,
                    const std::string& output, const FlightOptions& flight_options) {
  gpustall_config config = source_config(options, 0);
  config.input = input.c_str();
  source.open(config);
  if (is_same_file(input, output))
    throw Error(format("'%s' is read and cannot be written too", output.c_str()));
  if (flight_options.is_on()) {
    FlightRecorder flight(flight_options, output, FlightWriter::Times::replayed);
    Copier copier(flight.writer(), source.event());
    copy_in_parts(source, copier, flight);
    check(input, copier.extent());
    if (!copier.extent().ended) copier.end();
    for (const std::string& line : flight.report()) say("%s", line.c_str());
    return;
  }
  Output out(output, Output::Existing::kept_until_written, Output::Readers::owner);
  out.claim();
  GpustallWriter writer(out);
  Copier copier(writer, source.event());
  while (source.read([&](const gpustall_event& event) { copier.write(event); })) {
  }
  check(input, copier.extent());
  out.close();
}

}  // namespace aiflame::record
