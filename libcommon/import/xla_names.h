// SPDX-License-Identifier: MIT
// Names that XLA's profiler writes, in xplane.pb and in the trace.json.gz that is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"

namespace aiflame {

// The frames of an operator's path on top of `stack`: jit(step)/mlp/dot_general is
// jit(step)_[m];mlp_[m];dot_general_[o].
uint32_t with_operator_path(uint32_t stack, std::string_view path, ImportedStacks& stacks);

// "$train.py:12 step", a function of Python: py::step:train.py. Empty: it is none.
std::string xla_python_frame(std::string_view name, const NameRules& rules);

}  // namespace aiflame
