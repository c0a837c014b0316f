// SPDX-License-Identifier: MIT
// What has to be run, and what the picture is called.
#pragma once

#include <string>

#include "tools/aiflame/front_settings.h"
#include "tools/aiflame/pipeline.h"

namespace aiflame::front {

struct Plan {
  Pipeline pipeline;
  std::string output;
};

// Looks at the files. Throws Error.
Plan make_plan(const Settings& settings);

}  // namespace aiflame::front
