// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/print_environment.h"

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/agents/agent_doors.h"
#include "tools/gpustall-record/agents/listen_directory.h"
#include "tools/gpustall-record/source/plugin_directory.h"
#include "tools/gpustall-record/source/sample_request.h"
#include "tools/gpustall-record/source/source.h"

namespace aiflame::record {

int print_environment(const CaptureOptions& options, const std::string& source) {
  const std::string installed = default_plugin_directory();
  const ListenDirectory directory(options.listen);
  Environment environment =
      image_environment(installed, options.plugin_directory, agent_address(directory), options);
  if (!source.empty()) {
    const Source sampling(installed, source);
    refuse_device(sampling, options);
    if (sampling.has(GPUSTALL_BY_AGENT))
      environment.emplace_back(AGENT_SAMPLE_ENVIRONMENT, sample_request(sampling, {}, options));
  }
  Output out;
  for (const auto& [name, value] : environment) {
    // readers of such lines take them as they are: there is no way to quote
    if (value.find('\n') != std::string::npos)
      throw Error(format("the value of %s has a line feed", name.c_str()));
    out.write(format("%s=%s\n", name.c_str(), value.c_str()));
  }
  out.close();
  return 0;
}

}  // namespace aiflame::record
