// SPDX-License-Identifier: MIT
#include "tools/push-profile/job.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::push {
namespace {

// A kept profile's head must fit into what is read of it.
constexpr size_t kMostPath = size_t{32} << 10;

}  // namespace

Job parse_job(int argc, char** argv) {
  const auto bytes = argc == 10 ? parse_number<uint64_t>(argv[8]) : std::nullopt;
  const auto retries = argc == 10 ? parse_number<uint64_t>(argv[9]) : std::nullopt;
  if (!bytes || !retries) throw Error("push-profile is a part of aiflame-export, which starts it");
  Job job{argv[1], {argv[2], argv[3], argv[4], argv[5]}, argv[6], argv[7], *bytes, *retries};
  if (job.request.path.size() > kMostPath) throw Error("service and labels are too long");
  return job;
}

}  // namespace aiflame::push
