// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/entry_log.h"

#include "libcommon/base/program.h"

namespace aiflame::torch_memory {
namespace {

// Small for small differences of either sign: 0, -1, 1, -2, …
uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ (difference >> 63 == 0 ? 0 : UINT64_MAX);
}
uint64_t unzigzag(uint64_t number) {
  return number >> 1 ^ ((number & 1) == 0 ? 0 : UINT64_MAX);
}

bool has_address(Action action) {
  return action == Action::alloc || action == Action::free_completed ||
         action == Action::out_of_memory || action == Action::annotate;
}
bool has_size(Action action) {
  return action != Action::other && action != Action::annotate;
}
bool has_group(Action action) {
  return action == Action::alloc || action == Action::annotate;
}

}  // namespace

void EntryLog::put(uint64_t number) {
  uint8_t digits[10];
  size_t count = 0;
  for (; number >= 0x80; number >>= 7) digits[count++] = static_cast<uint8_t>(number | 0x80);
  digits[count++] = static_cast<uint8_t>(number);
  uint8_t* const to = bytes_.extend(count);
  for (size_t i = 0; i < count; ++i) to[i] = digits[i];
}

uint32_t EntryLog::add(const Entry& entry) {
  if (size_ == UINT32_MAX) throw Error("more than 4294967295 entries");
  if (size_ % kBlock == 0) {
    blocks_.push_back(bytes_.size());
    address_ = time_ = 0;
  }
  bytes_.push_back(static_cast<uint8_t>(entry.action));
  put(zigzag(entry.time - time_));
  time_ = entry.time;
  if (has_address(entry.action)) {
    put(zigzag(entry.address - address_));
    address_ = entry.address;
  }
  if (has_size(entry.action)) put(entry.size);
  if (has_group(entry.action)) put(entry.group);
  if (entry.action == Action::alloc) put(entry.stack);
  return size_++;
}

EntryLog::Reader::Reader(const EntryLog& log, uint32_t first)
    : log_(log), next_(first - first % kBlock) {
  while (next_ < first) next();
}

void EntryLog::Reader::begin_block() {
  at_ = log_.blocks_[next_ / kBlock];
  address_ = time_ = 0;
}

uint64_t EntryLog::Reader::number() {
  uint64_t out = 0;
  for (unsigned shift = 0;; shift += 7) {
    const uint8_t digit = log_.bytes_[at_++];
    out |= uint64_t{digit & 0x7fU} << shift;
    if (digit < 0x80) return out;
  }
}

Entry EntryLog::Reader::next() {
  if (next_ % kBlock == 0) begin_block();
  ++next_;
  Entry out;
  out.action = static_cast<Action>(log_.bytes_[at_++]);
  out.time = time_ += unzigzag(number());
  if (has_address(out.action)) out.address = address_ += unzigzag(number());
  if (has_size(out.action)) out.size = number();
  if (has_group(out.action)) out.group = static_cast<uint32_t>(number());
  if (out.action == Action::alloc) out.stack = static_cast<uint32_t>(number());
  return out;
}

}  // namespace aiflame::torch_memory
