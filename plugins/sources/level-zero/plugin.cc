// SPDX-License-Identifier: MIT
// Source `level-zero`: the same stalls as the source `xe`, but from Level Zero's metric streamer
// instead of the kernel. For drivers with their own way to the hardware: Intel's kernel drivers for
// Data Center GPU Max before xe.
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/objects/intel/eu_stall.h"
#include "libcommon/objects/intel/eu_stall_metrics.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"
#include "plugins/sources/common/stall_source.h"
#include "plugins/sources/level-zero/gpu.h"
#include "plugins/sources/level-zero/obstacle.h"
#include "plugins/sources/level-zero/stream.h"

namespace aiflame::source::level_zero {
namespace {

// As in the source xe: eight of the hardware's buffers. Each core has one.
constexpr size_t kBufferBytes = size_t{4} << 20;

constexpr uint64_t kDefaultPeriod = 1004;

uint64_t period_of(const gpustall_config& config) {
  if (config.frequency != 0)
    throw Error("samples are made by cycles, not by time: --period instead of -F");
  if (config.period == 0) return kDefaultPeriod;
  const auto periods = eu_stall_periods();
  if (std::find(periods.begin(), periods.end(), config.period) != periods.end())
    return config.period;
  std::string choices;
  for (const uint64_t period : periods)
    choices += format("%s%" PRIu64, choices.empty() ? "" : ", ", period);
  throw Error(
      format("no period of %" PRIu64 " cycles; there are %s", config.period, choices.c_str()));
}

class Sampler {
 public:
  struct Target : StallTarget {
    Tile tile;
  };

  class Stream {
   public:
    explicit Stream(const Target& target) : stream_(target.tile, target.period) {}
    Drained drain(Sampler& sampler, const GiveStall& give) {
      return stream_.drain(sampler.buffer_, give);
    }
    void stop() { stream_.stop(); }

   private:
    level_zero::Stream stream_;
  };

  static std::vector<Target> find(const gpustall_config& config) {
    if (const std::string obstacle = machine_obstacle(); !obstacle.empty()) throw Error(obstacle);
    std::vector<Target> targets;
    for (const Tile& tile : find_tiles()) {
      Target target;
      target.tile = tile;
      target.name = tile.name;
      target.place = tile.place;
      const auto layout = eu_stall_layout(tile.ip_major, 0);
      target.address_bits = eu_stall_address_bits(layout.value_or(EuStallLayout::xe2)) % 64;
      try {
        target.period = period_of(config);
      } catch (const Error& error) {
        target.obstacle = error.what();
      }
      targets.push_back(std::move(target));
    }
    return targets;
  }
  static void attempt(const Target& target) { const Stream stream(target); }
  std::unique_ptr<Stream> open(const Target& target) const {
    return std::make_unique<Stream>(target);
  }

 private:
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(kBufferBytes);
};

using Source = StallSource<Sampler>;

constexpr struct gpustall_plugin kPlugin = plugin_table<Source>(
    {
        .name = "level-zero",
        .description = "Intel GPUs by Level Zero's metric streamer: the same samples, where "
                       "there is no xe driver",
        .event = "gpu-stall",
        .agent = "opencl",
        .flags = GPUSTALL_SECOND_CHOICE,
    },
    Source::devices);

}  // namespace
}  // namespace aiflame::source::level_zero

EXPORT_SOURCE(aiflame::source::level_zero::kPlugin)
