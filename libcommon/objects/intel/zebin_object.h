// SPDX-License-Identifier: MIT
// Code objects of Intel GPUs: zebins, disassembled by IGA.
#pragma once

#include <memory>

#include "libcommon/objects/object_file.h"

namespace aiflame {

std::unique_ptr<ObjectFormat> zebin_format();

}  // namespace aiflame
