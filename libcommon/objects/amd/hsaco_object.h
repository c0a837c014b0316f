// SPDX-License-Identifier: MIT
// Code objects of AMD GPUs: shared objects, disassembled by LLVM.
#pragma once

#include <memory>

#include "libcommon/objects/object_file.h"

namespace aiflame {

std::unique_ptr<ObjectFormat> hsaco_format();

}  // namespace aiflame
