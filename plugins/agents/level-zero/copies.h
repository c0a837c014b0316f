/* SPDX-License-Identifier: MIT
 *
 * Copies and fills: the driver does them by kernels of its own, whose code it shows to nobody. They
 * are told as launches of `[driver kernel]`, without an object.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

namespace aiflame::agent::level_zero {

// Of the loader, once it is known.
void find_copy_functions();
// Wraps the table's.
void put_copy_functions(ze_command_list_dditable_t& table);

}  // namespace aiflame::agent::level_zero
