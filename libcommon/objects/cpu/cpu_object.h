// SPDX-License-Identifier: MIT
// Code objects of a CPU that serves as an OpenCL device: shared libraries like any other.
#pragma once

#include <memory>

#include "libcommon/objects/object_file.h"

namespace aiflame {

// Mnemonics of x86-64 and AArch64; the ways between instructions of x86-64 alone.
std::unique_ptr<ObjectFormat> cpu_format();

}  // namespace aiflame
