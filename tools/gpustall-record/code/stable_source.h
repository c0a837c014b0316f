// SPDX-License-Identifier: MIT
// Gives a program that was built from a string the same source name in each recording, in place of
// PoCL's random one (libcommon/device/temporary_source.h). Pure.
//
// Where PoCL keeps the object tells which program it is: the folder is PoCL's hash of the source
// text, of the build options, of PoCL's version and of the device.
//
//   /home/u/.cache/pocl/kcache/JI/MBEDIDOOJFECFHLDOBFHFNAMICDOBAANINKIF/scale/16-1-1/scale.so
//
// The recorder's copy of this object names source_MBEDIDOO.cl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace aiflame::record {

// "source_MBEDIDOO.cl" for such a path. "" for others, and for those of PoCL without its cache:
// kcache/_UNCACHED_JIv6zB/scale/16-1-1/scale.so.
std::string stable_source_name(std::string_view object_path);

// Reads at an offset; returns the number of bytes read, 0 at the end.
using ObjectReader = std::function<size_t(uint64_t offset, char* to, size_t bytes)>;

// Reads what `reader` reads, with `name` (of stable_source_name()) for each tempfile_XXXXXX.cl,
// wherever a read begins or ends.
ObjectReader with_source_name(ObjectReader reader, std::string name);

}  // namespace aiflame::record
