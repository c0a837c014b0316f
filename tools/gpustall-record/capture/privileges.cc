// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/privileges.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace aiflame::record {
namespace {

constexpr int kPerfmon = 38;            // Linux 5.8; <linux/capability.h> of older ones lacks them
constexpr int kCheckpointRestore = 40;  // Linux 5.9

// Needed until the end: programs, threads and libraries come while it records.
constexpr int kKept[] = {
    kPerfmon,             // perf events of new threads, streams of GPUs
    CAP_IPC_LOCK,         // the events' buffers, beyond perf_event_mlock_kb
    CAP_SYS_PTRACE,       // /proc/PID/root, maps and environ of other users' programs
    kCheckpointRestore,   // /proc/PID/map_files
    CAP_DAC_READ_SEARCH,  // their files, for symbols and code objects
    CAP_DAC_OVERRIDE,     // parts and copies in directories of other users
    CAP_KILL,             // the command and the child that reads symbols, which may be others' now
    CAP_SETUID,           // that child becomes the user nobody
    CAP_SETGID,
};

uint64_t bit(int capability) {
  return uint64_t{1} << capability;
}

// Whether this kernel knows it.
bool is_known(int capability) {
  return prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
}

// Uprobes need CAP_SYS_ADMIN, and older kernels ask for it where newer ones have the finer two.
uint64_t kept(bool places_uprobes) {
  const bool is_old = !is_known(kPerfmon) || !is_known(kCheckpointRestore);
  uint64_t out = places_uprobes || is_old ? bit(CAP_SYS_ADMIN) : 0;
  for (const int capability : kKept) out |= bit(capability);
  return out;
}

using Data = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

}  // namespace

void drop_capabilities(bool places_uprobes) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  Data data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return;
  const uint64_t kept_bits = kept(places_uprobes);
  // while CAP_SETPCAP is there: what root executes would get all of the bounding set again
  for (int capability = 0; is_known(capability); ++capability)
    if ((kept_bits & bit(capability)) == 0) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (size_t i = 0; i < data.size(); ++i) {
    const auto word = static_cast<uint32_t>(kept_bits >> (32 * i));
    data[i].permitted &= word;
    data[i].effective &= word;
    data[i].inheritable = 0;
  }
  syscall(SYS_capset, &header, data.data());
}

}  // namespace aiflame::record
