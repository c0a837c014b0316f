// SPDX-License-Identifier: MIT
// Source `replay`: reads a recording. gpustall-record then writes the same recording, byte for
// byte, which tests that the plugin interface and the writer lose nothing.
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_reader.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"

namespace aiflame::source::replay {
namespace {

class Recording {
 public:
  explicit Recording(const gpustall_config& config) : reader_(config.input) {}

  // Hands over some hundred records; false at the end.
  bool read(gpustall_sink sink, void* user) {
    constexpr int kBatch = 256;
    GpustallRecord record;
    for (int i = 0; i < kBatch; ++i) {
      if (!reader_.next(record)) return false;
      if (!record.recorded)
        throw Error(reader_.place(record) + ": not part of a gpustall recording");
      take(record, sink, user);
    }
    return true;
  }

  void stop() {}

 private:
  void take(const GpustallRecord& record, gpustall_sink sink, void* user) {
    gpustall_event event{};
    event.size = sizeof event;
    event.device = static_cast<uint32_t>(record.cpu.value_or(0));
    event.pid = static_cast<uint32_t>(record.pid);
    event.tid = static_cast<uint32_t>(record.tid);
    event.time = record.time.value_or(0);
    comm_ = record.comm;
    event.comm = comm_.c_str();
    switch (record.kind) {
      case GpustallRecord::Kind::recording:
      case GpustallRecord::Kind::header:
      case GpustallRecord::Kind::size:
      case GpustallRecord::Kind::hidden:
      case GpustallRecord::Kind::waited:
      case GpustallRecord::Kind::idle:
      case GpustallRecord::Kind::allocated:
      case GpustallRecord::Kind::freed:
      case GpustallRecord::Kind::released:
      case GpustallRecord::Kind::comment:
        event.type = GPUSTALL_EVENT_HEADER;
        text_ = record.text.substr(record.text.starts_with("# ") ? 2 : 1);
        event.u.text = text_.c_str();
        break;
      case GpustallRecord::Kind::mapped:
      case GpustallRecord::Kind::unmapped:
        event.type = record.kind == GpustallRecord::Kind::mapped ? GPUSTALL_EVENT_LOAD
                                                                 : GPUSTALL_EVENT_UNLOAD;
        text_ = record.path;
        event.u.object.address = record.address;
        event.u.object.bytes = record.size;
        event.u.object.file_offset = record.file_offset;
        event.u.object.path = text_.c_str();
        event.u.object.saved = text_.c_str();
        break;
      case GpustallRecord::Kind::launch:
        launch_ = static_cast<uint32_t>(record.launch);
        return;
      case GpustallRecord::Kind::launched:
        event.type = GPUSTALL_EVENT_LAUNCHED;
        event.u.launched.number = static_cast<uint32_t>(record.launch);
        event.u.launched.count = record.count.value_or(0);
        event.u.launched.busy_ns = record.busy.value_or(UINT64_MAX);
        break;
      case GpustallRecord::Kind::slice:
        event.type = GPUSTALL_EVENT_SLICE;
        event.u.slice.start = record.start;
        event.u.slice.end = record.stop;
        launch_ = 0;
        break;
      case GpustallRecord::Kind::lost:
        event.type = record.of_launches ? GPUSTALL_EVENT_LOST_LAUNCHES
                     : record.of_memory ? GPUSTALL_EVENT_LOST_MEMORY
                                        : GPUSTALL_EVENT_LOST;
        event.u.number = record.count.value_or(UINT64_MAX);
        break;
      case GpustallRecord::Kind::end:
        event.type = GPUSTALL_EVENT_END;
        break;
      case GpustallRecord::Kind::sample:
        take_sample(record, event);
        break;
    }
    sink(user, &event);
  }

  void take_sample(const GpustallRecord& record, gpustall_event& event) {
    // stores the texts first: pointers into a growing vector would become invalid
    names_.clear();
    std::vector<ScriptFrame> parsed;
    for (const std::string_view line : record.frames) {
      ScriptFrame frame;
      if (!parse_frame(line, frame)) throw Error(reader_.place(record) + ": bad frame");
      parsed.push_back(frame);
      names_.emplace_back(frame.symbol);
      names_.emplace_back(frame.object);
    }
    frames_.clear();
    for (size_t i = 0; i < parsed.size(); ++i)
      frames_.push_back({parsed[i].address, parsed[i].has_offset ? parsed[i].offset : UINT64_MAX,
                         names_[2 * i].c_str(), names_[2 * i + 1].c_str()});
    const auto count = static_cast<uint32_t>(frames_.size());
    const bool allocates = record.event == kAllocationEvent;
    if (record.event == kLaunchEvent || record.event == kCallEvent || allocates) {
      event.type = GPUSTALL_EVENT_LAUNCH;
      event.u.launch.number = launch_;
      event.u.launch.tid = event.tid;
      event.u.launch.frames = frames_.data();
      event.u.launch.frame_count = count;
      event.u.launch.call = allocates                    ? GPUSTALL_ALLOCATES
                            : record.event == kCallEvent ? GPUSTALL_WAITS
                                                         : GPUSTALL_LAUNCHES;
      return;
    }
    event.type = GPUSTALL_EVENT_SAMPLE;
    const bool is_exposed = record.event == kExposedEvent;
    (is_exposed ? event.u.sample.exposed : event.u.sample.count) = record.period.value_or(1);
    // empty marks a stall without a reason, null a time sample
    event.u.sample.reason = is_exposed || record.event == "gpu-stall" ? "" : nullptr;
    event.u.sample.launch = launch_;
    event.u.sample.tid = event.tid;
    event.u.sample.frames = frames_.data();
    event.u.sample.frame_count = count;
  }

  GpustallReader reader_;
  uint32_t launch_ = 0;
  std::string comm_, text_;
  std::vector<std::string> names_;
  std::vector<gpustall_frame> frames_;
};

using Functions = SourceFunctions<Recording>;

int devices(const gpustall_config*, void (*)(void*, const gpustall_device*), void*) {
  Functions::last_error = "replays a recording: --source replay --input FILE";
  return -1;
}

constexpr struct gpustall_plugin kPlugin = plugin_table<Recording>(
    {
        .name = "replay",
        .description = "a recording, written again",
        .event = "gpu-stall",
        .agent = "",
        .flags = GPUSTALL_RECORDED | GPUSTALL_NOT_AUTO,
    },
    devices);

}  // namespace
}  // namespace aiflame::source::replay

EXPORT_SOURCE(aiflame::source::replay::kPlugin)
