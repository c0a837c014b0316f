// SPDX-License-Identifier: MIT
// The comment lines of gpustall(5): every record that is no sample.
#pragma once

#include <string_view>

#include "libcommon/gpustall/gpustall_record.h"

namespace aiflame {

// Parses a line of a recording, without its `# `, into `record`: the kind and the fields of that
// kind. Returns null, or for a malformed line the words "expected …". `# gpustall N` is not for
// this function: the reader handles it.
const char* parse_gpustall_comment(std::string_view text, GpustallRecord& record);

}  // namespace aiflame
