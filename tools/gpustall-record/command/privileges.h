// SPDX-License-Identifier: MIT
// The capabilities that a recorder of root keeps. It reads what recorded programs have made, so it
// gives up what it does not need once the command has been forked, which keeps all of its own.
//
// There are two steps, because some kernels want more to open a perf event than to read it.
// Debian's and Ubuntu's refuse any event without CAP_SYS_ADMIN where perf_event_paranoid is 3 or 4.
// So there that capability stays in reserve, permitted and not effective, until the events are
// open: EventRings uses it for the one call that fails without it. No event is opened later. The
// kernel opens the events of new threads and forks itself, and asks for no capability then.
#pragma once

namespace aiflame::record {

// Gives the others up for good, in this thread and those that it starts, and for whatever they
// execute. `places_uprobes`: in libraries that programs load later, too. Without capabilities, or
// where the kernel refuses, it does nothing.
void drop_capabilities(bool places_uprobes);

// Once the perf events are open: gives up what was in reserve for them.
void drop_reserve();

}  // namespace aiflame::record
