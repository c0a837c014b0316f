// SPDX-License-Identifier: MIT
// Writes what a source of recordings tells of `input`, as it tells it.
#pragma once

#include <string>

#include "libcommon/base/output.h"
#include "tools/gpustall-record/capture/source_host.h"

namespace aiflame::record {

void replay(Source& source, const std::string& input, Output& out);

}  // namespace aiflame::record
