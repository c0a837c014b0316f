// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/code_object.h"

#include <algorithm>

namespace aiflame::record {
namespace {

// The most functions inside one kernel. A compiler inlines most of them.
constexpr size_t kMaxInside = 1024;

}  // namespace

const CodeObject::Function* CodeObject::function_at(uint64_t at) const {
  auto next = std::upper_bound(functions.begin(), functions.end(), at,
                               [](uint64_t a, const Function& f) { return a < f.address; });
  // A cubin's kernel has functions inside it. The nearest start that still reaches `at` is the
  // innermost function; an address after the last inner function leads back to the outer one. A
  // hostile file could make that a long way, so the search stops after kMaxInside steps.
  for (size_t back = 0; back < kMaxInside && next != functions.begin(); ++back) {
    --next;
    if (at - next->address < next->bytes) return &*next;
  }
  return nullptr;
}

uint64_t CodeObject::kernel_address(uint32_t kernel) const {
  for (const Function& function : functions)
    if (function.own && function.kernel == kernel) return function.address;
  return 0;
}

}  // namespace aiflame::record
