// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/attached_agent.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/capture/agent_doors.h"
#include "tools/gpustall-record/capture/capture_options.h"
#include "tools/gpustall-record/capture/process_tree.h"

namespace aiflame::record {
namespace {

// Beyond the 65 530 mappings that a process may have.
constexpr size_t kMostMaps = size_t{16} << 20;

std::string maps_of(uint32_t pid) {
  return read_text(format("/proc/%u/maps", pid), kMostMaps);
}

// The files of the process's agents. All agents stay when nobody listens.
std::vector<std::string> agents_in(uint32_t pid) {
  const std::string maps = maps_of(pid);
  std::vector<std::string> found;
  for (const AgentRuntime& runtime : agent_runtimes())
    if (maps.find(format("/%s", runtime.agent)) != std::string::npos)
      found.emplace_back(runtime.agent);
  return found;
}

// DIRECTORY of "SECRET:UID:0:0:DIRECTORY"; "" when there is a descriptor too: then the program was
// started by a recorder.
std::string directory_in(std::string_view address) {
  const size_t secret_end = address.find(':');
  const size_t uid_end =
      secret_end == std::string_view::npos ? secret_end : address.find(':', secret_end + 1);
  if (uid_end == std::string_view::npos) return "";
  address.remove_prefix(uid_end + 1);
  return take_prefix(address, "0:0:") ? std::string(address) : "";
}

bool is_same_directory(const struct stat& one, const std::string& other) {
  struct stat status {};
  return stat(other.c_str(), &status) == 0 && status.st_dev == one.st_dev &&
         status.st_ino == one.st_ino;
}

}  // namespace

AttachedAgent attached_agent(uint32_t pid) {
  const std::string environment = environment_of(pid);
  AttachedAgent out;
  out.address = variable_in(environment, AGENT_ENVIRONMENT);
  out.files = agents_in(pid);
  out.sample_request = variable_in(environment, AGENT_SAMPLE_ENVIRONMENT);
  const std::string directory = directory_in(out.address);
  if (!directory.starts_with('/') || out.files.empty()) return {};
  // a container has its own
  const std::string there = format("/proc/%u/root%s", pid, directory.c_str());
  struct stat status {};
  if (stat(there.c_str(), &status) != 0) {
    warn("the agent of process %u is not used: cannot open '%s': %s", pid, directory.c_str(),
         std::strerror(errno));
    return {};
  }
  out.directory = is_same_directory(status, directory) ? directory : there;
  return out;
}

AttachedAgent agents_of_others(const CaptureOptions& options) {
  const bool is_required = options.stacks == LaunchStacks::agent;
  if (options.pid == 0 || !options.listen.empty() ||
      (options.stacks != LaunchStacks::automatic && !is_required))
    return {options.listen, ""};
  const auto pid = static_cast<uint32_t>(options.pid);
  AttachedAgent found = attached_agent(pid);
  if (found.directory.empty() && is_required)
    throw Error(
        format("process %u has no agent that waits for a recorder; start it with the variables of "
               "--print-env",
               pid));
  return found;
}

bool runs_python(uint32_t pid) {
  const std::string maps = maps_of(pid);
  return maps.find("/libpython3.") != std::string::npos ||
         maps.find("/bin/python3") != std::string::npos;
}

}  // namespace aiflame::record
