// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_data_metadata.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <utility>

#include "libcommon/base/hex.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr uint64_t kTracingFeature = 1, kBuildIdFeature = 2, kHostname = 3, kRelease = 4,
                   kArchitecture = 6, kEventDescription = 12, kSampleTime = 21;
constexpr uint64_t kUpdateName = 2;
constexpr uint16_t kBuildIdHasSize = 1 << 15;
// What build ids may take in memory. Those of a whole system take a megabyte.
constexpr uint64_t kMaxBuildIds = uint64_t{64} << 20;
// A build id with its path takes this much in addition to the path, which is kept twice.
constexpr uint64_t kBuildIdCost = 256;

// A text of the header: u32 length, then the bytes, with zeros behind.
std::string counted_text(std::string_view bytes) {
  ByteCursor cursor(bytes);
  return std::string(ByteCursor(cursor.bytes(cursor.u32())).text());
}

}  // namespace

bool PerfDataMetadata::add_event(std::string_view body) {
  PerfAttribute attribute;
  if (!parse_attribute(body, attribute)) return false;
  ByteCursor cursor(body);
  cursor.u32();
  const uint32_t size = cursor.u32();
  ByteCursor ids(
      body.substr(std::min<size_t>(size == 0 ? PERF_ATTR_SIZE_VER0 : size, body.size())));
  while (ids.left() >= sizeof(uint64_t)) attribute.ids.push_back(ids.u64());
  // a file repeats those of its header
  if (attribute.ids.empty() || events.find_id(attribute.ids.front()) == PerfEvents::kNone)
    events.add(std::move(attribute));
  return true;
}

void PerfDataMetadata::update_event(std::string_view body) {
  ByteCursor cursor(body);
  const uint64_t what = cursor.u64();
  const uint64_t id = cursor.u64();
  if (what == kUpdateName && cursor.ok()) events.rename(events.find_id(id), cursor.text());
}

bool PerfDataMetadata::has_use_for(uint64_t feature) {
  return feature == kTracingFeature || feature == kBuildIdFeature || feature == kHostname ||
         feature == kRelease || feature == kArchitecture || feature == kEventDescription ||
         feature == kSampleTime;
}

void PerfDataMetadata::read_feature(uint64_t feature, std::string_view bytes) {
  if (feature == kTracingFeature) tracing_data = bytes;
  if (feature == kEventDescription) read_event_names(bytes);
  if (feature == kHostname) hostname = counted_text(bytes);
  if (feature == kRelease) release = counted_text(bytes);
  if (feature == kArchitecture) architecture = counted_text(bytes);
  if (feature == kSampleTime) {
    ByteCursor cursor(bytes);
    first_sample = cursor.u64();
    last_sample = cursor.u64();
  }
  if (feature != kBuildIdFeature) return;
  // records, each with a header
  while (bytes.size() >= 8) {
    ByteCursor cursor(bytes);
    cursor.u32();
    const auto misc = cursor.take<uint16_t>();
    const auto size = cursor.take<uint16_t>();
    if (size < 8 || size > bytes.size()) return;
    read_build_id(misc, bytes.substr(8, size - size_t{8}));
    bytes.remove_prefix(size);
  }
}

// Number of events, size of an attribute; for each event: attribute, number of ids, name, ids.
void PerfDataMetadata::read_event_names(std::string_view bytes) {
  ByteCursor cursor(bytes);
  const uint32_t count = cursor.u32();
  const uint32_t attribute_size = cursor.u32();
  for (size_t i = 0; i < count && cursor.ok(); ++i) {
    cursor.bytes(attribute_size);
    const uint32_t ids = cursor.u32();
    const std::string_view name = ByteCursor(cursor.bytes(cursor.u32())).text();
    cursor.bytes(ids, sizeof(uint64_t));
    if (cursor.ok()) events.rename(i, name);
  }
}

// pid; 20 bytes of build id, followed by its length if a bit says so, padded to 24; the path
void PerfDataMetadata::read_build_id(uint16_t misc, std::string_view body) {
  ByteCursor cursor(body);
  cursor.u32();
  const std::string_view bytes = cursor.bytes(24);
  const std::string_view path = cursor.text();
  if (!cursor.ok() || path.empty()) return;
  build_id_bytes_ += 2 * path.size() + kBuildIdCost;
  if (build_id_bytes_ > kMaxBuildIds) throw Error("build ids of more than 64 MiB");
  size_t size = 20;
  if ((misc & kBuildIdHasSize) != 0)
    size = std::min<size_t>(size, static_cast<unsigned char>(bytes[20]));
  PerfBuildId out;
  out.path = path;
  out.hex = hex_of(bytes.substr(0, size));
  out.kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  build_ids.push_back(std::move(out));
}

}  // namespace aiflame
