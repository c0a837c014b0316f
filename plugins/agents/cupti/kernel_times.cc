/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/kernel_times.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/operation_name.h"
#include "plugins/agents/cupti/launches.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/subscription.h"

namespace aiflame::agent::cupti {
namespace {

const Cupti* cupti;
std::atomic<bool> is_on{false};
std::atomic<uint64_t> records_seen{0}, ns_seen{0};
std::atomic<uint32_t> latest_correlation{0};
std::atomic<bool> lacks_correlation{false}, has_host_functions{false};
bool has_call_records = false;

// The size of CUPTI's buffers. A record takes some 200 bytes from its kernel's launch on. CUPTI
// returns a buffer once all of its kernels have ended (cupti_activity.h, cuptiActivityFlushAll),
// even if it is not full. Where kernels always queue, that is only when the buffer is full, so a
// smaller buffer comes sooner. A buffer holds 18 records while launches are rare, and grows when
// buffers follow each other within milliseconds. CUPTI has one buffer for each launching thread
// (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, by default 1) and asks for another when it is
// full; kMaxBytes bounds them all.
constexpr size_t kLeastBytes = size_t{4} << 10, kMostBytes = size_t{256} << 10;
constexpr uint64_t kSoonNs = 10000000, kLateNs = 100000000;  // from one to the next
constexpr size_t kAlignment = 8;                             // ACTIVITY_RECORD_ALIGNMENT
constexpr size_t kMaxBytes = size_t{256} << 20;
std::atomic<size_t> bytes_each{kLeastBytes}, bytes_out{0};
std::atomic<uint64_t> latest_request{0};

constexpr CUpti_ActivityKind kCopies[] = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                          CUPTI_ACTIVITY_KIND_MEMSET};
constexpr CUpti_ActivityKind kHostFunctions[] = {kGraphHostNode, kHostLaunch};
constexpr CUpti_ActivityKind kCalls[] = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};
// A copy of nothing has no record. The recorder waits for its end, so it is given up after a while:
// some slices are late then, and no copy waits that long behind others without a record.
constexpr uint64_t kCopyPatienceNs = 10000000000;
// A function of the host may take long.
constexpr uint64_t kFunctionPatienceNs = 60000000000;

// Gives up waiting after so many reads without a record while launches are outstanding: a minute at
// the shortest interval, as kernels may run for long.
constexpr int kReadsWithoutRecords = 600;

size_t next_bytes() {
  const uint64_t now = monotonic_ns();
  const uint64_t since = now - latest_request.exchange(now, std::memory_order_relaxed);
  size_t bytes = bytes_each.load(std::memory_order_relaxed);
  if (since < kSoonNs) bytes = std::min(bytes * 2, kMostBytes);
  if (since > kLateNs) bytes = std::max(bytes / 2, kLeastBytes);
  bytes_each.store(bytes, std::memory_order_relaxed);
  return bytes;
}

void CUPTIAPI buffer_requested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = nullptr;
  *bytes = 0;
  *most_records = 0;  // as many as fit
  const size_t wanted = next_bytes();
  if (bytes_out.fetch_add(wanted, std::memory_order_relaxed) + wanted <= kMaxBytes)
    *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, wanted));
  if (*buffer != nullptr)
    *bytes = wanted;
  else
    bytes_out.fetch_sub(wanted, std::memory_order_relaxed);  // CUPTI drops records, and counts them
}

// CUPTI uses our clock where it can: then its times are CLOCK_MONOTONIC. It does not when somebody
// else registered a clock first, or shares the subscription; its default is CLOCK_REALTIME. A time
// is taken to be of a clock when by that clock it lies between the launch and now.
uint16_t to_monotonic(uint32_t correlation, uint64_t& begin, uint64_t& end) {
  if (begin == 0 || end <= begin) return AGENT_NO_TIMES;
  const uint64_t launched = launched_at(correlation);
  const uint64_t before = monotonic_ns();
  // CUPTI interpolates between the device's clock and ours: off by some microseconds
  constexpr uint64_t kSlack = 1000000;
  const auto fits = [&](uint64_t b, uint64_t e) {
    return b + kSlack >= launched && e <= before + kSlack;
  };
  if (fits(begin, end)) return 0;
  uint64_t theirs = 0;
  const bool has_time = read_clock(theirs);
  const uint64_t now = monotonic_ns();
  const uint64_t shift = before + (now - before) / 2 - theirs;  // may wrap: that is a negative one
  if (!has_time || !fits(begin + shift, end + shift))
    return end - begin <= before + kSlack - launched ? AGENT_DURATION : AGENT_NO_TIMES;
  begin += shift;
  end += shift;
  return 0;
}

LaunchExtent size_of(const KernelRecord& kernel) {
  const int32_t grid[] = {kernel.gridX, kernel.gridY, kernel.gridZ};
  const int32_t block[] = {kernel.blockX, kernel.blockY, kernel.blockZ};
  LaunchExtent size{};
  for (int i = 0; i < 3; ++i) {
    if (grid[i] <= 0 || block[i] <= 0) return {};
    size.items[i] = static_cast<uint64_t>(grid[i]) * static_cast<uint64_t>(block[i]);
    size.group[i] = static_cast<uint32_t>(block[i]);
  }
  if (kernel.dynamicSharedMemory > 0)
    size.local_bytes = static_cast<uint32_t>(kernel.dynamicSharedMemory);
  return size;
}

const char* direction_of(uint8_t copy_kind) {
  switch (copy_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "Memcpy HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "Memcpy DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "Memcpy DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "Memcpy HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

// As PyTorch's profiler writes it.
const char* memory_of(uint8_t memory_kind) {
  switch (memory_kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "Pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "Pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "Device";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "Array";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "Managed";
    default:
      return "Unknown";
  }
}

OperationName name_of(const CopyRecord& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) return {"Memset", "", record.bytes};
  char between[32];
  std::snprintf(between, sizeof between, "%s -> %s", memory_of(record.source_kind),
                memory_of(record.destination_kind));
  return {direction_of(record.copy_kind), between, record.bytes};
}

void take_copy(const CopyRecord& record) {
  uint64_t begin = record.start, end = record.end;
  const uint32_t correlation = record.kind == CUPTI_ACTIVITY_KIND_MEMCPY2
                                   ? record.correlation_between_devices
                                   : record.correlation;
  const uint16_t flags = to_monotonic(correlation, begin, end);
  const OperationName name = name_of(record);
  const uint64_t node =
      record.kind == CUPTI_ACTIVITY_KIND_MEMCPY2 ? record.node_between_devices : record.node;
  copy_ran({correlation, name.text(), record.device + 1, begin, end, flags, node, {}});
}

template <typename Record>
void take_host_function(const Record& record, uint64_t node) {
  uint64_t begin = record.start, end = record.end;
  const uint16_t flags = to_monotonic(record.correlation, begin, end);
  copy_ran(
      {record.correlation, AGENT_HOST_FUNCTION, record.device + 1, begin, end, flags, node, {}});
}

void take(const CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY || record->kind == CUPTI_ACTIVITY_KIND_MEMSET ||
      record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2)
    return take_copy(*reinterpret_cast<const CopyRecord*>(record));
  if (record->kind == kGraphHostNode) {
    const auto& function = *reinterpret_cast<const HostNodeRecord*>(record);
    return take_host_function(function, function.node);
  }
  if (record->kind == kHostLaunch)
    return take_host_function(*reinterpret_cast<const HostLaunchRecord*>(record), 0);
  if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
      record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
    return;
  const auto* kernel = reinterpret_cast<const KernelRecord*>(record);
  if (kernel->correlationId == 0) note_missing_correlation();
  uint64_t begin = kernel->start, end = kernel->end;
  if (end > begin) ns_seen.fetch_add(end - begin, std::memory_order_relaxed);
  const uint16_t flags = to_monotonic(kernel->correlationId, begin, end);
  kernel_ran({kernel->correlationId, kernel->name, kernel->deviceId + 1, begin, end, flags,
              kernel->graphNodeId, size_of(*kernel)});
  records_seen.fetch_add(1, std::memory_order_relaxed);
  latest_correlation.store(kernel->correlationId, std::memory_order_relaxed);
}

// A large graph's kernels come at once, and may be more than the ring holds: 100 000 take 13 MB.
// The thread that reads waits for the recorder then, for a while in each read. CUPTI's threads and
// those of the program never wait.
constexpr int kMostNaps = 300;
constexpr timespec kNap{0, 1000000};
thread_local int naps_left = 0;

uint64_t free_bytes() {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return AGENT_CAPACITY;
  const uint64_t head = std::atomic_ref<uint64_t>(to->head).load(std::memory_order_relaxed);
  return AGENT_CAPACITY - (head - load_tail(*to));
}

void wait_for_room() {
  if (naps_left == 0 || free_bytes() > AGENT_CAPACITY / 4) return;
  for (; naps_left > 0 && free_bytes() < AGENT_CAPACITY / 2; --naps_left) nanosleep(&kNap, nullptr);
}

void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                               size_t valid) {
  wait_for_room();
  CUpti_Activity* record = valid == 0 ? nullptr : next_record(buffer, valid, nullptr);
  for (; record != nullptr; record = next_record(buffer, valid, record)) take(record);
  std::free(buffer);
  bytes_out.fetch_sub(bytes, std::memory_order_relaxed);
  // CUPTI does not say whose they were: launches older than the latest record get none
  if (count_dropped_records(context, stream) > 0)
    give_up_times(latest_correlation.load(std::memory_order_relaxed));
}

// The launches from before get no times.
void ask_for_correlation() {
  if (has_call_records || !lacks_correlation.load(std::memory_order_relaxed)) return;
  has_call_records = true;
  for (const CUpti_ActivityKind kind : kCalls) enable_activity(kind);
  give_up_all_times();
}

uint64_t CUPTIAPI timestamp() {
  return monotonic_ns();
}

}  // namespace

void start_kernel_times(const Cupti& with) {
  cupti = &with;
  lacks_correlation.store(false);
  has_call_records = false;
  set_clock(timestamp);
  CUptiResult result = register_buffers(buffer_requested, buffer_completed);
  if (result == CUPTI_SUCCESS) result = enable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) report_obstacle("no device time of launches", result);
  // without them, copies have no times
  for (const CUpti_ActivityKind kind : kCopies)
    if (result == CUPTI_SUCCESS) enable_activity(kind);
  // both or none: a call without a record would be waited for
  bool has_both = result == CUPTI_SUCCESS && with.version >= kFirstWithHostFunctions;
  for (const CUpti_ActivityKind kind : kHostFunctions)
    has_both = has_both && enable_activity(kind) == CUPTI_SUCCESS;
  has_host_functions.store(has_both);
  is_on.store(result == CUPTI_SUCCESS);
  set_timed(result == CUPTI_SUCCESS);
}

bool records_host_functions() {
  return has_host_functions.load(std::memory_order_relaxed);
}

void note_missing_correlation() {
  lacks_correlation.store(true, std::memory_order_relaxed);
}

void keep_kernel_times() {
  if (is_on.load()) enable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

uint64_t kernel_ns() {
  return ns_seen.load(std::memory_order_relaxed);
}

void end_kernel_times() {
  if (!is_on.exchange(false) || has_given_up()) return;
  set_timed(false);
  disable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (const CUpti_ActivityKind kind : kCopies) disable_activity(kind);
  for (const CUpti_ActivityKind kind : kHostFunctions)
    if (cupti->version >= kFirstWithHostFunctions) disable_activity(kind);
  for (const CUpti_ActivityKind kind : kCalls)
    if (has_call_records) disable_activity(kind);
  // forced: includes buffers with records of running kernels (cupti_activity.h asks for it "before
  // the termination of the profiling session")
  cupti->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void read_kernel_times(bool last) {
  static uint64_t seen_before;
  static int reads_without;
  if (!is_on.load()) return;
  if (has_given_up()) {
    is_on.store(false);
    set_timed(false);
    give_up_all_times();
    return;
  }
  naps_left = kMostNaps;
  cupti->cuptiActivityFlushAll(last ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  naps_left = 0;
  ask_for_correlation();
  static uint64_t copies_checked;
  const uint64_t now = monotonic_ns();
  if (now - copies_checked > kCopyPatienceNs) {
    copies_checked = now;
    give_up_copies(now - kCopyPatienceNs, now - kFunctionPatienceNs);
  }
  const uint64_t seen = records_seen.load(std::memory_order_relaxed);
  if (seen != seen_before) set_timed(true);
  reads_without = seen == seen_before && outstanding() > 0 ? reads_without + 1 : 0;
  seen_before = seen;
  if (!last && reads_without < kReadsWithoutRecords) return;
  if (!last && reads_without == kReadsWithoutRecords)
    report_message("CUPTI tells of no kernel that ended: launches are counted without device time",
                   false);
  if (!last) set_timed(false);
  reads_without = 0;
  give_up_all_times();
}

}  // namespace aiflame::agent::cupti
