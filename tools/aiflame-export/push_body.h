// SPDX-License-Identifier: MIT
// What is sent: the profile as the server's door wants it. Where it is sent to is push_target.h.
#pragma once

#include "tools/aiflame-export/profile_writer.h"

namespace aiflame::exporter {

// pyroscope: pprof, which is compressed.
// parca: {"series":[{"labels":{"labels":[{"name":"__name__","value":"gpu_stall"}, ...]},
//        "samples":[{"rawProfile":"H4sI..."}]}]}, with pprof in base64.
// otlp: ProfilesData, compressed by gzip.
void write_push_body(Profiles& profiles, const ExportSettings& settings, const Write& write);

}  // namespace aiflame::exporter
