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
  const auto number = [&](int at) {
    return argc == 11 ? parse_number<uint64_t>(argv[at]) : std::nullopt;
  };
  const auto bytes = number(8), retries = number(9), seconds = number(10);
  if (!bytes || !retries || !seconds)
    throw Error("push-profile is a part of aiflame-export, which starts it");
  Job job{argv[1], {argv[2], argv[3], argv[4], argv[5]}, argv[6], argv[7], *bytes, *retries,
          *seconds};
  if (job.request.path.size() > kMostPath) throw Error("service and labels are too long");
  return job;
}

}  // namespace aiflame::push
