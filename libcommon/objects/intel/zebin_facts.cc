// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin_facts.h"

#include <algorithm>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// "key: value", without the blanks and the dash of a list in front.
struct Item {
  size_t indent = 0;  // of the key
  std::string_view key, value;
};

Item item_of(std::string_view line) {
  Item out;
  std::string_view text = trim_left(line);
  if (take_prefix(text, "- ")) text = trim_left(text);
  out.indent = line.size() - text.size();
  const size_t colon = text.find(':');
  out.key = text.substr(0, colon);
  if (colon != std::string_view::npos) out.value = trim(text.substr(colon + 1));
  return out;
}

void take(const Item& item, KernelFacts& out) {
  const auto number = parse_number<uint64_t>(item.value);
  if (!number) return;
  if (item.key == "grf_count") out.registers = number;
  if (item.key == "slm_size") out.static_local = number;
  if (item.key == "spill_size") out.spills = number;
  if (item.key == "private_size") out.scratch = number;
}

}  // namespace

KernelFacts zebin_facts(std::string_view ze_info, std::string_view kernel) {
  KernelFacts out;
  bool in_kernels = false, is_kernel = false, in_environment = false;
  while (!ze_info.empty()) {
    const std::string_view line = ze_info.substr(0, ze_info.find('\n'));
    ze_info.remove_prefix(std::min(line.size() + 1, ze_info.size()));
    const Item item = item_of(line);
    if (item.indent == 0) {
      in_kernels = item.key == "kernels";
      is_kernel = false;
    } else if (item.indent <= 4) {
      // another kernel, or another part of it
      if (in_kernels && item.key == "name" && trim_left(line).starts_with("- "))
        is_kernel = item.value == kernel;
      in_environment = is_kernel && item.key == "execution_env";
    } else if (in_environment) {
      take(item, out);
    }
  }
  // what the kernel does not need is not mentioned
  if (out.registers) {
    out.static_local = out.static_local.value_or(0);
    out.spills = out.spills.value_or(0);
    out.scratch = out.scratch.value_or(0);
  }
  return out;
}

}  // namespace aiflame
