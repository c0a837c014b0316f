// SPDX-License-Identifier: MIT
#pragma once

#include "tools/aiflame-export/profile_writer.h"

namespace aiflame::exporter {

using Export = void (*)(const ExportSettings& settings, const Write& write);

// Makes the profile, and becomes the program that sends it. The untrusted input is read by a child,
// which gives up the network with its other rights and writes to a temporary file. This process
// reads none of it, waits for the child's end, and only then goes on. Returns the exit status, in
// the child too.
int push_profile(const ExportSettings& settings, Export export_profile);

}  // namespace aiflame::exporter
