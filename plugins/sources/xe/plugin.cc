// SPDX-License-Identifier: MIT
// Source `xe`: stalls of the execution units of Intel GPUs, sampled by the hardware and read
// through the xe driver (Linux 6.15 and newer). A sample has an instruction and a reason, but no
// process and no time. Its time is that of the read that returned it.
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"
#include "plugins/sources/common/stall_source.h"
#include "plugins/sources/xe/gpu.h"
#include "plugins/sources/xe/obstacle.h"
#include "plugins/sources/xe/render_node.h"
#include "plugins/sources/xe/stream.h"

namespace aiflame::source::xe {
namespace {

// Eight full rings. One read visits the cores in turn and stops when the buffer is full, so with a
// small buffer it would take many reads to get to the last core.
constexpr size_t kBufferBytes = size_t{4} << 20;

class Sampler {
 public:
  // One tile; ordered by render node, then by GT.
  struct Target : StallTarget {
    std::shared_ptr<const Gpu> gpu;
    Tile tile;
  };

  class Stream {
   public:
    Stream(const Target& target, int readiness)
        : gpu_(target.gpu),
          tally_(target.tile.layout),
          stream_(*gpu_, target.tile, target.period, readiness) {}
    Drained drain(Sampler& sampler, const GiveStall& give) {
      Drained drained = stream_.drain(sampler.buffer_, tally_);
      tally_.take(give);
      return drained;
    }
    void stop() { stream_.stop(); }

   private:
    std::shared_ptr<const Gpu> gpu_;
    EuStallTally tally_;
    xe::Stream stream_;
  };

  Sampler() : readiness_(epoll_create1(EPOLL_CLOEXEC)) {
    if (readiness_ < 0) throw Error(format("cannot make an epoll set: %s", std::strerror(errno)));
  }
  ~Sampler() { ::close(readiness_); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  static std::vector<Target> find(const gpustall_config& config);
  static void attempt(const Target& target) {
    ::close(target.gpu->open_stream(target.tile, target.period));
  }
  std::unique_ptr<Stream> open(const Target& target) const {
    return std::make_unique<Stream>(target, readiness_);
  }
  // To be polled: readable when a stream has enough records.
  int readiness() const { return readiness_; }

 private:
  const int readiness_;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(kBufferBytes);
};

std::vector<Sampler::Target> Sampler::find(const gpustall_config& config) {
  const std::vector<RenderNode> nodes = render_nodes();
  std::vector<Target> targets;
  for (const RenderNode& node : nodes) {
    // GPUs of other drivers are not opened, which would wake them
    if (!node.driver.empty() && node.driver != "xe") continue;
    Target target;
    target.name = node.name();
    target.place = node.place;
    try {
      target.gpu = std::make_shared<const Gpu>(node);
      if (config.frequency != 0)
        throw Error("samples are made by cycles, not by time: --period instead of -F");
      target.period = target.gpu->period(config.period);
      for (const Tile& tile : target.gpu->tiles()) {
        target.tile = tile;
        target.place = format("%s tile %u", node.place.c_str(), tile.tile);
        target.address_bits = eu_stall_address_bits(tile.layout) % 64;
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

using Source = StallSource<Sampler>;
int descriptors(void* state, int* descriptors, int capacity) {
  if (capacity < 1) return 0;
  descriptors[0] = static_cast<Source*>(state)->sampler().readiness();
  return 1;
}

constexpr struct gpustall_plugin kPlugin = plugin_table<Source>(
    {
        .name = "xe",
        .description = "Intel GPUs by the xe driver: hardware samples of stalled execution units",
        .event = "gpu-stall",
        .agent = "opencl",
        .flags = 0,
    },
    Source::devices, descriptors);

}  // namespace
}  // namespace aiflame::source::xe

EXPORT_SOURCE(aiflame::source::xe::kPlugin)
