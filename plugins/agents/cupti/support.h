/* SPDX-License-Identifier: MIT
 *
 * Asks CUPTI, before anything is sampled, whether a device can be sampled in its configuration, and
 * which part of that forbids it.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// False when CUPTI says no; the user is then told each cause. When CUPTI does not answer, sampling
// has to be tried. `device`: as given to report_device(), 0 = not known.
bool can_be_sampled(const Cupti& cupti, uint32_t device);

}  // namespace aiflame::agent::cupti
