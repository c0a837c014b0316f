/* SPDX-License-Identifier: MIT
 *
 * What CUPTI says of a device before anything is sampled on it: whether its configuration can be
 * sampled at all, and which part of it keeps it from that.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

// False where it says no; each cause is then told the user. Where it does not answer, sampling has
// to be tried. `device` as report_device() numbers them, 0 = not known.
bool can_be_sampled(const Cupti& cupti, uint32_t device);

}  // namespace aiflame::agent::cupti
