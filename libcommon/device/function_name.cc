// SPDX-License-Identifier: MIT
#include "libcommon/device/function_name.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/device/nvidia/cubin.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame {
namespace {

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

std::string device_function_name(std::string_view symbol, bool parameters) {
  const std::string_view function = cubin_function_name(symbol);
  std::string name = demangle(function, parameters);
  // A name that was not mangled may have its parameters as the source spells them. Demangling has
  // already left them out, except in the name of a lambda, `main::{lambda(float)#1}::operator()`,
  // which needs them.
  if (!parameters && name == function) name.resize(without_parameters(name).size());
  remove_internal_namespaces(name);
  std::string_view whole = name;
  take_prefix(whole, "typeinfo name for ");
  return std::string(whole);
}

}  // namespace aiflame
