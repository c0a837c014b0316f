// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/time_scale.h"

#include "libcommon/base/program.h"

namespace aiflame::collapse {

uint64_t TimeScale::of(uint64_t samples) const {
  __extension__ using Wide = unsigned __int128;
  const Wide time = Wide{samples} * nanoseconds_ / samples_;
  if (time > UINT64_MAX) throw Error("samples of more than 18446744073709551615 ns");
  return static_cast<uint64_t>(time);
}

}  // namespace aiflame::collapse
