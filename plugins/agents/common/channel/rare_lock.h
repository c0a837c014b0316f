/* SPDX-License-Identifier: MIT
 *
 * The lock for the channel's rare work: connecting and listing mappings.
 */
#pragma once

#include "plugins/agents/common/quick_lock.h"

namespace aiflame::agent {

inline QuickLock rare_lock;

}  // namespace aiflame::agent
