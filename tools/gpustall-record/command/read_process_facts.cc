// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/read_process_facts.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

// The variables of one launcher. `needs` must be set too: other programs use the name RANK.
struct Launcher {
  const char *rank, *local_rank, *ranks, *needs;
};
// From the innermost one: torchrun runs below srun, once for each node, and sets ranks of its own.
constexpr Launcher kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", "WORLD_SIZE"},
    {"JAX_PROCESS_ID", "", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_RANK"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE",
     "MV2_COMM_WORLD_RANK"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", "PMI_RANK"},  // MPICH, Intel MPI
    {"PMIX_RANK", "", "", "PMIX_RANK"},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_PROCID"},
};
constexpr const char* kJobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"};

class Environment {
 public:
  explicit Environment(std::string_view bytes) : bytes_(bytes) {}

  // "" where the variable is not set, or has no value that may stand in a recording.
  std::string_view get(std::string_view name) const {
    const std::string_view value = variable_in(bytes_, name);
    return is_fact(value) ? value : "";
  }
  std::string_view number(std::string_view name) const {
    const std::string_view value = get(name);
    return parse_number<uint32_t>(value) ? value : "";
  }

 private:
  std::string_view bytes_;
};

void take_ranks(const Environment& environment, ProcessFacts& out) {
  for (const Launcher& launcher : kLaunchers) {
    if (environment.number(launcher.needs).empty()) continue;
    out.rank = environment.number(launcher.rank);
    if (out.rank.empty()) continue;
    out.local_rank = environment.number(launcher.local_rank);
    out.ranks = environment.number(launcher.ranks);
    return;
  }
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

// The last run of 64 hexadecimal digits, the id that Docker, podman, containerd and CRI-O write:
// "0::/kubepods.slice/…/cri-containerd-<64 digits>.scope"
std::string_view container_id(std::string_view cgroups) {
  constexpr size_t kDigits = 64;
  std::string_view found;
  for (size_t at = 0; at < cgroups.size();) {
    size_t end = at;
    while (end < cgroups.size() && is_hex(cgroups[end])) ++end;
    if (end - at == kDigits) found = cgroups.substr(at, kDigits);
    at = end + 1;
  }
  return found;
}

// "…-pod0a1b2c3d_4e5f_…_56789abcdef0.slice", with '_' for '-', or "/pod0a1b…/" without systemd
std::string pod_uid(std::string_view cgroups) {
  constexpr size_t kLength = 36;  // of a UUID with its dashes
  constexpr std::string_view kMark = "pod";
  for (size_t at = cgroups.find(kMark); at != std::string_view::npos;
       at = cgroups.find(kMark, at + 1)) {
    std::string uid(cgroups.substr(at + kMark.size(), kLength));
    std::replace(uid.begin(), uid.end(), '_', '-');
    const bool is_uid =
        uid.size() == kLength && std::count(uid.begin(), uid.end(), '-') == 4 &&
        std::all_of(uid.begin(), uid.end(), [](char c) { return is_hex(c) || c == '-'; });
    if (is_uid) return uid;
  }
  return "";
}

// "/slurm/uid_0/job_4711/step_0"
std::string_view slurm_job(std::string_view cgroups) {
  constexpr std::string_view kMark = "/job_";
  const size_t at = cgroups.find(kMark);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = cgroups.substr(at + kMark.size());
  const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789"));
  return is_fact(number) ? number : "";
}

}  // namespace

ProcessFacts process_facts(std::string_view environment, std::string_view cgroups) {
  const Environment variables(environment);
  ProcessFacts out;
  take_ranks(variables, out);
  for (const char* job : kJobs)
    if (out.job.empty()) out.job = variables.get(job);
  if (out.job.empty()) out.job = slurm_job(cgroups);
  out.container = container_id(cgroups);
  // in a pod the host's name is the pod's
  if (!variables.get("KUBERNETES_SERVICE_HOST").empty()) out.pod = variables.get("HOSTNAME");
  if (out.pod.empty()) out.pod = pod_uid(cgroups);
  return out;
}

ProcessFacts read_process_facts(uint32_t pid) {
  constexpr size_t kMostCgroups = 65536;  // a line for each of a dozen hierarchies
  return process_facts(environment_of(pid),
                       read_text(format("/proc/%u/cgroup", pid), kMostCgroups));
}

}  // namespace aiflame::record
