// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/replay.h"

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame::record {
namespace {

std::vector<GpustallFrame> copy(const gpustall_frame* frames, uint32_t count) {
  std::vector<GpustallFrame> out;
  for (uint32_t i = 0; i < count; ++i)
    out.push_back({frames[i].address, frames[i].symbol, frames[i].offset, frames[i].object});
  return out;
}

// What was written of the current recording.
struct Totals {
  bool begun = false, ended = false;
  uint64_t samples = 0, launches = 0, lost = 0;
  bool lost_unknown = false;
};

void write(GpustallWriter& writer, const std::string& kind, Totals& totals,
           const gpustall_event& event) {
  const GpustallOrigin origin{event.comm == nullptr ? "" : event.comm, event.pid, event.tid,
                              event.device, event.time};
  switch (event.type) {
    case GPUSTALL_EVENT_HEADER:
      if (std::string_view(event.u.text) == format("gpustall %u", kGpustallVersion)) {
        totals = Totals();
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
      totals.samples += sample.count;
      writer.sample(sample.launch, origin, sample.count,
                    sample.reason == nullptr ? "gpu-clock" : kind,
                    copy(sample.frames, sample.frame_count));
      break;
    }
    case GPUSTALL_EVENT_LOST:
      if (event.u.number == GpustallWriter::kUnknown)
        totals.lost_unknown = true;
      else
        totals.lost += event.u.number;
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

}  // namespace

void replay(Source& source, const std::string& input, Output& out) {
  GpustallWriter writer(out);
  Totals totals;
  while (source.read(
      [&](const gpustall_event& event) { write(writer, source.event(), totals, event); })) {
  }
  if (!totals.begun) throw Error(input + ": not a gpustall recording");
  if (!totals.ended) warn("%s: cut short; what is whole was written", input.c_str());
}

}  // namespace aiflame::record
