// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/copy_recording.h"

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame::record {
namespace {

std::vector<GpustallFrame> copy(const gpustall_frame* frames, uint32_t count) {
  std::vector<GpustallFrame> out;
  for (uint32_t i = 0; i < count; ++i)
    out.push_back({frames[i].address, frames[i].symbol, frames[i].offset, frames[i].object});
  return out;
}

// What has been written of the recording; a file may have several recordings, one after the other.
struct RecordingTotals {
  bool begun = false, ended = false;
  uint64_t samples = 0, launches = 0, lost = 0;
  bool lost_unknown = false;
};

void write(GpustallWriter& writer, const std::string& kind, RecordingTotals& totals,
           const gpustall_event& event) {
  const GpustallOrigin origin{event.comm == nullptr ? "" : event.comm, event.pid, event.tid,
                              event.device, event.time};
  switch (event.type) {
    case GPUSTALL_EVENT_HEADER:
      if (std::string_view(event.u.text) == format("gpustall %u", kGpustallVersion)) {
        totals = RecordingTotals();
        totals.begun = true;
        writer.begin();
      } else {
        writer.header(event.u.text);
      }
      break;
    case GPUSTALL_EVENT_LOAD:
      writer.load(origin, event.u.object.address, event.u.object.bytes, event.u.object.file_offset,
                  event.u.object.saved);
      break;
    case GPUSTALL_EVENT_UNLOAD:
      writer.unload(origin, event.u.object.address, event.u.object.bytes, event.u.object.saved);
      break;
    case GPUSTALL_EVENT_SLICE:
      writer.slice(event.u.slice.start, event.u.slice.end);
      break;
    case GPUSTALL_EVENT_LAUNCH:
      writer.launch(event.u.launch.number, origin,
                    copy(event.u.launch.frames, event.u.launch.frame_count));
      break;
    case GPUSTALL_EVENT_LAUNCHED:
      totals.launches += event.u.launched.count;
      writer.launched(event.u.launched.number, event.u.launched.count, event.u.launched.busy_ns);
      break;
    case GPUSTALL_EVENT_SAMPLE: {
      const gpustall_sample& sample = event.u.sample;
      const std::vector<GpustallFrame> frames = copy(sample.frames, sample.frame_count);
      totals.samples += sample.count;
      if (sample.count > 0)
        writer.sample(sample.launch, origin, sample.count,
                      sample.reason == nullptr ? "gpu-clock" : kind, frames);
      if (sample.exposed > 0)
        writer.sample(sample.launch, origin, sample.exposed, kExposedEvent, frames);
      break;
    }
    case GPUSTALL_EVENT_LOST:
      if (event.u.number == GpustallWriter::kUnknown)
        totals.lost_unknown = true;
      else
        add_losses(totals.lost, totals.lost_unknown, event.u.number);
      writer.lost(origin, event.u.number, "");
      break;
    case GPUSTALL_EVENT_LOST_LAUNCHES:
      writer.lost(origin, event.u.number, "gpu-launch");
      break;
    case GPUSTALL_EVENT_END:
      totals.ended = true;
      writer.end(totals.samples, totals.launches,
                 totals.lost_unknown ? GpustallWriter::kUnknown : totals.lost);
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

}  // namespace

void copy_recording(Source& source, const CaptureOptions& options, const std::string& input,
                    const std::string& output) {
  gpustall_config config = source_config(options, 0);
  config.input = input.c_str();
  source.open(config);
  if (is_same_file(input, output))
    throw Error(format("'%s' is read and cannot be written too", output.c_str()));
  Output out(output, Output::Existing::kept_until_written, Output::Readers::owner);
  GpustallWriter writer(out);
  RecordingTotals totals;
  while (source.read(
      [&](const gpustall_event& event) { write(writer, source.event(), totals, event); })) {
  }
  if (!totals.begun) throw Error(input + ": not a gpustall recording");
  if (!totals.ended) warn("%s: cut short; what is whole was written", input.c_str());
  out.close();
}

}  // namespace aiflame::record
