// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/collective.h"

namespace aiflame::forecast {
namespace {

double link_seconds(double bytes, const Device& device) {
  // A direction has half of what sheets say of both. 72 % of it is reached: the constant of
  // NeuSight's authors, who also count bytes as for copies.
  constexpr double kReached = 0.72 / 2, kBinary = 1e9 / (1 << 30);
  return device.link > 0 ? bytes / (device.link * kReached) * kBinary : 0;
}

double network_seconds(double bytes, const Cluster& cluster) {
  return cluster.latency + bytes / cluster.bandwidth;
}

// Hierarchical: the devices of a server reduce among themselves, as NeuSight's authors count: the
// data pass a link as often as there are other devices. Then each device reduces its part with
// those of the other servers, in a ring of 2 (nodes - 1) steps; in each a server sends a
// nodes-th of the data.
double all_reduce_seconds(double bytes, const Device& device, const Cluster& cluster) {
  const double others = static_cast<double>(cluster.devices - 1);
  const double nodes = static_cast<double>(cluster.nodes);
  double out = link_seconds(bytes, device) * others;
  if (cluster.nodes > 1) out += 2 * (nodes - 1) * network_seconds(bytes / nodes, cluster);
  return out;
}

// The mean over the borders between stages, of which nodes - 1 are borders between servers.
double send_seconds(double bytes, const Device& device, const Cluster& cluster) {
  if (cluster.nodes == 1) return link_seconds(bytes, device);
  if (cluster.stages <= cluster.nodes) return network_seconds(bytes, cluster);
  const double borders = static_cast<double>(cluster.stages - 1);
  const double far = static_cast<double>(cluster.nodes - 1);
  return (far * network_seconds(bytes, cluster) + (borders - far) * link_seconds(bytes, device)) /
         borders;
}

}  // namespace

double collective_seconds(const Work& work, const Device& device, const Cluster& cluster) {
  if (cluster.is_alone() || work.bytes == 0) return 0;
  return work.reduces ? all_reduce_seconds(work.bytes, device, cluster)
                      : send_seconds(work.bytes, device, cluster);
}

}  // namespace aiflame::forecast
