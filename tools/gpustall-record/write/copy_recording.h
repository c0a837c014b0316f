// SPDX-License-Identifier: MIT
// Writes a recording again from the events of a GPUSTALL_RECORDED source: `--source replay`.
#pragma once

#include <string>

#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/flight/flight_options.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

// Opens `source` on the file `input` and writes gpustall(5) to `output` ("" and "-" = standard
// output), byte for byte when `input` is whole; warns when it is not. With `flight` on, the records
// are taken as if they came now. Throws Error.
void copy_recording(Source& source, const CaptureOptions& options, const std::string& input,
                    const std::string& output, const FlightOptions& flight);

}  // namespace aiflame::record
