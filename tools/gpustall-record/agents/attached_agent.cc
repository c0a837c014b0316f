// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/attached_agent.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/agents/agent_doors.h"
#include "tools/gpustall-record/agents/listen_directory.h"
#include "tools/gpustall-record/command/capture_options.h"
#include "tools/gpustall-record/command/process_tree.h"

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

// The directory in the process's own file system: a container has its own. Throws Error.
std::shared_ptr<const ListenDirectory> open_in_root(uint32_t pid, const std::string& directory) {
  const std::string path = format("/proc/%u/root", pid);
  const Descriptor root(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0)
    throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
  return std::make_shared<const ListenDirectory>(root.get(), directory);
}

}  // namespace

AttachedAgent attached_agent(uint32_t pid) {
  const std::string environment = environment_of(pid);
  AttachedAgent out;
  out.address = variable_in(environment, AGENT_ENVIRONMENT);
  out.files = agents_in(pid);
  out.sample_request = variable_in(environment, AGENT_SAMPLE_ENVIRONMENT);
  out.tells_memory = !variable_in(environment, AGENT_MEMORY_ENVIRONMENT).empty();
  const std::string directory = directory_in(out.address);
  if (!directory.starts_with('/') || out.files.empty()) return {};
  out.opened = open_in_root(pid, directory);
  out.directory =
      out.opened->is_at_path() ? directory : format("/proc/%u/root%s", pid, directory.c_str());
  return out;
}

AttachedAgent agents_of_others(const CaptureOptions& options) {
  const bool is_required = options.stacks == LaunchStacks::agent;
  if (options.pid == 0 || !options.listen.empty() ||
      (options.stacks != LaunchStacks::automatic && !is_required))
    return {.directory = options.listen};
  const auto pid = static_cast<uint32_t>(options.pid);
  AttachedAgent found;
  try {
    found = attached_agent(pid);
  } catch (const Error& error) {
    if (is_required) throw;
    warn("the agent of process %u is not used: %s", pid, error.what());
  }
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
