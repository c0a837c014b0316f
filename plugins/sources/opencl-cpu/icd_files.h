// SPDX-License-Identifier: MIT
// Which drivers an OpenCL loader finds on this machine.
#pragma once

#include <string>

namespace aiflame::source::opencl_cpu {

// What programs lack to use PoCL, with the remedy; "" when its driver is registered. ocl-icd reads
// the files *.icd of a directory; each is one line, the driver's library: "libpocl.so.2.10.0".
// OCL_ICD_VENDORS may name another directory or one file, OPENCL_VENDOR_PATH another directory.
std::string pocl_lack();

}  // namespace aiflame::source::opencl_cpu
