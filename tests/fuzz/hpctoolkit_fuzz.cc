// SPDX-License-Identifier: MIT
// Databases of HPCToolkit. An input is a byte (whether the values are by profile), three bytes (the
// size of meta.db), meta.db, and profile.db or cct.db.
#include <cstdint>
#include <string_view>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-hpctoolkit/context_frames.h"
#include "tools/stackcollapse-hpctoolkit/metric_choice.h"
#include "tools/stackcollapse-hpctoolkit/values.h"

using namespace aiflame;
using namespace aiflame::hpctoolkit;

namespace {

void draw(std::string_view meta, std::string_view values, bool by_profile) {
  const DatabaseFile meta_file("meta.db", meta, "meta");
  const Metadata metadata(meta_file);
  metadata.identifier_kinds();
  const MetricChoice metric = choose_metric(metadata.metrics(), "", [](uint16_t) { return true; });
  ImportedStacks stacks;
  DeviceFrames device({parse_levels("file,kernel,function,line,mnemonic,reason,producer,offset")});
  CodeObjects objects("/nonexistent", {});
  ContextFrames frames(metadata, device, objects, stacks);
  const auto wanted = [](uint16_t) { return true; };
  const auto each = [&](uint32_t id, std::span<const MetricValue> found) {
    for (const MetricValue& one : found) weight_of(one.value, metric.quantity);
    if (const auto context = metadata.context_with(id))
      frames.stack(ImportedStacks::kEmpty, *context, "stl_mem");
  };
  const DatabaseFile value_file("values", values, by_profile ? "prof" : "ctxt");
  if (!by_profile) return ValuesByContext(value_file).read(wanted, each);
  ValuesByProfile profiles(value_file);
  for (uint32_t i = 0; i < profiles.count(); ++i) {
    profiles.identifiers(i);
    if (!profiles.is_summary(i)) profiles.read(i, wanted, each);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const size_t meta = size_t{data[1]} | size_t{data[2]} << 8 | size_t{data[3]} << 16;
  if (meta > bytes.size()) return 0;
  try {
    draw(bytes.substr(0, meta), bytes.substr(meta), data[0] % 2 == 1);
  } catch (const Error&) {
  }
  return 0;
}
