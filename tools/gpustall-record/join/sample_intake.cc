// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/sample_intake.h"

#include <algorithm>

namespace aiflame::record {
namespace {

// The kernel of an object that has only one; 0 = unknown.
uint32_t only_kernel(const CodeObject& object) {
  if (object.functions.empty()) return 0;
  const uint32_t kernel = object.functions.front().kernel;
  const bool is_only = std::all_of(
      object.functions.begin(), object.functions.end(),
      [kernel](const auto& function) { return function.kernel == kernel || function.kernel == 0; });
  return is_only ? kernel : 0;
}

}  // namespace

void SampleIntake::find_code(TimedSample& sample) const {
  sample.object = code_.find(sample.device, sample.pid, sample.address);
  if (sample.object == nullptr) return;
  const CodeObject::Function* function = sample.object->function_at(sample.address);
  // outside of every function, as in a PLT stub, it still belongs to the object's kernel
  sample.kernel = function != nullptr ? function->kernel : only_kernel(*sample.object);
}

void SampleIntake::add(const TimedSample& sample, uint64_t seen) {
  joiner_.add_sample(sample);
  tables_.latest_ns = std::max(tables_.latest_ns, seen);
}

}  // namespace aiflame::record
