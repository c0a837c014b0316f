// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/settings.h"

namespace aiflame::xplane {

// Adds the stacks of a whole XSpace. `name`: of the input. Throws Error, which begins with it.
void collapse(std::string_view message, const std::string& name, const Settings& settings,
              ImportedStacks& stacks);

}  // namespace aiflame::xplane
