// SPDX-License-Identifier: MIT
#include "libcommon/device/function_name.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/device/short_name.h"
#include "libcommon/objects/nvidia/cubin.h"
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

// clang makes static kernels visible outside of their file, by a hash: of HIP
// `_Z4copyPf.static.1f2e`, before clang 13 `.intern.1f2e`. No demangler knows it.
std::string_view without_static_hash(std::string_view symbol) {
  for (const std::string_view mark : {".static.", ".intern."}) {
    const size_t at = symbol.rfind(mark);
    if (symbol.starts_with("_Z") && at != std::string_view::npos &&
        is_hex(symbol.substr(at + mark.size())))
      return symbol.substr(0, at);
  }
  return symbol;
}

// libiberty refuses names that are longer than it dares to recurse. Of these the function's own
// name is read, and its template arguments stay as they are:
//
//   _ZN2ck6device4gemmIN2ck5TupleI…        ck::device::gemm<N2ck5TupleI…>
std::string spell_long_symbol(std::string_view symbol) {
  constexpr size_t kLong = 1024;
  std::string_view rest = symbol;
  if (symbol.size() <= kLong || !take_prefix(rest, "_Z")) return std::string(symbol);
  take_prefix(rest, "N");
  std::string out;
  while (!rest.empty() && rest.front() >= '1' && rest.front() <= '9') {
    const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto size = parse_number<size_t>(rest.substr(0, end));
    if (!size || *size > rest.size() - end) return std::string(symbol);
    const std::string_view part = rest.substr(end, *size);
    out += (out.empty() ? "" : "::");
    out += part == "_GLOBAL__N_1" ? "(anonymous namespace)" : part;
    rest.remove_prefix(end + *size);
  }
  if (out.empty() || !take_prefix(rest, "I")) return std::string(symbol);
  return out + "<" + std::string(rest) + ">";
}

}  // namespace

std::string device_function_name(std::string_view symbol, bool full) {
  const std::string_view mangled = without_static_hash(cubin_function_name(symbol));
  std::string name = demangle(mangled, true);
  if (name == mangled && !full) name = spell_long_symbol(mangled);
  remove_internal_namespaces(name);
  std::string_view whole = name;
  take_prefix(whole, "typeinfo name for ");
  if (full) return std::string(whole);
  // the symbol of an AMD kernel's descriptor
  if (whole.ends_with(kDescriptor)) whole.remove_suffix(kDescriptor.size());
  return short_name(whole);
}

}  // namespace aiflame
