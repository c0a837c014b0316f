// SPDX-License-Identifier: MIT
// What aiflame-forecast reads: folded(5), NeuSight's graphs, devices, and the weights of its
// networks, by the first byte.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/base/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-forecast/forecast_text.h"
#include "tools/aiflame-forecast/read_input.h"

using namespace aiflame;
using namespace aiflame::forecast;

namespace {

Device a_device(double rate) {
  Device out;
  out.name = "one";
  out.bandwidth = rate;
  out.vector[static_cast<size_t>(DataType::fp32)] = 10 * rate;
  return out;
}

void read(const std::string& path, Mode mode, bool fuse) {
  const Predictor from(a_device(1e12), Method::roofline, {}),
      to(a_device(2e12), Method::roofline, {});
  const Cluster cluster = {
      .devices = 2, .nodes = 2, .stages = 2, .bandwidth = 1e10, .latency = 1e-5};
  Forecast forecast(mode, Method::roofline, DataType::fp32,
                    mode == Mode::absolute ? nullptr : &from, to, cluster);
  ForecastSettings settings;
  settings.mode = mode;
  settings.plan = {.layers = 6, .stages = 2, .micro_batches = 3};
  settings.fuse = fuse;
  settings.paths = {path};
  read_inputs(settings, forecast);
  const Totals& totals = forecast.totals();
  double sum = 0;
  forecast.each_row([&](std::string_view, const Outcome& outcome) {
    sum += mode == Mode::bounds ? outcome.most : outcome.value;
  });
  const double all = mode == Mode::bounds ? totals.all.most : totals.all.value;
  if (!(std::abs(sum - all) <= 1e-6 * all)) abort();
  double before = 0;
  for (const Amount& amount : totals.by_family) before += amount.before;
  if (!(std::abs(before - totals.before) <= 1e-6 * totals.before)) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static fuzz::MemoryFile file;
  file.set(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  try {
    const unsigned kind = data[0] % 5;
    if (kind == 4) {
      const Networks networks = read_networks(file.path());
      const Predictor predictor(a_device(1e12), Method::network, {}, networks);
      const double seconds = predictor.seconds(
          {Family::linear, DataType::fp32, 2e9, 12e6, {1, 1000, 1000, 1000}, false});
      if (!(seconds > 0 && seconds < 1)) abort();
    } else if (kind == 3) {
      const Device device = read_device(file.path());
      if (device.bandwidth <= 0 || devices_text({device}).empty()) abort();
    } else {
      read(file.path(), static_cast<Mode>(kind), (data[0] & 0x80) != 0);
    }
  } catch (const Error&) {
  }
  return 0;
}
