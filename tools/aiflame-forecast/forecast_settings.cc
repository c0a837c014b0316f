// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/forecast_settings.h"

#include <algorithm>

#include "libcommon/base/choices.h"
#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-forecast/device_directory.h"

namespace aiflame::forecast {
namespace {

template <typename Enum, typename Names>
Enum parse_word(const char* option, const std::string& word, const Names& names) {
  const std::vector<size_t> places = parse_choices(option, word, names);
  if (places.size() != 1) throw UsageError(std::string("--") + option + " takes one word");
  return static_cast<Enum>(places.front());
}

std::string device_names() {
  std::string out;
  for (const Device& device : read_devices(default_device_directory()))
    out.append(device.file).append(" ");
  return out;
}

void check(const ForecastSettings& settings) {
  if (settings.list_devices) return;
  if (settings.to.empty())
    throw UsageError("no --to DEVICE; aiflame-forecast --list-devices shows them");
  if (settings.from.empty() && settings.mode != Mode::absolute)
    throw UsageError("no --from DEVICE; only --mode absolute needs none");
  if (!settings.from.empty() && settings.mode == Mode::absolute)
    throw UsageError(
        "--from is of no use with --mode absolute, which predicts without a measurement");
  if (settings.method == Method::habitat && settings.mode == Mode::absolute)
    throw UsageError("--predictor habitat scales what was measured: not with --mode absolute");
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") > 1)
    throw UsageError("standard input can be read once");
}

}  // namespace

std::optional<ForecastSettings> parse_forecast_settings(int argc, char** argv) {
  ForecastSettings settings;
  std::string mode = "scale", method = "table", type = "fp32";
  bool strict = false;  // there is no other way
  Options options(Options::Style::gnu, "--from DEVICE --to DEVICE [OPTION]... [FILE]...",
                  "Predicts the time of folded stacks on another device, from the operators in "
                  "their frames and the shapes of those.",
                  "Example: stackcollapse-trace --shapes trace.json.gz | aiflame-forecast --from "
                  "a100-sxm-40gb --to h100 | aiflame-svg > h100.svg");
  options.text("from", settings.from, "DEVICE",
               "where the counts were measured: a name of --list-devices, or the path of a file");
  options.text("to", settings.to, "DEVICE", "the device to predict");
  options.values("from", device_names);
  options.values("to", device_names);
  options.text("mode", mode, "scale|absolute|bounds",
               "scale: what was measured, by the ratio of both predictions (default); absolute: "
               "counts are calls, no measurement; bounds: least and most by peak rates alone, two "
               "counts per line");
  options.text("predictor", method, "table|others|roofline|regression|habitat",
               "table: peak rates and the device's measured efficiencies (default); others: the "
               "mean efficiencies of the other devices; roofline: peak rates; regression: the "
               "lines of the device's file; habitat: wave scaling");
  options.text("type", type, "TYPE",
               "of data, where no kernel's name tells: fp64, fp32 (default), tf32, fp16, bf16, "
               "fp8, fp4, int8");
  options.values("type", "fp64 fp32 tf32 fp16 bf16 fp8 fp4 int8");
  options.number("layers", settings.layers, "N",
                 "layers of the model, of which an operator graph of NeuSight has one");
  options.number("devices", settings.devices, "N",
                 "devices of one server among which an operator graph is split; its collectives "
                 "then take time");
  options.flag("list-devices", settings.list_devices, "show the devices and exit");
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.mode = parse_word<Mode>("mode", mode, kModeNames);
  settings.method = parse_word<Method>("predictor", method, kMethodNames);
  settings.type = parse_word<DataType>("type", type, kDataTypeNames);
  if (settings.layers == 0 || settings.layers > 100000)
    throw UsageError("--layers is from 1 to 100000");
  if (settings.devices == 0 || settings.devices > 1024)
    throw UsageError("--devices is from 1 to 1024");
  check(settings);
  if (settings.paths.empty()) settings.paths.emplace_back("-");
  return settings;
}

}  // namespace aiflame::forecast
