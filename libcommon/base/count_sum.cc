// SPDX-License-Identifier: MIT
#include "libcommon/base/count_sum.h"

namespace aiflame {

bool CountSum::add(const Count& count) {
  if (count.decimals > sum_.decimals && !widen_to(count.decimals)) return false;
  if (count.decimals == sum_.decimals) return add_checked(sum_.value, count.value);
  Count widened = count;
  return widen(widened, sum_.decimals) && add_checked(sum_.value, widened.value);
}

bool CountSum::widen_to(unsigned decimals) {
  return decimals <= sum_.decimals || widen(sum_, decimals);
}

}  // namespace aiflame
