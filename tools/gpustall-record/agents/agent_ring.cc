// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/agent_ring.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/agents/agent_records.h"

namespace aiflame::record {

namespace {

// A drain that reads as much as this gives the ring's pages back.
constexpr uint64_t kReleased = 1 << 20;

// No program loses as many launches or samples as that. Then the number is unknown.
uint64_t believed(uint64_t lost) {
  return lost < AGENT_MAX_LOST ? lost : UINT64_MAX;
}

}  // namespace

AgentRing::AgentRing(uint32_t pid, uint64_t program)
    : pid_(pid),
      program_(program),
      pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
      threads_(pid) {}

AgentRing::~AgentRing() {
  if (base_ != nullptr) munmap(base_, AGENT_HEADER_BYTES + 2 * capacity_);
  for (const int fd : {pidfd_, root_})
    if (fd >= 0) close(fd);
}

void AgentRing::close_root() {
  if (root_ >= 0) close(root_);
  root_ = -1;
}

void AgentRing::keep_root(int fd) {
  if (fd >= 0 && root_ < 0) root_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

// The data area twice in a row, as the agent maps it, so that no record wraps.
bool AgentRing::map(int fd, uint64_t capacity) {
  struct stat status {};
  const int seals = fcntl(fd, F_GET_SEALS);
  // a file that shrinks while it is mapped would raise SIGBUS here: the seal rules that out
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &status) != 0) return false;
  // all agents use one size, so no other needs to be supported
  if (capacity != AGENT_CAPACITY ||
      status.st_size != static_cast<off_t>(AGENT_HEADER_BYTES + AGENT_CAPACITY))
    return false;
  const size_t once = AGENT_HEADER_BYTES + capacity;
  void* room = mmap(nullptr, once + capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  base_ = static_cast<char*>(room);
  capacity_ = capacity;
  return mmap(base_, once, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
         mmap(base_ + once, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
              AGENT_HEADER_BYTES) != MAP_FAILED;
}

void AgentRing::set_closing() const {
  std::atomic_ref<uint64_t>(header().closing).store(1, std::memory_order_relaxed);
}

bool AgentRing::holds_back() const {
  return std::atomic_ref<uint64_t>(header().holds_back).load(std::memory_order_acquire) != 0 &&
         !is_broken_ && !process_has_ended();
}

void AgentRing::set_ended() const {
  std::atomic_ref<uint64_t>(header().ended).store(1, std::memory_order_relaxed);
}

bool AgentRing::process_has_ended() const {
  // without a descriptor (too many are open), asks by process number, which may be reused
  if (pidfd_ < 0) return kill(static_cast<pid_t>(pid_), 0) != 0 && errno == ESRCH;
  pollfd poller{pidfd_, POLLIN, 0};
  return poll(&poller, 1, 0) > 0;
}

uint64_t AgentRing::drain(AgentListener& listener,
                          const std::function<ObjectContent(uint64_t id)>& take_object) {
  char record[AGENT_MAX_RECORD];
  const uint64_t first = tail_, limit = tail_ + 2 * capacity_;
  const AgentRecordOrigin origin{pid_, threads_, take_object};
  while (!is_broken_ && tail_ < limit) {
    char* at = data() + tail_ % capacity_;
    const uint32_t bytes =
        std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(at)).load(std::memory_order_acquire);
    if (bytes == 0) break;
    if (bytes % 8 != 0 || bytes < sizeof(agent_record) || bytes > sizeof record) {
      is_broken_ = true;
      break;
    }
    // a copy, so that the agent cannot change what has been checked
    std::memcpy(record, at, bytes);
    std::memset(at, 0, bytes);
    tail_ += bytes;
    std::atomic_ref<uint64_t>(header().tail).store(tail_, std::memory_order_release);
    if (!report_agent_record(origin, listener, record, bytes)) is_broken_ = true;
  }
  // The pages stay where they are, but count as the recorder's memory no more: with a hundred rings
  // they would be 1.6 GB. To touch them again costs 5 ns a launch.
  if (tail_ - first >= kReleased) madvise(base_, AGENT_HEADER_BYTES + 2 * capacity_, MADV_DONTNEED);
  report_losses(listener);
  if (is_broken_) warn("process %u: its agent's records make no sense; ignored from here on", pid_);
  return tail_ - first;
}

// The agent's counters should only rise; one that falls reports nothing.
void AgentRing::report_losses(AgentListener& listener) {
  const uint64_t launches =
      std::atomic_ref<uint64_t>(header().lost_launches).load(std::memory_order_relaxed);
  if (launches > lost_launches_seen_)
    listener.on_lost(pid_, believed(launches - lost_launches_seen_));
  lost_launches_seen_ = launches;
  const uint64_t samples =
      std::atomic_ref<uint64_t>(header().lost_samples).load(std::memory_order_relaxed);
  if (samples > lost_samples_seen_)
    listener.on_lost_samples(pid_, 0, believed(samples - lost_samples_seen_));
  lost_samples_seen_ = samples;
  const uint64_t calls =
      std::atomic_ref<uint64_t>(header().lost_calls).load(std::memory_order_relaxed);
  if (calls > lost_calls_seen_) listener.on_lost_calls(pid_, believed(calls - lost_calls_seen_));
  lost_calls_seen_ = calls;
  const uint64_t memory =
      std::atomic_ref<uint64_t>(header().lost_memory).load(std::memory_order_relaxed);
  if (memory > lost_memory_seen_)
    listener.on_lost_memory(pid_, believed(memory - lost_memory_seen_));
  lost_memory_seen_ = memory;
}

}  // namespace aiflame::record
