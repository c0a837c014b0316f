// SPDX-License-Identifier: MIT
// Writes what a source of recordings tells, as it tells it.
#pragma once

#include "libcommon/output.h"
#include "tools/gpustall-record/source_host.h"

namespace aiflame {

void replay(Source& source, Output& out);

}  // namespace aiflame
