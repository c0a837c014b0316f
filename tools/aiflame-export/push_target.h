// SPDX-License-Identifier: MIT
// Where a profile is sent to, and as what (pure). What is sent is push_body.h.
#pragma once

#include <string>

#include "tools/aiflame-export/export_settings.h"

namespace aiflame::exporter {

// A request, without the server and the body.
struct PushTarget {
  std::string path;      // with the query: "/ingest?name=train%7Brank%3D3%7D&from=..."
  std::string type;      // Content-Type
  std::string encoding;  // Content-Encoding; "": none
};
PushTarget push_target(const ExportSettings& settings);

}  // namespace aiflame::exporter
