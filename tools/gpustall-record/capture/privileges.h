// SPDX-License-Identifier: MIT
// The capabilities that a recorder of root keeps. It reads what recorded programs have made, so it
// gives up what it does not need once the command has been forked, which keeps all of its own.
#pragma once

namespace aiflame::record {

// Gives the others up for good, in this thread and those that it starts, and for whatever they
// execute. `places_uprobes`: in libraries that programs load later, too. Without capabilities, or
// where the kernel refuses, it does nothing.
void drop_capabilities(bool places_uprobes);

}  // namespace aiflame::record
