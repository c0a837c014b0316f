// SPDX-License-Identifier: MIT
// Code objects of NVIDIA GPUs: cubins, disassembled by nvdisasm.
#pragma once

#include <memory>

#include "libcommon/objects/object_file.h"

namespace aiflame {

std::unique_ptr<ObjectFormat> cubin_format();

}  // namespace aiflame
