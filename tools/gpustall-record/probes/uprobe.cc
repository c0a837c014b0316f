// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/uprobe.h"

#include <asm/perf_regs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "libcommon/base/clock.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/byte_cursor.h"
#include "libcommon/io/input.h"
#include "libcommon/libperf/event_rings.h"
#include "libcommon/symbols/call_machine.h"

namespace aiflame::record {
namespace {

uint32_t uprobe_type() {
  try {
    LineReader reader("/sys/bus/event_source/devices/uprobe/type");
    std::string_view line;
    if (reader.next(line))
      if (const auto type = parse_number<uint32_t>(trim_right(line))) return *type;
  } catch (const Error&) {
    // the error below reports it
  }
  throw Error("this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
}

// The registers in a sample, in the order of their numbers.
#if defined(__aarch64__)
constexpr unsigned kRegisters[] = {PERF_REG_ARM64_X0, PERF_REG_ARM64_X1, PERF_REG_ARM64_X2,
                                   PERF_REG_ARM64_X3, PERF_REG_ARM64_LR, PERF_REG_ARM64_SP};
#else
constexpr unsigned kRegisters[] = {PERF_REG_X86_AX, PERF_REG_X86_CX, PERF_REG_X86_DX,
                                   PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_SP};
#endif
constexpr size_t kRegisterCount = std::size(kRegisters);

// Takes them, and returns the address to which the function returns, if it is in a register.
uint64_t take_registers(const uint64_t (&of)[kRegisterCount], UprobeHit& hit) {
  const auto arguments = [&hit](std::initializer_list<uint64_t> values) {
    std::copy(values.begin(), values.end(), hit.arguments);
  };
  hit.result = of[0];
  hit.sp = of[5];
#if defined(__aarch64__)
  arguments({of[0], of[1], of[2], of[3]});
  return of[4] & kThisMachine.address_bits;
#else
  arguments({of[4], of[3], of[2], of[1]});
  return 0;
#endif
}

}  // namespace

// System-wide: with an inherited uprobe, fork(2) and clone(2) in the program fail with EFAULT,
// since the kernel then reads the path in the child's memory.
Uprobe::Uprobe(const Place& place, const char* function) : place_(std::make_unique<Place>(place)) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  const TraceEvent::Point& first = place_->points.front();
  if (place_->points.size() > 1 || first.fetch[0] != '\0') {
    traced_ = std::make_unique<TraceEvent>(place_->points, place_->at_return);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = traced_->id();
  } else {
    attr.type = uprobe_type();
    attr.config = place_->at_return ? 1 : 0;  // bit 0
    attr.uprobe_path = reinterpret_cast<uint64_t>(first.library.c_str());
    attr.probe_offset = first.offset;
  }
  attr.sample_period = 1;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                     PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr.exclude_callchain_kernel = 1;
  for (const unsigned number : kRegisters) attr.sample_regs_user |= uint64_t{1} << number;
  attr.sample_stack_user = place_->stack_bytes;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.task = attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = place_->of_processes;
  attr.disabled = 1;
  try {
    events_ = std::make_unique<EventRings>(attr, std::vector<pid_t>{-1}, place_->ring_pages);
  } catch (const EventRingsError& error) {
    const bool is_forbidden = error.number == EACCES || error.number == EPERM;
    // the root of a container may lack it
    const char* needed = geteuid() == 0 ? "CAP_SYS_ADMIN" : "root";
    throw Error(
        format("cannot place a uprobe on %s: %s%s", function, std::strerror(error.number),
               is_forbidden
                   ? format("; it needs %s, or a command and --launch-stacks=agent", needed).c_str()
                   : ""));
  }
}

void Uprobe::enable() {
  events_->enable();
}

Uprobe::~Uprobe() = default;
Uprobe::Uprobe(Uprobe&&) noexcept = default;

void Uprobe::drain(std::vector<UprobeHit>& out, bool last) {
  events_->drain([&](const perf_event_header& header) {
    const auto* bytes = reinterpret_cast<const char*>(&header);
    UprobeHit hit;
    hit.point = place_->points.front().number;
    if (header.type == PERF_RECORD_SAMPLE) {
      read_sample(std::string_view(bytes + sizeof header, header.size - sizeof header), hit);
      out.push_back(std::move(hit));
      return;
    }
    hit.time = EventRings::trailer_time(header);
    if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT) {
      const auto& task = reinterpret_cast<const perf_record_fork&>(header);
      const bool is_fork = header.type == PERF_RECORD_FORK;
      if (is_fork ? task.pid == task.ppid : task.pid != task.tid) return;  // a thread
      hit.kind = is_fork ? UprobeHit::Kind::fork : UprobeHit::Kind::exit;
      hit.pid = task.pid;
      hit.parent = task.ppid;
    } else if (header.type == PERF_RECORD_COMM) {
      if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return;
      hit.kind = UprobeHit::Kind::exec;
      hit.pid = reinterpret_cast<const perf_record_comm&>(header).pid;
    } else if (header.type == PERF_RECORD_MMAP2) {
      const auto& map = reinterpret_cast<const perf_record_mmap2&>(header);
      hit.kind = UprobeHit::Kind::map;
      hit.pid = map.pid;
      hit.start = map.start;
      hit.end = map.start + map.len;
      hit.file_offset = map.pgoff;
      hit.stack = map.filename;
    } else if (header.type == PERF_RECORD_LOST) {
      hit.kind = UprobeHit::Kind::lost;
      hit.lost = reinterpret_cast<const perf_record_lost&>(header).lost;
    } else {
      return;
    }
    out.push_back(std::move(hit));
  });
  const uint64_t lost = last ? events_->lost_unreported() : 0;
  if (lost == 0) return;
  UprobeHit hit;
  hit.kind = UprobeHit::Kind::lost;
  hit.point = place_->points.front().number;
  hit.time = monotonic_ns();
  hit.lost = lost;
  out.push_back(std::move(hit));
}

// u64 ip; u32 pid, tid; u64 time; u64 count, ips[count]; u32 size, raw[size]; u64 abi, the
// registers in the order of their numbers; u64 size, bytes[size], u64 number of valid bytes
void Uprobe::read_sample(std::string_view sample, UprobeHit& hit) const {
  ByteCursor cursor(sample);
  const auto some = [&cursor](uint64_t size) {
    return cursor.bytes(std::min<uint64_t>(size, cursor.left()));
  };
  const uint64_t ip = cursor.u64();
  hit.pid = cursor.u32();
  hit.tid = cursor.u32();
  hit.time = cursor.u64();
  std::vector<uint64_t> chain;
  for (uint64_t count = cursor.u64(); count > 0 && cursor.ok() && cursor.left() > 0; --count) {
    const uint64_t entry = cursor.u64();
    if (entry < PERF_CONTEXT_MAX) chain.push_back(entry);
  }
  const std::string_view raw = some(cursor.u32());
  if (traced_) read_traced(raw, hit);
  uint64_t caller = 0;
  if (cursor.u64() != 0) {
    uint64_t registers[kRegisterCount];
    for (uint64_t& each : registers) each = cursor.u64();
    caller = take_registers(registers, hit);
  }
  const uint64_t size = cursor.u64();
  hit.stack = some(size);
  if (size > 0) hit.stack.resize(std::min<uint64_t>(cursor.u64(), hit.stack.size()));
  // At a function's first instruction the frame pointer is still the caller's. So the kernel's
  // chain goes from the function to the caller's caller. The return address into the caller is on
  // top of the stack, on AArch64 in the link register. When the function begins with `push %rbp`,
  // kernels add the caller to the chain themselves.
  if (!kThisMachine.has_link_register() && hit.stack.size() >= 8)
    std::memcpy(&caller, hit.stack.data(), 8);
  hit.frames.push_back(ip);
  if (caller != 0) hit.frames.push_back(caller);
  size_t first = chain.empty() || chain[0] != ip ? 0 : 1;
  if (first < chain.size() && chain[first] == caller) ++first;
  hit.frames.insert(hit.frames.end(), chain.begin() + static_cast<std::ptrdiff_t>(first),
                    chain.end());
}

// A tracefs record: u16 type, u8 flags, u8 preemptions, i32 pid, u64 ip, at a return another u64
// ip; then the point's number and what was fetched, without gaps. A string is a u32: its offset in
// the record, and in the upper half its length with the 0 byte.
void Uprobe::read_traced(std::string_view raw, UprobeHit& hit) const {
  ByteCursor cursor(raw.substr(std::min<size_t>(place_->at_return ? 24 : 16, raw.size())));
  hit.point = cursor.u32();
  const std::string_view fetch = place_->points.front().fetch;
  if (fetch.empty()) return;
  if (fetch.find(":string") != fetch.npos) {
    const uint32_t where = cursor.u32();
    const std::string_view text =
        raw.substr(std::min<size_t>(where & 0xffff, raw.size()), where >> 16);
    hit.text = text.substr(0, text.find('\0'));
    // since Linux 5.2, a string that could not be read
    if (hit.text == "(fault)") hit.text.clear();
    return;
  }
  for (size_t i = 0; i < kValues; ++i) hit.values.push_back(cursor.u64());
}

}  // namespace aiflame::record
