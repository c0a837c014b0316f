// SPDX-License-Identifier: MIT
// Writes what a source of recordings tells of `input`, as it tells it.
#pragma once

#include <string>

#include "libcommon/output.h"
#include "tools/gpustall-record/source_host.h"

namespace aiflame {

void replay(Source& source, const std::string& input, Output& out);

}  // namespace aiflame
