// SPDX-License-Identifier: MIT
// The common part of the sources whose driver adds up stalls: samples without time, process or
// launch, one stream for each device, and losses that nobody counts. It is shared by two
// interfaces, so that both give the same text for the same records.
#pragma once

#include <time.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"

namespace aiflame::source {

// One device with a sampler. The recorder numbers them in the order of find().
struct StallTarget {
  std::string name, place;
  uint64_t period = 0;        // in cycles
  unsigned address_bits = 0;  // as in gpustall_device
  std::string obstacle;       // why it cannot be opened
};

// What happened to a stream since the last call.
struct Drained {
  bool lost = false;    // some samples, nobody knows how many
  std::string trouble;  // "" or what went wrong, once for each kind
};

// In order of address, then of the hardware's counters.
using GiveStall = std::function<void(uint64_t address, const char* reason, uint64_t count)>;

// Sampler is what an interface shares among its streams:
//   Target      a StallTarget, with what it takes to open it
//   Stream      Drained drain(Sampler&, const GiveStall&); void stop(), then nothing comes
//   static std::vector<Target> find(const gpustall_config&)   throws Error: why there is none
//   static void attempt(const Target&)                        throws Error: why it cannot be opened
//   std::unique_ptr<Stream> open(const Target&)               the same
template <typename Sampler>
class StallSource {
 public:
  using Target = typename Sampler::Target;

  explicit StallSource(const gpustall_config& config) {
    const std::vector<Target> targets = Sampler::find(config);
    std::string obstacle;
    for (uint32_t i = 0; i < targets.size(); ++i) {
      const Target& target = targets[i];
      if (config.device >= 0 && i != static_cast<uint32_t>(config.device)) continue;
      try {
        if (!target.obstacle.empty()) throw Error(target.obstacle);
        tracks_.push_back({i, target.place, sampler_.open(target)});
      } catch (const Error& error) {
        const std::string why = target.place + ": " + error.what();
        // devices() did not report this one, so it must not be left out in silence
        if (!known_obstacles.contains(i)) throw Error(why);
        if (obstacle.empty()) obstacle = why;
      }
    }
    if (tracks_.empty())
      throw Error(obstacle.empty() ? format("no device %d", config.device) : obstacle);
  }

  [[nodiscard]] bool read(gpustall_sink sink, void* user) {
    for (Track& track : tracks_) {
      gpustall_event event{};
      event.size = sizeof event;
      event.device = track.device;
      // collected first, because their common time is taken after the last read
      std::vector<Stall> stalls;
      const Drained drained =
          track.stream->drain(sampler_, [&](uint64_t address, const char* reason, uint64_t count) {
            stalls.push_back({address, count, reason});
          });
      event.time = monotonic_ns();
      event.type = GPUSTALL_EVENT_SAMPLE;
      for (const Stall& stall : stalls) {
        event.u.sample = {};
        event.u.sample.address = stall.address;
        event.u.sample.reason = stall.reason;
        event.u.sample.count = stall.count;
        sink(user, &event);
      }
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

  const Sampler& sampler() const { return sampler_; }

  // Only opening a stream shows whether it can be opened. For that moment nobody else can open it.
  static int devices(const gpustall_config* config,
                     void (*found)(void* user, const struct gpustall_device* device), void* user) {
    try {
      const std::vector<Target> targets = Sampler::find(*config);
      known_obstacles.clear();
      for (uint32_t i = 0; i < targets.size(); ++i) {
        const Target& target = targets[i];
        std::string obstacle = target.obstacle;
        try {
          if (obstacle.empty()) Sampler::attempt(target);
        } catch (const Error& error) {
          obstacle = error.what();
        }
        if (!obstacle.empty()) known_obstacles.insert(i);
        gpustall_device device{};
        device.size = sizeof device;
        device.index = i;
        device.name = target.name.c_str();
        device.place = target.place.c_str();
        device.unit = "cycles";
        device.period = target.period;
        device.obstacle = obstacle.empty() ? nullptr : obstacle.c_str();
        device.address_bits = target.address_bits;
        found(user, &device);
      }
      return static_cast<int>(targets.size());
    } catch (const std::exception& error) {
      SourceFunctions<StallSource>::last_error = error.what();
      return -1;
    }
  }

 private:
  struct Stall {
    uint64_t address, count;
    const char* reason;
  };
  struct Track {
    uint32_t device = 0;
    std::string place;
    std::unique_ptr<typename Sampler::Stream> stream;
  };

  // The driver's worker reads the hardware every 5 ms, which is 2 ticks of 4 ms at HZ=250 or one of
  // 10 ms at HZ=100, and starts at the next tick. So the device's last samples are visible within
  // 20 ms. A stopped stream shows nothing any more.
  static constexpr long kSettleNs = 25000000;

  // The devices with an obstacle at the last call of devices().
  static inline std::set<uint32_t> known_obstacles;

  Sampler sampler_;
  std::vector<Track> tracks_;
  bool stopping_ = false;
};

}  // namespace aiflame::source
