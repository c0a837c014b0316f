/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/kept_texts.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace aiflame::agent {
namespace {

struct Kept {
  PythonText text;
  Kept* next;
};

// A list only grows at its head. Two threads may add the same text, which does no harm. Release and
// acquire: who finds a text sees its content, also of those further on, since each exchange of the
// head goes on with what the ones before it released.
constexpr size_t kLists = 1024;
std::atomic<Kept*> lists[kLists];
// A hundred thousand lines of Python. Further stacks are kept without their Python functions.
constexpr uint64_t kMaxBytes = uint64_t{16} << 20;
std::atomic<uint64_t> bytes_used{0};

std::atomic<Kept*>& list_of(uint64_t id) {
  return lists[id % kLists];
}

const Kept* find(uint64_t id) {
  const Kept* at = list_of(id).load(std::memory_order_acquire);
  while (at != nullptr && at->text.id != id) at = at->next;
  return at;
}

}  // namespace

bool is_text_kept(uint64_t id) {
  return find(id) != nullptr;
}

bool keep_text(const PythonText& text) {
  const size_t names = size_t{text.name_bytes} + text.file_bytes, bytes = sizeof(Kept) + names;
  const bool is_room = bytes_used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxBytes;
  auto* made = is_room ? static_cast<Kept*>(malloc(bytes)) : nullptr;
  if (made == nullptr) {
    bytes_used.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  made->text = text;
  auto* copy = reinterpret_cast<char*>(made + 1);
  std::memcpy(copy, text.names, names);
  made->text.names = copy;
  std::atomic<Kept*>& list = list_of(text.id);
  made->next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(made->next, made, std::memory_order_release)) {
  }
  return true;
}

bool find_kept_text(uint64_t id, PythonText& out) {
  const Kept* found = find(id);
  if (found != nullptr) out = found->text;
  return found != nullptr;
}

}  // namespace aiflame::agent
