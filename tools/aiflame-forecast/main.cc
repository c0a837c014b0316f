// SPDX-License-Identifier: MIT
// aiflame-forecast: predicts the time of folded stacks on another device.
//
//   stackcollapse-trace --shapes v100.json.gz |
//     aiflame-forecast --from v100 --to h100 > h100.folded
//
// Reads folded(5), whose frames hold operators with the shapes of their inputs:
//   train;Linear_0_[m];aten::addmm 512, 64x256, 256x512_[o];-;sgemm_128x64_[G] 71000
//   train;aten::add 64x512, 64x512_[o];-;elementwise_kernel_[G] 9000
// Writes the same stacks with the time that they would take:
//   train;Linear_0_[m];aten::addmm 512, 64x256, 256x512_[o];-;sgemm_128x64_[G] 16502
//   train;aten::add 64x512, 64x512_[o];-;elementwise_kernel_[G] 2703
#include <algorithm>
#include <cmath>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-forecast/device_directory.h"
#include "tools/aiflame-forecast/device_range.h"
#include "tools/aiflame-forecast/forecast_settings.h"
#include "tools/aiflame-forecast/forecast_text.h"
#include "tools/aiflame-forecast/read_input.h"

namespace aiflame::forecast {
namespace {

Device device_of(const std::string& name, const std::vector<Device>& devices) {
  return is_device_path(name) ? read_device(name) : find_device(devices, name);
}

// Measured utilisation does not transfer between devices. If only one device was measured, the
// ratio of the network's two predictions has the smaller error (scripts/forecast-accuracy.py).
Method method_of(const ForecastSettings& settings, const Device& to, const Device* from) {
  const bool lacks = from != nullptr && !(from->is_measured() && to.is_measured());
  return settings.method == Method::table && lacks ? Method::network : settings.method;
}

// Counts are rounded so that they add up to the rounded total: each takes the difference of two
// running totals.
class Rounding {
 public:
  explicit Rounding(double scale) : scale_(scale) {}
  uint64_t next(double value) {
    sum_ += value * scale_;
    const double whole = std::round(sum_);
    const double out = whole - written_;
    written_ = whole;
    return static_cast<uint64_t>(out);
  }

 private:
  const double scale_;
  double sum_ = 0, written_ = 0;
};

void write(const ForecastSettings& settings, const ForecastFacts& facts, const Forecast& forecast,
           const InputFacts& input) {
  // what a double and 64 bits hold exactly, with room; also of what is not a number
  constexpr double kMost = 1e18;
  const double scale = std::pow(10.0, input.decimals);
  const Totals& totals = forecast.totals();
  if (!(std::max(totals.all.value, totals.all.most) * scale < kMost))
    throw Error("the predicted times are too large to be written");
  Quantity after = input.quantity;
  if (settings.mode == Mode::absolute)
    after = {.event = "gpu-time", .unit = std::string(kNanoseconds)};
  if (!after.event.empty()) after.event += "-forecast";
  after.measured = false;
  Output out;
  if (after.is_known()) out.write(quantity_line(after));
  for (const std::string& line : forecast_lines(facts, totals)) {
    out.write("# aiflame-forecast: " + printable(line) + "\n");
    say("%s", line.c_str());
  }
  Rounding counts(scale), least(scale), most(scale);
  std::string line;
  forecast.each_row([&](std::string_view stack, const Outcome& outcome) {
    line = printable(stack);
    if (settings.mode == Mode::bounds) {
      line.append(" ").append(format_count(least.next(outcome.least), input.decimals));
      line.append(" ").append(format_count(most.next(outcome.most), input.decimals));
    } else {
      const uint64_t count = counts.next(outcome.value);
      if (count == 0) return;
      line.append(" ").append(format_count(count, input.decimals));
    }
    out.write(line.append("\n"));
  });
  out.close();
  say("%s", result_line(facts, totals, input.quantity, after, input.decimals).c_str());
}

std::vector<std::string> readable(const ForecastSettings& settings) {
  std::vector<std::string> out = settings.paths;
  for (const std::string& name : {settings.from, settings.to})
    if (is_device_path(name)) out.push_back(name);
  return out;
}

int run(int argc, char** argv) {
  const std::optional<ForecastSettings> settings = parse_forecast_settings(argc, argv);
  if (!settings) return 0;
  const std::string directory = default_device_directory();
  if (!settings->no_sandbox) drop_rights({.files = readable(*settings), .tree = directory});
  const std::vector<Device> devices = read_devices(directory);
  if (settings->list_devices) {
    Output out;
    out.write(devices_text(devices));
    out.close();
    return 0;
  }
  const Device target = device_of(settings->to, devices);
  std::optional<Device> source;
  if (settings->mode != Mode::absolute) source = device_of(settings->from, devices);
  const Method method = method_of(*settings, target, source ? &*source : nullptr);
  const Networks networks = read_networks(directory + "/network.weights");
  const Predictor to(target, method, devices, networks);
  std::optional<Predictor> from;
  if (source) from.emplace(*source, method, devices, networks);
  Forecast forecast(settings->mode, method, settings->type, from ? &*from : nullptr, to,
                    settings->cluster);
  const InputFacts input = read_inputs(*settings, forecast);
  std::vector<std::string> beyond = beyond_measured(target, devices);
  if (source)
    for (std::string& line : beyond_measured(*source, devices)) beyond.push_back(std::move(line));
  const ForecastFacts facts{.mode = settings->mode,
                            .method = method,
                            .type = settings->type,
                            .from = source ? &*source : nullptr,
                            .to = &target,
                            .target_is_measured = target.is_measured(),
                            .beyond = std::move(beyond),
                            .nodes = settings->cluster.nodes,
                            .hidden = input.hidden};
  write(*settings, facts, forecast, input);
  return 0;
}

}  // namespace
}  // namespace aiflame::forecast

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-forecast", argc, argv, aiflame::forecast::run);
}
