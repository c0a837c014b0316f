// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/check_counts.h"

#include "libcommon/base/program.h"
#include "tools/aiflame-export/value_types.h"

namespace aiflame::exporter {
namespace {

void check_whole(const Profile& profile, const ValueTypes& types, const std::string& format) {
  uint64_t divisor = 1;
  for (unsigned i = 0; i < profile.total.decimals(); ++i) divisor *= 10;
  // whole times may be fractions of another unit
  for (const ValueType& type : types.values) {
    if (divisor > 1 && (nanoseconds_of(profile.quantity.unit) == 0 || type.factor % divisor != 0))
      throw Error(profile.fraction + ": the count has a fraction, and " + format +
                  " holds whole numbers; speedscope holds both");
    uint64_t total = profile.total.value();
    if (!multiply_checked(total, type.factor / (divisor > 1 ? divisor : 1)) || total > INT64_MAX)
      throw Error(profile.file + ": the counts are too large: together they are more than 2^63 " +
                  type.unit);
  }
}

}  // namespace

void check_counts(const std::vector<Profile>& profiles, Format format) {
  if (format == Format::speedscope) return;
  const std::string name = format_name(format);
  if (format == Format::pprof && profiles.size() > 1)
    throw Error(profiles[1].file + ": " +
                describe_difference(profiles[1].quantity, profiles[0].file, profiles[0].quantity) +
                "; a pprof profile is of one event: export each by itself");
  for (const Profile& profile : profiles) check_whole(profile, value_types(profile.quantity), name);
}

}  // namespace aiflame::exporter
