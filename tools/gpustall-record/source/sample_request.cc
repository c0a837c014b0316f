// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/sample_request.h"

#include <algorithm>
#include <cinttypes>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::record {

void refuse_device(const Source& source, const CaptureOptions& options) {
  if (options.device >= 0 && options.command.empty() && source.has(GPUSTALL_BY_AGENT))
    throw UsageError(format("--device is for a command with source '%s'", source.name().c_str()));
}

std::string sample_request(const Source& source, const std::vector<Device>& devices,
                           const CaptureOptions& options) {
  std::string text = format("%s interval=%" PRIu64, source.name().c_str(), options.interval_ms);
  if (options.period != 0) text += format(" period=%" PRIu64, options.period);
  if (!options.sampling.empty()) text += " mode=" + options.sampling;
  text += format(" duty=%" PRIu64, sampled_percent(options.sampling, options.duty));
  if (options.device >= 0 && !devices.empty()) text += " place=" + devices.front().place;
  return text;
}

void take_sample_request(std::string_view request, CapturePlan& plan) {
  for (std::string_view word = take_field(request); !word.empty(); word = take_field(request)) {
    // the process may say anything, and this goes into the recording
    if (word == "mode=exact" || word == "mode=continuous")
      plan.sampling = word.substr(word.find('=') + 1);
    else if (take_prefix(word, "duty="))
      plan.duty = std::min<uint64_t>(parse_number<uint64_t>(word).value_or(0), 100);
    else if (take_prefix(word, "period="))
      plan.period = parse_number<uint64_t>(word).value_or(0);
  }
}

}  // namespace aiflame::record
