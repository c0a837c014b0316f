// SPDX-License-Identifier: MIT
// Method::habitat is wave scaling of Yu, Gao, Golikov and Pekhimenko, "Habitat: A Runtime-Based
// Computational Performance Predictor for Deep Neural Network Training" (USENIX ATC 2021), in the
// form for kernels of many waves: the blocks of a wave and the clock together are the peak rate.
#include "tools/aiflame-forecast/predictor.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/program.h"

namespace aiflame::forecast {
namespace {

// The authors of NeuSight count GB of 2^30 bytes for matrices and copies, and of 10^9 for vectors,
// against bandwidths in 10^9. So does this: its roofline is theirs, to the last digit.
double memory_seconds(const Work& work, const Device& device) {
  constexpr double kBinary = 1e9 / (1 << 30);
  const bool binary = is_matrix(work.family) || work.family == Family::memory;
  return work.bytes / device.bandwidth * (binary ? kBinary : 1);
}

}  // namespace

double roofline_seconds(const Work& work, const Device& device) {
  const double rate = device.rate(is_matrix(work.family), work.type);
  const double computing = rate > 0 ? work.operations / rate : 0;
  return std::max(computing, memory_seconds(work, device));
}

Efficiencies mean_efficiencies(const std::vector<Device>& devices, std::string_view but_for) {
  Efficiencies out{};
  for (size_t family = 0; family < kMeasuredFamilies; ++family) {
    double sum = 0, count = 0;
    for (const Device& device : devices) {
      if (device.name == but_for || !device.efficiency[family]) continue;
      sum += *device.efficiency[family];
      ++count;
    }
    out[family] = count > 0 ? sum / count : 1;
  }
  return out;
}

Predictor::Predictor(const Device& device, Method method, const std::vector<Device>& devices,
                     const Networks& networks)
    : device_(device), method_(method), mean_(mean_efficiencies(devices, device.name)) {
  for (const Family family : {Family::linear, Family::bmm})
    if (const Network* network = networks.find(family, device.file))
      network_[static_cast<size_t>(family)] = *network;
  if (method != Method::regression) return;
  for (size_t family = 0; family < kMeasuredFamilies; ++family)
    if (!device.regression[family])
      throw Error("device '" + device.name + "': no line 'regression " +
                  std::string(kFamilyNames[family]) + "', which --predictor regression needs");
}

Basis Predictor::basis(const Work& work) const {
  const bool has_efficiencies =
      method_ == Method::table || method_ == Method::network || method_ == Method::others;
  if (!has_efficiencies || !is_measured(work.family)) return Basis::none;
  const size_t family = static_cast<size_t>(work.family);
  if (method_ == Method::table && device_.efficiency[family]) return Basis::device;
  // trained on fp32: of fp16, the mean is nearer to the little that was measured
  if (method_ != Method::others && network_[family] && work.type == DataType::fp32)
    return Basis::network;
  return Basis::others;
}

double Predictor::seconds(const Work& work) const {
  const double roofline = roofline_seconds(work, device_);
  const size_t family = static_cast<size_t>(work.family);
  if (method_ == Method::regression && is_measured(work.family)) {
    const Regression& line = *device_.regression[family];
    const double amount = is_matrix(work.family) ? work.operations : work.bytes;
    return std::max(0.0, line.slope * amount + line.intercept);
  }
  switch (basis(work)) {
    case Basis::none:
      return roofline;
    case Basis::device:
      return roofline / *device_.efficiency[family];
    case Basis::network:
      return roofline / network_[family]->utilisation(network_inputs(work, device_));
    case Basis::others:
      return roofline / mean_[family];
  }
  return roofline;
}

bool Predictor::is_in_range(const Work& work) const {
  if (basis(work) != Basis::network) return true;
  return network_[static_cast<size_t>(work.family)]->is_in_range(network_inputs(work, device_));
}

double wave_scaling(const Work& work, const Device& from, const Device& to) {
  const bool of_matrix = is_matrix(work.family);
  const double rate_from = from.rate(of_matrix, work.type), rate_to = to.rate(of_matrix, work.type);
  // The paper's gamma: 1 where memory bounds all, 1/2 at the ridge, towards 0 beyond it.
  double gamma = 1;
  if (work.bytes > 0 && rate_to > 0) {
    const double intensity = work.operations / work.bytes, ridge = rate_to / to.bandwidth;
    gamma = intensity < ridge ? 1 - 0.5 * intensity / ridge : 0.5 * ridge / intensity;
  }
  if (rate_from == 0 || rate_to == 0) gamma = 1;
  const double computing = gamma < 1 ? rate_from / rate_to : 1;
  return std::pow(from.bandwidth / to.bandwidth, gamma) * std::pow(computing, 1 - gamma);
}

}  // namespace aiflame::forecast
