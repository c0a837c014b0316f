// SPDX-License-Identifier: MIT
#include "plugins/sources/opencl-cpu/pocl_object.h"

#include <optional>
#include <string_view>

#include "libcommon/base/parse.h"
#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/elf.h"

namespace aiflame::source::opencl_cpu {
namespace {

constexpr std::string_view kPrefix = "_pocl_kernel_";
constexpr std::string_view kWorkgroup = "_workgroup", kFast = "_workgroup_fast";

// The kernel that a `_pocl_kernel_…_workgroup` symbol is for; empty for other symbols.
std::string_view kernel_of_workgroup(std::string_view symbol) {
  if (!take_prefix(symbol, kPrefix) || !symbol.ends_with(kWorkgroup)) return {};
  return symbol.substr(0, symbol.size() - kWorkgroup.size());
}

bool is_own_code(std::string_view symbol, std::string_view kernel) {
  return take_prefix(symbol, kPrefix) && take_prefix(symbol, kernel) &&
         (symbol.empty() || symbol == kWorkgroup || symbol == kFast);
}

}  // namespace

bool may_be_pocl_object(const std::string& path) {
  return path.starts_with('/') && path.ends_with(".so");
}

std::vector<PoclFunction> read_pocl_object(const std::string& path) {
  const ElfFile elf(path);
  std::string kernel;
  for (const ElfFunction& function : elf.functions()) {
    const std::string_view found = kernel_of_workgroup(function.name);
    // a kernel may be called `x_workgroup`: if a symbol fits both it and `x`, `x` is the kernel
    if (!found.empty() && (kernel.empty() || found.size() < kernel.size())) kernel = found;
  }
  std::vector<PoclFunction> out;
  if (kernel.empty()) return out;
  for (const ElfFunction& function : elf.functions()) {
    const std::optional<uint64_t> offset = elf.offset_of_vaddr(function.start);
    if (!offset) continue;
    const bool own = is_own_code(function.name, kernel);
    if (own && !out.empty() && out.back().name == kernel) {
      // joins neighbours into one range, so that an offset names one instruction
      out.back().bytes = *offset + function.size - out.back().offset;
      continue;
    }
    out.push_back(
        PoclFunction{*offset, function.size, own ? kernel : demangle(function.name, true), kernel});
  }
  return out;
}

}  // namespace aiflame::source::opencl_cpu
