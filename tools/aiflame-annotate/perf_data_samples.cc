// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/perf_data_samples.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/perf_data/perf_data.h"

namespace aiflame::annotate {
namespace {

// Each holds two file descriptors, and a shell may leave us 256.
constexpr size_t kMaxOpenObjects = 100;

}  // namespace

void PerfDataSamples::read(ByteSource&& source, const std::string& directory) {
  PerfDataReader reader(std::move(source), directory);
  size_t build_ids = 0;
  uint64_t unknown = 0;
  reader.read([&](const PerfDataRecord& record) {
    while (build_ids < reader.build_ids().size())
      machine_.take_build_id(reader.build_ids()[build_ids++]);
    if (record.type != PERF_RECORD_SAMPLE) {
      machine_.take(record);
      return;
    }
    const size_t event = reader.events().of(record);
    if (event == PerfEvents::kNone) {
      ++unknown;
      return;
    }
    const PerfAttribute& attribute = reader.events()[event];
    PerfSample sample;
    if (!parse_sample(attribute, record.body, sample))
      throw Error(reader.name() + ": malformed sample");
    const bool user = (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
    take_(attribute.name, user ? code_of(sample) : PerfCode(),
          std::max<uint64_t>(sample.period, 1));
  });
  if (reader.cut()) warn("%s: recording is cut short; read what is whole", reader.name().c_str());
  if (unknown > 0)
    warn("%s: %llu samples of unknown events ignored", reader.name().c_str(),
         static_cast<unsigned long long>(unknown));
}

PerfCode PerfDataSamples::code_of(const PerfSample& sample) {
  PerfCode out;
  const PerfMap* const map = machine_.find_user(sample.pid, sample.ip);
  if (map == nullptr) return out;
  const PerfObject& object = machine_.object(map->object);
  const ElfFile* const file = object.kind == PerfObject::Kind::file ? elf(object) : nullptr;
  if (file == nullptr) return out;
  out.position = map->inside(sample.ip);
  const auto vaddr = file->vaddr_of_offset(out.position);
  const auto function = vaddr ? file->function_at(*vaddr) : std::nullopt;
  const auto start = function ? file->offset_of_vaddr(function->start) : std::nullopt;
  if (!start) return out;
  out.symbol = function->name;
  out.object = object.name;
  out.start = *start;
  return out;
}

// A file that was built anew since the recording has other code at the same place.
const ElfFile* PerfDataSamples::elf(const PerfObject& object) {
  if (objects_.size() >= kMaxOpenObjects && objects_.count(object.name) == 0) objects_.clear();
  const auto [at, added] = objects_.try_emplace(object.name);
  if (!added) return at->second.get();
  try {
    auto file = std::make_unique<ElfFile>(object.name);
    if (object.build_id.empty() || file->build_id().starts_with(object.build_id) ||
        object.build_id.starts_with(file->build_id()))
      at->second = std::move(file);
    else
      warn("%s: its code is not shown: it is not the file that was recorded", object.name.c_str());
  } catch (const Error& error) {
    warn("%s; no source and no instructions from it", error.what());
  }
  return at->second.get();
}

}  // namespace aiflame::annotate
