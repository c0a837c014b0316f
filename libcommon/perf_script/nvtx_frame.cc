// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/nvtx_frame.h"

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// The text in front of PyTorch's numbers; all of it if there are none.
std::string_view without_numbers(std::string_view text) {
  size_t end = text.size();
  for (const std::string_view key : {", seq = ", ", op_id = "}) {
    const size_t at = text.find(key);
    if (at < end && at + key.size() < text.size() && is_digit(text[at + key.size()])) end = at;
  }
  return text.substr(0, end);
}

}  // namespace

NvtxFrame nvtx_frame(std::string_view text) {
  const std::string name(without_numbers(text));
  // A range of record_function() is numbered too. Its text mostly has blanks, and operators have
  // them only in "autograd::engine::evaluate_function: MmBackward0".
  if (name.size() < text.size() &&
      (name.find(' ') == std::string::npos || name.starts_with("autograd::")))
    return {name + "_[o]", true};
  return {(name.empty() ? "[unnamed]" : name) + "_[r]", false};
}

}  // namespace aiflame
