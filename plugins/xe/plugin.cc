// SPDX-License-Identifier: MIT
// Source `xe`: stalls of the execution units of Intel GPUs, sampled by the hardware and read
// through the xe driver (Linux 6.15 and newer). The hardware tells an instruction and a reason, and
// nothing of the process or the time: a sample's time is that of the read that brought it.
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libcommon/clock.h"
#include "libcommon/program.h"
#include "plugins/gpustall_plugin.h"
#include "plugins/source_functions.h"
#include "plugins/xe/gpu.h"
#include "plugins/xe/obstacle.h"
#include "plugins/xe/render_node.h"
#include "plugins/xe/stream.h"

namespace aiflame::xe {
namespace {

// Eight full rings. One read walks the cores in turn and stops when the buffer is full, so that a
// small one would need many to get to the last.
constexpr size_t kBufferBytes = size_t{4} << 20;

// The driver's worker looks at the hardware each 5 ms, which are 2 ticks of 4 ms at HZ=250 or one
// of 10 at HZ=100, and begins with the next tick: what the device did last is seen 20 ms later at
// the latest. A stream that is stopped shows nothing any more.
constexpr long kSettleNs = 25000000;

// The devices that devices() had an obstacle of, at last.
std::set<uint32_t> known_obstacles;

// One tile, as the recorder numbers them: in order of render nodes, then of GTs.
struct Target {
  std::shared_ptr<const Gpu> gpu;
  Tile tile;
  uint64_t period = 0;
  std::string name, place;
  std::string obstacle;  // why there is nothing to open
};

std::vector<Target> find_targets(const gpustall_config& config) {
  const std::vector<RenderNode> nodes = render_nodes();
  std::vector<Target> targets;
  for (const RenderNode& node : nodes) {
    // others' GPUs are not opened, which would wake them
    if (!node.driver.empty() && node.driver != "xe") continue;
    Target target;
    target.name = node.name();
    target.place = node.place;
    try {
      const auto gpu = std::make_shared<const Gpu>(node);
      if (config.frequency != 0)
        throw Error("samples are made by cycles, not by time: --period instead of -F");
      target.period = gpu->period(config.period);
      for (const Tile& tile : gpu->tiles()) {
        target.gpu = gpu;
        target.tile = tile;
        target.place = format("%s tile %u", node.place.c_str(), tile.tile);
        targets.push_back(target);
      }
    } catch (const Error& error) {
      target.obstacle = error.what();
      targets.push_back(target);
    }
  }
  if (targets.empty()) throw Error(no_gpu_obstacle(nodes));
  return targets;
}

class Source {
 public:
  explicit Source(const gpustall_config& config) : readiness_(epoll_create1(EPOLL_CLOEXEC)) {
    if (readiness_ < 0) throw Error(format("cannot make an epoll set: %s", std::strerror(errno)));
    try {
      open(config);
    } catch (...) {
      ::close(readiness_);
      throw;
    }
  }
  ~Source() {
    tracks_.clear();
    ::close(readiness_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  int readiness() const { return readiness_; }

  bool read(gpustall_sink sink, void* user) {
    for (Track& track : tracks_) {
      const Stream::Drained drained = track.stream->drain(buffer_, track.tally);
      gpustall_event event{};
      event.size = sizeof event;
      event.device = track.device;
      event.time = monotonic_ns();
      track.tally.take([&](uint64_t address, const char* reason, uint64_t count) {
        event.type = GPUSTALL_EVENT_SAMPLE;
        event.u.sample = {};
        event.u.sample.address = address;
        event.u.sample.reason = reason;
        event.u.sample.count = count;
        sink(user, &event);
      });
      if (drained.lost) {
        event.type = GPUSTALL_EVENT_LOST;
        event.u.number = UINT64_MAX;
        sink(user, &event);
      }
      if (!drained.trouble.empty()) {
        const std::string text = track.place + ": " + drained.trouble;
        event.type = GPUSTALL_EVENT_WARNING;
        event.u.text = text.c_str();
        sink(user, &event);
      }
      if (stopping_) track.stream->stop();
    }
    return true;
  }

  void stop() {
    const timespec settle{0, kSettleNs};
    timespec left = settle;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    stopping_ = true;
  }

 private:
  struct Track {
    uint32_t device = 0;
    std::string place;
    std::shared_ptr<const Gpu> gpu;
    EuStallTally tally;
    std::unique_ptr<Stream> stream;
  };

  void open(const gpustall_config& config) {
    const std::vector<Target> targets = find_targets(config);
    std::string obstacle;
    for (uint32_t i = 0; i < targets.size(); ++i) {
      const Target& target = targets[i];
      if (config.device >= 0 && i != static_cast<uint32_t>(config.device)) continue;
      try {
        if (!target.obstacle.empty()) throw Error(target.obstacle);
        tracks_.push_back(
            {i, target.place, target.gpu, EuStallTally(target.tile.layout),
             std::make_unique<Stream>(*target.gpu, target.tile, target.period, readiness_)});
      } catch (const Error& error) {
        const std::string why = target.place + ": " + error.what();
        // nobody has told the user of this one: it is not left out in silence
        if (!known_obstacles.contains(i)) throw Error(why);
        if (obstacle.empty()) obstacle = why;
      }
    }
    if (tracks_.empty())
      throw Error(obstacle.empty() ? format("no device %d", config.device) : obstacle);
  }

  const int readiness_;
  std::vector<Track> tracks_;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(kBufferBytes);
  bool stopping_ = false;
};

using Functions = SourceFunctions<Source>;

// Whether a stream can be had is only known when one is opened: for the moment between, nobody else
// gets it.
std::string try_stream(const Target& target) {
  if (!target.obstacle.empty()) return target.obstacle;
  try {
    ::close(target.gpu->open_stream(target.tile, target.period));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

int devices(const gpustall_config* config,
            void (*found)(void* user, const struct gpustall_device* device), void* user) {
  try {
    const std::vector<Target> targets = find_targets(*config);
    known_obstacles.clear();
    for (uint32_t i = 0; i < targets.size(); ++i) {
      const Target& target = targets[i];
      const std::string obstacle = try_stream(target);
      if (!obstacle.empty()) known_obstacles.insert(i);
      gpustall_device device{};
      device.size = sizeof device;
      device.index = i;
      device.name = target.name.c_str();
      device.place = target.place.c_str();
      device.unit = "cycles";
      device.period = target.period;
      device.obstacle = obstacle.empty() ? nullptr : obstacle.c_str();
      device.address_bits =
          target.gpu == nullptr ? 0 : eu_stall_address_bits(target.tile.layout) % 64;
      found(user, &device);
    }
    return static_cast<int>(targets.size());
  } catch (const std::exception& error) {
    Functions::last_error = error.what();
    return -1;
  }
}

int descriptors(void* state, int* descriptors, int capacity) {
  if (capacity < 1) return 0;
  descriptors[0] = static_cast<Source*>(state)->readiness();
  return 1;
}

}  // namespace
}  // namespace aiflame::xe

extern "C" __attribute__((visibility("default"))) const gpustall_plugin gpustall_plugin = {
    GPUSTALL_PLUGIN_ABI,
    sizeof(struct gpustall_plugin),
    "xe",
    "Intel GPUs by the xe driver: hardware samples of stalled execution units",
    "gpu-stall",
    "opencl",
    0,
    aiflame::xe::devices,
    aiflame::xe::Functions::open,
    aiflame::xe::descriptors,
    aiflame::xe::Functions::read,
    aiflame::xe::Functions::stop,
    aiflame::xe::Functions::close,
    aiflame::xe::Functions::error_text,
};
