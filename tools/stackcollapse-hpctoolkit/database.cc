// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/database.h"

#include <filesystem>

namespace aiflame::hpctoolkit {
namespace {

constexpr const char *kMeta = "/meta.db", *kByProfile = "/profile.db", *kByContext = "/cct.db";

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

DatabaseFile open_values(const std::string& folder, bool by_profile) {
  return by_profile ? DatabaseFile(folder + kByProfile, "prof")
                    : DatabaseFile(folder + kByContext, "ctxt");
}

}  // namespace

Database::Database(const std::string& folder, bool by_profile)
    : meta_file_(folder + kMeta, "meta"),
      metadata_(meta_file_),
      value_file_(open_values(folder, by_profile || !exists(folder + kByContext))),
      by_profile_(by_profile || !exists(folder + kByContext)) {}

std::vector<bool> Database::metrics_with_values() const {
  std::vector<bool> out(UINT16_MAX + 1);
  const auto note = [&](uint16_t metric) {
    out[metric] = true;
    return false;
  };
  read(
      note, [](std::span<const Identifier>) {}, [](uint32_t, std::span<const MetricValue>) {});
  return out;
}

void Database::read(const WantedMetrics& wanted,
                    const std::function<void(std::span<const Identifier>)>& begin,
                    const EachContext& each) const {
  if (!by_profile_) {
    begin({});
    ValuesByContext(value_file_).read(wanted, each);
    return;
  }
  ValuesByProfile values(value_file_);
  for (uint32_t profile = 0; profile < values.count(); ++profile) {
    if (values.is_summary(profile)) continue;
    begin(values.identifiers(profile));
    values.read(profile, wanted, each);
  }
}

}  // namespace aiflame::hpctoolkit
