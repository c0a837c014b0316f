/* SPDX-License-Identifier: MIT
 *
 * Copies and fills. The driver runs kernels of its own for them, whose code it shows to nobody.
 * They are reported as launches of an operation, whose name says the class of the size.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

namespace aiflame::agent::level_zero {

// Looks the functions up in the loader, once it is known.
void find_copy_functions();
// Wraps the table's entries.
void put_copy_functions(ze_api_version_t version, ze_command_list_dditable_t& table);

}  // namespace aiflame::agent::level_zero
