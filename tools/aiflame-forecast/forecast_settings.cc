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

void check_range(const char* option, uint64_t value, uint64_t most) {
  if (value == 0 || value > most)
    throw UsageError(
        format("--%s is from 1 to %llu", option, static_cast<unsigned long long>(most)));
}

// What graphs are predicted with.
void check_graph(const ForecastSettings& settings) {
  const Schedule& plan = settings.plan;
  const Cluster& cluster = settings.cluster;
  check_range("layers", plan.layers, 100000);
  check_range("stages", plan.stages, 100000);
  check_range("micro-batches", plan.micro_batches, 100000);
  check_range("devices", cluster.devices, 1024);
  check_range("nodes", cluster.nodes, 100000);
  const bool is_plain =
      plan.layers * plan.stages * plan.micro_batches == 1 && cluster.is_alone() && !settings.fuse;
  if (settings.mode != Mode::absolute && !is_plain)
    throw UsageError(
        "--layers, --fuse, --stages, --micro-batches, --devices and --nodes are for operator "
        "graphs, which --mode absolute predicts");
  if (plan.layers % plan.stages != 0) throw UsageError("--stages does not divide the --layers");
  if (plan.stages > 1 && cluster.is_alone())
    throw UsageError("--stages needs several --devices or --nodes");
  if (plan.stages > 1 && plan.stages < cluster.nodes)
    throw UsageError("fewer --stages than --nodes");
  const bool has_network = cluster.bandwidth > 0 && cluster.latency >= 0;
  if (cluster.nodes > 1 && !has_network)
    throw UsageError(
        "--nodes needs --network-bandwidth and --network-latency: networks are too different for "
        "a default");
  if (cluster.nodes == 1 && (cluster.bandwidth >= 0 || cluster.latency >= 0))
    throw UsageError("--network-bandwidth and --network-latency are between several --nodes");
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
  check_graph(settings);
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") > 1)
    throw UsageError("standard input can be read once");
}

}  // namespace

std::optional<ForecastSettings> parse_forecast_settings(int argc, char** argv) {
  ForecastSettings settings;
  std::string mode = "scale", method = "table", type = "fp32";
  double bandwidth = -1, latency = -1;  // not given
  bool strict = false;                  // there is no other way
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
  options.text("predictor", method, "table|network|others|roofline|regression|habitat",
               "table: peak rates and the device's measured efficiencies (default); network: what "
               "a network says of products, trained on other devices; others: the mean "
               "efficiencies of the other devices; roofline: peak rates; regression: the "
               "lines of the device's file; habitat: wave scaling");
  options.text("type", type, "TYPE",
               "of data, where no kernel's name tells: fp64, fp32 (default), tf32, fp16, bf16, "
               "fp8, fp4, int8");
  options.values("type", "fp64 fp32 tf32 fp16 bf16 fp8 fp4 int8");
  options.number("layers", settings.plan.layers, "N",
                 "layers of the model, of which an operator graph of NeuSight has one");
  options.flag("fuse", settings.fuse,
               "merge chains of operators of a graph that are no products, as torch.compile does");
  options.number("devices", settings.cluster.devices, "N",
                 "devices of each server among which an operator graph is split; its collectives "
                 "then take time");
  options.number("stages", settings.plan.stages, "N",
                 "stages of the pipeline into which the layers of a graph are split");
  options.number("micro-batches", settings.plan.micro_batches, "N",
                 "of a step; the graph is that of one");
  options.number("nodes", settings.cluster.nodes, "N",
                 "servers among which the graph is split; needs the two options below");
  options.real("network-bandwidth", bandwidth, "GB/S",
               "what a server sends into the network between servers");
  options.real("network-latency", latency, "US", "until a message between servers arrives");
  options.flag("list-devices", settings.list_devices, "show the devices and exit");
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.mode = parse_word<Mode>("mode", mode, kModeNames);
  settings.method = parse_word<Method>("predictor", method, kMethodNames);
  settings.type = parse_word<DataType>("type", type, kDataTypeNames);
  settings.cluster.stages = settings.plan.stages;
  settings.cluster.bandwidth = bandwidth * 1e9;
  settings.cluster.latency = latency * 1e-6;
  check(settings);
  if (settings.paths.empty()) settings.paths.emplace_back("-");
  return settings;
}

}  // namespace aiflame::forecast
