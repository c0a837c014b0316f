// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/privileges.h"

#include <sys/prctl.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "libcommon/process/capabilities.h"

namespace aiflame::record {
namespace {

// Needed until the end: programs, threads and libraries come while it records.
constexpr int kKept[] = {
    kCapPerfmon,            // streams of GPUs, uprobes, events of other users' programs
    CAP_IPC_LOCK,           // the events' buffers, beyond perf_event_mlock_kb
    CAP_SYS_PTRACE,         // /proc/PID/root, maps and environ of other users' programs
    kCapCheckpointRestore,  // /proc/PID/map_files
    CAP_DAC_READ_SEARCH,    // their files, for symbols and code objects
    CAP_DAC_OVERRIDE,       // parts and copies in directories of other users
    CAP_KILL,    // the command and the child that reads symbols, which may be others' now
    CAP_SETUID,  // that child becomes the user nobody
    CAP_SETGID,
};

// Uprobes need CAP_SYS_ADMIN, and older kernels ask for it where newer ones have the finer two.
uint64_t kept(bool places_uprobes) {
  const bool is_old =
      !is_capability_known(kCapPerfmon) || !is_capability_known(kCapCheckpointRestore);
  uint64_t out = places_uprobes || is_old ? capability_bit(CAP_SYS_ADMIN) : 0;
  for (const int capability : kKept) out |= capability_bit(capability);
  return out;
}

// Whether a distribution's kernel may ask for CAP_SYS_ADMIN when an event is opened. Linux itself
// knows no more than 2, and takes CAP_PERFMON at any value.
bool may_events_need_more() {
  constexpr int kStrictest = 2;
  const std::string text = read_text("/proc/sys/kernel/perf_event_paranoid", 16);
  const auto level = parse_number<int>(text.substr(0, text.find('\n')));
  return !level || *level > kStrictest;
}

// Giving rights up is always allowed, unless a filter of a container refuses the call itself.
void keep_only(const Capabilities& wanted) {
  if (!write_capabilities(wanted)) warn("cannot give up root's rights: %s", std::strerror(errno));
}

}  // namespace

void drop_capabilities(bool places_uprobes) {
  const std::optional<Capabilities> own = read_capabilities();
  if (!own) return;
  const uint64_t kept_bits = kept(places_uprobes);
  // while CAP_SETPCAP is there: what root executes would get all of the bounding set again
  for (int capability = 0; is_capability_known(capability); ++capability)
    if ((kept_bits & capability_bit(capability)) == 0) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const uint64_t reserve = may_events_need_more() ? capability_bit(CAP_SYS_ADMIN) : 0;
  keep_only({own->effective & kept_bits, own->permitted & (kept_bits | reserve), 0});
}

void drop_reserve() {
  const std::optional<Capabilities> own = read_capabilities();
  if (own) keep_only({own->effective, own->effective, 0});
}

}  // namespace aiflame::record
