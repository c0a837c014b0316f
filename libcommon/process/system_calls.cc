// SPDX-License-Identifier: MIT
#include "libcommon/process/system_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <span>

namespace aiflame {
namespace {

using Code = std::vector<sock_filter>;

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // no kernel has this one, so no filter is enforced
#endif

constexpr uint32_t kYoung = SYS_statx;

sock_filter statement(int code, uint32_t value) {
  return {static_cast<uint16_t>(code), 0, 0, value};
}

// Skips `yes` or `no` instructions.
sock_filter jump(int test, uint32_t value, size_t yes, size_t no) {
  return {static_cast<uint16_t>(BPF_JMP | test | BPF_K), static_cast<uint8_t>(yes),
          static_cast<uint8_t>(no), value};
}

sock_filter load(size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}

sock_filter load_argument(unsigned number) {
  static_assert(std::endian::native == std::endian::little, "the lower half is the first one");
  return load(offsetof(seccomp_data, args) + number * sizeof(uint64_t));
}

const sock_filter kAllow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

sock_filter fail(int error) {
  return statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error));
}

// C libraries fall back to older calls on ENOSYS.
Code refusal(uint32_t number) {
  return {fail(number >= kYoung ? ENOSYS : EPERM)};
}

bool same(const Code& a, const Code& b) {
  return a.size() == 1 && b.size() == 1 && a[0].code == b[0].code && a[0].k == b[0].k;
}

// Calls from number `first` up to the next range's.
struct Range {
  uint32_t first;
  Code code;
};

void add_range(std::vector<Range>& ranges, uint32_t first, const Code& code) {
  if (!ranges.empty() && ranges.back().first == first)
    ranges.back().code = code;
  else if (ranges.empty() || !same(ranges.back().code, code))
    ranges.push_back({first, code});
}

// A binary search over the ranges.
Code search(std::span<const Range> ranges) {
  if (ranges.size() == 1) return ranges[0].code;
  const size_t middle = ranges.size() / 2;
  const Code lower = search(ranges.first(middle)), upper = search(ranges.subspan(middle));
  Code out;
  // a conditional jump reaches 255 instructions
  if (lower.size() <= UINT8_MAX) {
    out.push_back(jump(BPF_JGE, ranges[middle].first, lower.size(), 0));
  } else {
    out.push_back(jump(BPF_JGE, ranges[middle].first, 0, 1));
    out.push_back(statement(BPF_JMP | BPF_JA, static_cast<uint32_t>(lower.size())));
  }
  out.insert(out.end(), lower.begin(), lower.end());
  out.insert(out.end(), upper.begin(), upper.end());
  return out;
}

}  // namespace

// the refusal changes there
SystemCalls::SystemCalls() : allowed_{{kYoung, refusal(kYoung)}} {}

void SystemCalls::allow(std::initializer_list<long> numbers) {
  for (const long number : numbers) allowed_[static_cast<uint32_t>(number)] = {kAllow};
}

void SystemCalls::allow_if(long number, unsigned argument,
                           std::initializer_list<Pattern> patterns) {
  Code code;
  for (const Pattern& pattern : patterns) {
    code.push_back(load_argument(argument));
    code.push_back(statement(BPF_ALU | BPF_AND | BPF_K, pattern.mask));
    code.push_back(jump(BPF_JEQ, pattern.value, 0, 1));
    code.push_back(kAllow);
  }
  code.push_back(fail(EPERM));
  allowed_[static_cast<uint32_t>(number)] = code;
}

bool SystemCalls::enforce() const {
  std::vector<Range> ranges = {{0, refusal(0)}};
  for (const auto& [number, code] : allowed_) {
    add_range(ranges, number, code);
    add_range(ranges, number + 1, refusal(number + 1));
  }
  const Code decide = search(ranges);
  // calls of another machine, such as those of 32 bits, have other numbers
  Code program = {load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, kMachine, 1, 0), fail(EPERM),
                  load(offsetof(seccomp_data, nr))};
  program.insert(program.end(), decide.begin(), decide.end());
  const sock_fprog filter = {static_cast<uint16_t>(program.size()), program.data()};
  return kMachine != 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

}  // namespace aiflame
