// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_machine.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>

#include "libcommon/base/hex.h"
#include "libcommon/base/program.h"
#include "libcommon/symbols/find_object.h"
#include "libcommon/symbols/kallsyms.h"

namespace aiflame {
namespace {

using Kind = PerfObject::Kind;

constexpr std::string_view kKernelName = "[kernel.kallsyms]";
// Threads and processes together: 150 MB. Linux numbers at most four million, of which a large
// machine has some ten thousand.
constexpr size_t kMaxThreads = size_t{1} << 20;
// What the names of mapped objects may take in memory. Each takes this much in addition to its
// name, which is kept twice. Functions of jitdumps are objects, too; the dump bounds those.
constexpr size_t kMaxObjectBytes = size_t{128} << 20, kObjectCost = 256;
// An ended thread or process is forgotten after this many more have ended. A thread's last records
// and samples come while it ends, when its user space is already gone.
constexpr size_t kGoneThreads = 65536, kGoneSpaces = 256;
// Linux allows 16 bytes. Children inherit the name, so a long one would be copied often.
constexpr size_t kMaxComm = 64;
constexpr uint16_t kMmapBuildId = 1 << 14;
constexpr uint16_t kForkExec = 1 << 13;  // synthesized by perf; the maps follow
constexpr uint16_t kUnregister = 1;

bool is_no_object(std::string_view path) {
  return path.starts_with("[stack") || path.starts_with("/SYSV") || path == "[heap]";
}

}  // namespace

PerfMachine::PerfMachine() {
  Thread& idle = threads_[0];
  idle.pid = idle.tid = 0;
  idle.comm = "swapper";
  idle.named = true;
}

void PerfMachine::take_build_id(const PerfBuildId& build_id) {
  if (build_id.kernel && build_id.path.starts_with(kKernelName))
    kernel_build_id_ = build_id.hex;
  else
    build_ids_[build_id.path] = build_id.hex;
}

void PerfMachine::take_kernel(const std::string& release, const std::string& architecture) {
  kernel_release_ = release;
  kernel_architecture_ = architecture;
  has_other_kernel_ = is_other_kernel(release, architecture);
}

void PerfMachine::take(const PerfDataRecord& record) {
  switch (record.type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
      take_mmap(record);
      break;
    case PERF_RECORD_COMM:
      take_comm(record);
      break;
    case PERF_RECORD_FORK:
      take_fork(record);
      break;
    case PERF_RECORD_EXIT:
      take_exit(record);
      break;
    case PERF_RECORD_KSYMBOL:
      take_ksymbol(record);
      break;
    default:
      break;
  }
}

// ---- threads -----------------------------------------------------------------------------------

void PerfMachine::join(Thread& thread, int32_t pid) {
  thread.pid = pid;
  thread.gone = 0;
  Space& own = space(pid);
  ++own.threads;
  own.gone = 0;
}

void PerfMachine::leave(Thread& thread) {
  const auto own = spaces_.find(thread.pid);
  if (thread.gone != 0 || own == spaces_.end() || own->second.threads == 0) return;
  if (--own->second.threads > 0) return;
  own->second.gone = ++ends_;
  gone_spaces_.push_back({thread.pid, ends_});
  if (gone_spaces_.size() <= kGoneSpaces) return;
  const Gone first = gone_spaces_.front();
  gone_spaces_.pop_front();
  const auto at = spaces_.find(first.id);
  if (at != spaces_.end() && at->second.gone == first.number) spaces_.erase(at);
}

PerfMachine::Thread& PerfMachine::thread(int32_t pid, int32_t tid) {
  const auto [at, added] = threads_.try_emplace(tid);
  Thread& thread = at->second;
  if (added) {
    check_size();
    thread.tid = tid;
    thread.comm = ":" + std::to_string(tid);
    join(thread, pid);
  } else if (thread.pid != pid && pid != -1) {
    leave(thread);
    join(thread, pid);
    thread.tag = 0;
  }
  return thread;
}

void PerfMachine::take_comm(const PerfDataRecord& record) {
  ByteCursor cursor(record.body);
  const auto pid = cursor.take<int32_t>();
  const auto tid = cursor.take<int32_t>();
  const std::string_view comm = cursor.text();
  if (!cursor.ok()) return;
  Thread& named = thread(pid, tid);
  if (named.gone != 0) join(named, named.pid);  // its fork record was lost
  named.comm = comm.substr(0, kMaxComm);
  named.named = true;
  named.tag = 0;
  // As in perf, an exec does not clear the maps; new ones replace them. Until the new program runs,
  // call chains are still those of the old program's execve().
}

void PerfMachine::take_fork(const PerfDataRecord& record) {
  ByteCursor cursor(record.body);
  const auto pid = cursor.take<int32_t>();
  const auto parent_pid = cursor.take<int32_t>();
  const auto tid = cursor.take<int32_t>();
  const auto parent_tid = cursor.take<int32_t>();
  if (!cursor.ok() || tid == parent_tid) return;
  const Thread parent = thread(parent_pid, parent_tid);
  if (const auto old = threads_.find(tid); old != threads_.end()) {
    leave(old->second);
    threads_.erase(old);
  }
  const PerfMaps maps = space(parent_pid).maps;
  Thread& child = thread(pid, tid);
  if (parent.named) {
    child.comm = parent.comm;
    child.named = true;
  }
  if (pid == parent_pid) return;
  Space& forked = space(pid);
  forked.maps = (record.misc & kForkExec) != 0 ? PerfMaps() : maps;
  forked.generation = ++last_generation_;
  forked.threads = 1;
}

void PerfMachine::take_exit(const PerfDataRecord& record) {
  ByteCursor cursor(record.body);
  cursor.u64();  // process, its parent
  const auto at = threads_.find(cursor.take<int32_t>());
  if (!cursor.ok() || at == threads_.end() || at->second.gone != 0) return;
  Thread& thread = at->second;
  leave(thread);
  thread.gone = ++ends_;
  gone_threads_.push_back({thread.tid, ends_});
  if (gone_threads_.size() <= kGoneThreads) return;
  const Gone first = gone_threads_.front();
  gone_threads_.pop_front();
  const auto old = threads_.find(first.id);
  if (old != threads_.end() && old->second.gone == first.number) threads_.erase(old);
}

// ---- maps --------------------------------------------------------------------------------------

void PerfMachine::check_size() const {
  if (size() > kMaxThreads) throw Error("more than 1048576 threads and processes");
}

PerfMachine::Space& PerfMachine::space(int32_t pid) {
  Space& space = spaces_[pid];
  if (space.generation == 0) {
    check_size();
    space.generation = ++last_generation_;
  }
  return space;
}

uint32_t PerfMachine::object_number(Kind kind, std::string_view name, const std::string& build_id) {
  std::string key = std::to_string(static_cast<int>(kind));
  key.append(build_id).append("\n").append(name);
  const auto [at, added] =
      object_numbers_.try_emplace(std::move(key), static_cast<uint32_t>(objects_.size()));
  if (!added) return at->second;
  if (kind != Kind::code) object_bytes_ += 2 * name.size() + kObjectCost;
  if (object_bytes_ > kMaxObjectBytes) throw Error("names of mapped files of more than 128 MiB");
  objects_.push_back({kind, std::string(name), build_id});
  return at->second;
}

void PerfMachine::take_mmap(const PerfDataRecord& record) {
  ByteCursor cursor(record.body);
  const auto pid = cursor.take<int32_t>();
  cursor.u32();
  PerfMap map;
  map.start = cursor.u64();
  const uint64_t size = cursor.u64();
  map.offset = cursor.u64();
  std::string build_id;
  uint32_t protection = PROT_EXEC, flags = 0;
  if (record.type == PERF_RECORD_MMAP2) {
    // device and inode; or size, three unused bytes and build id
    const std::string_view identity = cursor.bytes(24);
    if (cursor.ok() && (record.misc & kMmapBuildId) != 0) {
      const auto length = std::min<size_t>(static_cast<unsigned char>(identity[0]), 20);
      build_id = hex_of(identity.substr(4, length));
    }
    protection = cursor.u32();
    flags = cursor.u32();
  } else if ((record.misc & PERF_RECORD_MISC_MMAP_DATA) != 0) {
    protection = PROT_READ;
  }
  const std::string_view path = cursor.text();
  if (!cursor.ok() || size == 0) return;
  map.end = size > UINT64_MAX - map.start ? UINT64_MAX : map.start + size;
  const uint16_t mode = record.misc & PERF_RECORD_MISC_CPUMODE_MASK;
  if (mode == PERF_RECORD_MISC_KERNEL)
    map_kernel(map, path, build_id);
  else if (mode != PERF_RECORD_MISC_GUEST_KERNEL && mode != PERF_RECORD_MISC_GUEST_USER)
    map_user(pid, map, path, protection, flags, build_id);
}

void PerfMachine::map_user(int32_t pid, PerfMap map, std::string_view path, uint32_t protection,
                           uint32_t flags, const std::string& build_id) {
  const bool anonymous = is_anonymous(path) || (flags & MAP_HUGETLB) != 0;
  const bool no_object = is_no_object(path);
  Kind kind = Kind::file;
  std::string name(path);
  if (anonymous || no_object) {
    map.identity = true;
    kind = (protection & PROT_EXEC) != 0 ? Kind::jit : Kind::nothing;
    if (kind == Kind::jit) name = "/tmp/perf-" + std::to_string(pid) + ".map";
  }
  const auto known = build_ids_.find(name);
  if (path == "[vdso]") {
    // that of this machine's kernel would not do for another one
    const bool is_known = !has_other_kernel_ || !build_id.empty() || known != build_ids_.end();
    kind = is_known ? Kind::vdso : Kind::nothing;
    map.offset = 0;
  }
  map.object = object_number(
      kind, name, build_id.empty() && known != build_ids_.end() ? known->second : build_id);
  Space& own = space(pid);
  own.gone = 0;
  own.generation = ++last_generation_;
  own.maps.insert(map);
}

void PerfMachine::map_code(int32_t pid, const JitCode& code, const std::string& object) {
  PerfMap map;
  map.start = code.start;
  map.end = code.size > UINT64_MAX - code.start ? UINT64_MAX : code.start + code.size;
  map.object = object_number(Kind::code, object, std::to_string(code.time));
  objects_[map.object].code = &code;
  Space& own = space(pid);
  own.maps.insert(map);
  own.generation = ++last_generation_;
}

// `[kernel.kallsyms]_text`: the offset is the address of the symbol named after the bracket, if
// perf could read it.
void PerfMachine::map_kernel(const PerfMap& map, std::string_view path,
                             const std::string& build_id) {
  PerfMap placed = map;
  placed.identity = true;
  const bool kernel = path.starts_with(kKernelName);
  if (kernel) {
    if (!build_id.empty()) kernel_build_id_ = build_id;
    if (map.offset != 0) {
      reference_symbol_ = path.substr(kKernelName.size());
      reference_address_ = map.offset;
    }
    if (placed.start == 0) placed.end = UINT64_MAX;
  }
  placed.object = object_number(Kind::kernel, kernel ? kKernelName : path, kernel ? "" : build_id);
  kernel_.insert(placed);
  kernel_generation_ = ++last_generation_;
  if (!kernel) return;
  // The recorded mapping ends with the kernel's code. Init functions follow it.
  after_kernel_ = placed;
  after_kernel_.start = placed.end;
  after_kernel_.end = UINT64_MAX;
}

void PerfMachine::take_ksymbol(const PerfDataRecord& record) {
  ByteCursor cursor(record.body);
  PerfMap map;
  map.start = cursor.u64();
  const uint32_t size = cursor.u32();
  cursor.take<uint16_t>();  // BPF or not
  const auto flags = cursor.take<uint16_t>();
  const std::string_view name = cursor.text();
  if (!cursor.ok() || size == 0) return;
  map.end = size > UINT64_MAX - map.start ? UINT64_MAX : map.start + size;
  map.identity = true;
  if ((flags & kUnregister) != 0) {
    ksymbols_.erase(map.start);
  } else {
    map.object = object_number(Kind::ksymbol, name, "");
    ksymbols_.insert(map);
  }
  kernel_generation_ = ++last_generation_;
}

const PerfMap* PerfMachine::find_user(int32_t pid, uint64_t address) {
  return space(pid).maps.find(address);
}

const PerfMap* PerfMachine::find_kernel(uint64_t address) const {
  const PerfMap* map = ksymbols_.find(address);
  if (map == nullptr) map = kernel_.find(address);
  if (map == nullptr && after_kernel_.end != 0 && address >= after_kernel_.start)
    map = &after_kernel_;
  return map;
}

uint32_t PerfMachine::user_generation(int32_t pid) {
  return space(pid).generation;
}

}  // namespace aiflame
