// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/network.h"

#include <algorithm>
#include <cmath>

namespace aiflame::forecast {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// Of a tile: the power of two that holds the size.
double side(double size) {
  return std::clamp(std::exp2(std::ceil(std::log2(size))), 32.0, 128.0);
}

double dot(const std::array<double, 3>& weights, double a, double b) {
  return weights[0] + weights[1] * a + weights[2] * b;
}

constexpr std::string_view kAll = "all";
// Nothing that was measured reaches less. It keeps what is divided by it finite.
constexpr double kLeast = 0.01;

}  // namespace

NetworkInputs network_inputs(const Work& work, const Device& device) {
  const Product& product = work.product;
  const double rows = side(product.m), columns = side(product.k);
  const double operations = 2 * rows * product.n * columns;
  const double moved = kBytes[static_cast<size_t>(work.type)] *
                       (rows * product.n + product.n * columns + rows * columns);
  const double tiles = product.b * std::ceil(product.m / rows) * std::ceil(product.k / columns);
  const double units = std::max(1.0, device.units);
  return {std::log2(operations / device.rate(true, work.type) / (moved / device.bandwidth)),
          std::log2(std::max(1.0, std::ceil(tiles / units)))};
}

double Network::utilisation(const NetworkInputs& inputs) const {
  const double a = std::clamp(inputs.intensity, intensity.low, intensity.high);
  const double b = std::clamp(inputs.waves, waves.low, waves.high);
  // the last wave leaves units idle: the more so, the fewer waves there are
  const double out =
      sigmoid(dot(gain, a, b)) * (1 - sigmoid(dot(loss, a, b)) / std::exp2(inputs.waves));
  return std::max(out, kLeast);
}

bool Network::is_in_range(const NetworkInputs& inputs) const {
  const auto is_in = [](double value, const Range& range) {
    return value >= range.low && value <= range.high;
  };
  return is_in(inputs.intensity, intensity) && is_in(inputs.waves, waves);
}

const Network* Networks::find(Family family, std::string_view device) const {
  const Network* of_all = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.family != family) continue;
    if (entry.device == device) return &entry.network;
    if (entry.device == kAll) of_all = &entry.network;
  }
  return of_all;
}

bool Networks::has(Family family, std::string_view device) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.family == family && entry.device == device;
  });
}

void Networks::add(Family family, std::string_view device, const Network& network) {
  entries_.push_back({family, std::string(device), network});
}

}  // namespace aiflame::forecast
