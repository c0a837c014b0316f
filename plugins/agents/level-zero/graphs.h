/* SPDX-License-Identifier: MIT
 *
 * Recorded graphs: while an immediate list is captured, what is appended to it is not launched, but
 * put into a graph. Executables are instantiated from the graph, and each execution of one launches
 * all of it. Graphs and executables are lists of command_lists.h under their own handles.
 *
 * The functions are in the loader since Level Zero 1.17 (zeCommandListAppendGraphExt). Drivers also
 * hand out older ones by name (zeCommandListAppendGraphExp), which SYCL calls.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

namespace aiflame::agent::level_zero {

// Looks functions up in the loader, once it is known.
void find_graph_functions();
// Puts our functions into the table of lists, of version 1.17 or later.
void put_graph_functions(ze_command_list_dditable_t& table);

// The program has got the function `name` from a driver at `*address`: puts ours there instead, if
// it is about graphs. `get` looks up others of the driver.
using ExtensionGetter = decltype(ze_driver_dditable_t::pfnGetExtensionFunctionAddress);
void wrap_extension(ze_driver_handle_t driver, ExtensionGetter get, const char* name,
                    void** address);

// Whether an immediate list is captured.
bool is_capture_open();
// The graph that what is appended to the immediate list goes into; null = it is launched.
ze_command_list_handle_t find_graph(ze_command_list_handle_t list);
// The list is not captured any more, or about to be destroyed.
void end_capture_of(ze_command_list_handle_t list);
// The program captures through functions that the agent does not know. Then only the program's own
// events may get into a list.
bool are_captures_unseen();

}  // namespace aiflame::agent::level_zero
