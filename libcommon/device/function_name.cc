// SPDX-License-Identifier: MIT
#include "libcommon/device/function_name.h"

#include "libcommon/base/parse.h"
#include "libcommon/device/nvidia/cubin.h"
#include "libcommon/device/short_name.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame {
namespace {

constexpr std::string_view kDescriptor = ".kd";

// Removes each namespace that nvcc makes up: `_INTERNAL_`, a hash, the length of the file's name,
// that name, and another hash.
void remove_internal_namespaces(std::string& name) {
  constexpr std::string_view kPrefix = "_INTERNAL_";
  constexpr size_t kHash = 8;
  for (size_t at = 0; (at = name.find(kPrefix, at)) != std::string::npos;) {
    const size_t end = name.find("::", at);
    if (end == std::string::npos) return;
    const std::string_view space = std::string_view(name).substr(at, end - at);
    const bool has_hash = space.size() > kPrefix.size() + 2 * kHash &&
                          is_hex(space.substr(kPrefix.size(), kHash)) &&
                          is_hex(space.substr(space.size() - kHash));
    if (has_hash)
      name.erase(at, end + 2 - at);
    else
      at = end;
  }
}

}  // namespace

std::string device_function_name(std::string_view symbol, bool full) {
  std::string name = demangle(cubin_function_name(symbol), true);
  remove_internal_namespaces(name);
  std::string_view whole = name;
  take_prefix(whole, "typeinfo name for ");
  if (full) return std::string(whole);
  // the symbol of an AMD kernel's descriptor
  if (whole.ends_with(kDescriptor)) whole.remove_suffix(kDescriptor.size());
  return short_name(whole);
}

}  // namespace aiflame
