// SPDX-License-Identifier: MIT
// What the formats have in common.
#pragma once

#include <functional>
#include <string_view>

#include "tools/aiflame-export/export_settings.h"
#include "tools/aiflame-export/read_stacks.h"

namespace aiflame::exporter {

using Write = std::function<void(std::string_view bytes)>;

// Calls each(sample) for all samples of a profile, in the order of the input.
template <typename Each>
void each_sample(SampleStore& store, const Profile& profile, const Each& each) {
  Sample sample;
  for (const SampleRange& range : profile.ranges)
    for (SampleReader reader(store, range); reader.next(sample);) each(sample);
}

// The writers of the formats. All inputs have been read, and their counts fit (check_counts()).
//
// One profile as a message of profile.proto, compressed by gzip.
void write_pprof(Profiles& profiles, const Profile& profile, const ExportSettings& settings,
                 const Write& write);
// All profiles as a message ProfilesData of OpenTelemetry.
void write_otlp(Profiles& profiles, const ExportSettings& settings, const Write& write);
// All profiles as a trace of Perfetto.
void write_perfetto(Profiles& profiles, const Write& write);
// All profiles as a file of speedscope.
void write_speedscope(Profiles& profiles, const Write& write);

}  // namespace aiflame::exporter
