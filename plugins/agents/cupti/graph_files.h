/* SPDX-License-Identifier: MIT
 *
 * Writes the graphs that the program instantiates to files, in the language of Graphviz. The driver
 * does that (cuGraphDebugDotPrint), within the program.
 */
#pragma once

#include <cupti.h>

namespace aiflame::agent::cupti {

constexpr CUpti_CallbackId kInstantiateCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate, CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz};

// Notes where to, as the program may change its environment.
void note_graph_file();
// Whether graphs are to be written.
[[nodiscard]] bool has_graph_file();
// Such a call has returned: writes its graph.
void graph_instantiated(const CUpti_CallbackData& call);

}  // namespace aiflame::agent::cupti
