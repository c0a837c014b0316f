/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/python_backward.h"

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "plugins/agents/common/python.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {
namespace {

// Beyond these, nothing is looked at: a program with more threads has no more than one for backward
// passes, as a rule.
constexpr int kMaxThreads = 256;
// The outermost frames beyond these are cut off; a chain has at most as many others among them.
constexpr uint32_t kMaxFrames = 128;
constexpr int kMaxSeen = 256;
// One for each device of a process, as a rule.
constexpr uint32_t kSlots = 16;
constexpr size_t kMostFrameBytes = 80;  // of PythonLayout::frame_bytes()

// The functions in which a thread waits for its backward pass: since PyTorch 2.2, and before.
struct Waits {
  std::string_view function, file;
};
constexpr Waits kWaits[] = {{"_engine_run_backward", "torch/autograd/graph.py"},
                            {"backward", "torch/autograd/__init__.py"},
                            {"grad", "torch/autograd/__init__.py"}};

struct alignas(8) Frame {
  char bytes[kMostFrameBytes];
};

// A frame as it was when its number was made.
struct Seen {
  uint64_t address, code, previous, instruction;
  uint64_t number;
  uint32_t at;  // where it is read again, in Found::now
};

// Frames that lie near each other, as those of a thread do, are read together.
struct Span {
  uint64_t begin, end;
};
constexpr uint32_t kSpans = 8;
constexpr uint64_t kNear = 2048;

// What a thread of PyTorch's last found. Those of its frames that the interpreter has put into its
// C frames are not shown, and not kept.
struct Found {
  Seen frames[kMaxFrames];
  Span spans[kSpans];
  uint64_t thread, cframe;
  std::atomic<uint32_t> tid;
  uint32_t generation;  // process_generation, when `process` was asked
  pid_t process;
  uint32_t count, span_count;
  bool is_cut;
  bool is_in_use;  // a signal's handler that launches leaves it alone
  // not on the program's stack, which may be small
  alignas(8) char now[24 << 10];
};
Found slots[kSlots];

template <typename T>
T part(const char* frame, size_t at) {
  T value;
  std::memcpy(&value, frame + at, sizeof value);
  return value;
}

// The slot of the calling thread, of which nobody else makes use; null when all are taken.
Found* own_slot(uint32_t tid) {
  for (uint32_t i = 0; i < kSlots; ++i)
    if (slots[i].tid.load(std::memory_order_relaxed) == tid &&
        slots[i].generation == process_generation.load(std::memory_order_relaxed))
      return &slots[i];
  for (uint32_t i = 0; i < kSlots; ++i) {
    uint32_t none = 0;
    if (!slots[i].tid.compare_exchange_strong(none, tid)) continue;
    slots[i].generation = process_generation.load(std::memory_order_relaxed);
    slots[i].process = getpid();
    return &slots[i];
  }
  return nullptr;
}

class Callers {
 public:
  Callers(const PythonLayout& layout, Found& found) : layout_(layout), found_(found) {}

  // Whether the thread still waits with the very frames that were found.
  bool are_unchanged() {
    if (found_.count == 0) return false;
    uint64_t at = 0, top = 0;
    iovec into[kSpans + 2], from[kSpans + 2];
    unsigned long parts = 0;
    size_t bytes = 0, used = 0;
    const auto read = [&](uint64_t address, void* out, size_t size) {
      into[parts] = {out, size};
      from[parts++] = {reinterpret_cast<void*>(address), size};
      bytes += size;
    };
    read(found_.thread + layout_.thread_frame, &at, sizeof at);
    if (found_.cframe != 0) read(found_.cframe + layout_.cframe_frame, &top, sizeof top);
    for (uint32_t i = 0; i < found_.span_count; ++i) {
      const Span& span = found_.spans[i];
      read(span.begin, found_.now + used, span.end - span.begin);
      used += span.end - span.begin;
    }
    if (process_vm_readv(found_.process, into, parts, from, parts, 0) !=
        static_cast<ssize_t>(bytes))
      return false;
    if (found_.cframe != 0 ? at != found_.cframe || top != found_.frames[0].address
                           : at != found_.frames[0].address)
      return false;
    for (uint32_t i = 0; i < found_.count; ++i) {
      const Seen& seen = found_.frames[i];
      const char* frame = found_.now + seen.at;
      if (part<uint64_t>(frame, layout_.frame_code) != seen.code ||
          part<uint64_t>(frame, layout_.frame_previous) != seen.previous ||
          part<uint64_t>(frame, layout_.frame_instruction) != seen.instruction)
        return false;
    }
    return true;
  }

  // Finds the thread that waits, and numbers its frames.
  void find(NumberFrame number, void* context) {
    found_.count = 0;
    uint64_t waiting = 0;
    uint64_t thread = first_python_thread();
    for (int i = 0; thread != 0 && i < kMaxThreads; ++i) {
      if (is_waiting(thread)) {
        if (waiting != 0) return;
        waiting = thread;
      }
      if (!read(thread + python_object::kNextThread, &thread, sizeof thread)) return;
    }
    if (waiting != 0) take(waiting, number, context);
  }

 private:
  // The innermost frame of the thread, and the C frame that says so, where the version has such.
  bool read_top(uint64_t thread, uint64_t& cframe, uint64_t& top) const {
    cframe = 0;
    if (!read(thread + layout_.thread_frame, &top, sizeof top)) return false;
    if (layout_.thread_root == 0) return top != 0;
    cframe = top;
    return cframe != 0 && read(cframe + layout_.cframe_frame, &top, sizeof top) && top != 0;
  }

  // Any thread is looked at here, also one that runs.
  bool is_waiting(uint64_t thread) const {
    uint64_t cframe = 0, code = 0, top = 0, type = 0, name = 0, file = 0;
    if (!read_top(thread, cframe, top) || !load(top + layout_.frame_code, code)) return false;
    if (layout_.version >= 0x030e) code &= ~python_object::kReferenceMark;
    if (!load(code + python_object::kType, type) || type != python_types().code ||
        !load(code + layout_.code_name, name) || !load(code + layout_.code_file, file))
      return false;
    for (const Waits& one : kWaits)
      if (ends_with(name, one.function, true) && ends_with(file, one.file, false)) return true;
    return false;
  }

  // Whether a str ends so, or `is_all` of it is so.
  bool ends_with(uint64_t text, std::string_view expected, bool is_all) const {
    using namespace python_object;
    uint64_t type = 0, length = 0;
    uint32_t state = 0;
    char end[64];
    if (!load(text + kType, type) || type != python_types().unicode ||
        !load(text + kLength, length) || !load(text + kState, state) ||
        (state & (kCompact | kAscii)) != (kCompact | kAscii))
      return false;
    if (length < expected.size() || (is_all && length != expected.size())) return false;
    return read(text + layout_.ascii_text + length - expected.size(), end, expected.size()) &&
           std::string_view(end, expected.size()) == expected;
  }

  template <typename T>
  bool load(uint64_t address, T& value) const {
    return read(address, &value, sizeof value);
  }

  void take(uint64_t thread, NumberFrame number, void* context) {
    uint64_t address = 0;
    if (!read_top(thread, found_.cframe, address)) return;
    found_.thread = thread;
    uint32_t count = 0;
    Frame frame;
    for (int seen = 0; address != 0 && count < kMaxFrames && seen < kMaxSeen; ++seen) {
      if (address % 8 != 0 || !read(address, frame.bytes, layout_.frame_bytes())) return;
      const uint64_t previous = part<uint64_t>(frame.bytes, layout_.frame_previous);
      const bool is_shown = layout_.frame_is_entry != 0 ||
                            part<char>(frame.bytes, layout_.frame_owner) != kOwnedByCStack;
      if (is_shown)
        found_.frames[count++] = {address,
                                  part<uint64_t>(frame.bytes, layout_.frame_code),
                                  previous,
                                  part<uint64_t>(frame.bytes, layout_.frame_instruction),
                                  number(context, reinterpret_cast<uint64_t>(frame.bytes)),
                                  0};
      address = previous;
    }
    found_.is_cut = address != 0;
    if (plan_reads(count)) found_.count = count;
  }

  // Decides what is read again, and where. False when that is too much.
  bool plan_reads(uint32_t count) {
    uint32_t& spans = found_.span_count;
    spans = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint64_t begin = found_.frames[i].address, end = begin + layout_.frame_bytes();
      uint32_t at = 0;
      while (at < spans &&
             (begin + kNear < found_.spans[at].begin || begin > found_.spans[at].end + kNear))
        ++at;
      if (at == kSpans) return false;
      if (at == spans) found_.spans[spans++] = {begin, end};
      Span& span = found_.spans[at];
      if (begin < span.begin) span.begin = begin;
      if (end > span.end) span.end = end;
    }
    uint64_t used = 0;
    for (uint32_t at = 0; at < spans; ++at) {
      const Span& span = found_.spans[at];
      for (uint32_t i = 0; i < count; ++i)
        if (found_.frames[i].address >= span.begin && found_.frames[i].address < span.end)
          found_.frames[i].at = static_cast<uint32_t>(used + found_.frames[i].address - span.begin);
      used += span.end - span.begin;
    }
    return used <= sizeof found_.now;
  }

  bool read(uint64_t address, void* out, size_t bytes) const {
    iovec into{out, bytes}, from{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(found_.process, &into, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
  }

  const PythonLayout& layout_;
  Found& found_;
};

}  // namespace

void push_callers_of_backward(NumberFrame number, bool (*is_known)(void* context, uint64_t number),
                              void* context, MixedFrames& out) {
  constexpr std::string_view kThread = "pt_autograd_";
  const ThreadRoom* room = thread_room();
  const PythonLayout* layout = python_layout();
  if (room == nullptr || layout == nullptr || layout->frame_bytes() > kMostFrameBytes ||
      std::memcmp(room->comm, kThread.data(), kThread.size()) != 0)
    return;
  Found* found = own_slot(room->owner.load(std::memory_order_relaxed));
  if (found == nullptr || found->is_in_use) return;
  found->is_in_use = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Callers callers(*layout, *found);
  bool is_valid = callers.are_unchanged();
  for (uint32_t i = 0; is_valid && i < found->count; ++i)
    is_valid = found->frames[i].number == 0 || is_known(context, found->frames[i].number);
  if (!is_valid) callers.find(number, context);
  for (uint32_t i = 0; i < found->count; ++i) {
    if (found->frames[i].number == 0) continue;
    if (out.count == out.capacity) out.is_cut = true;
    if (out.count < out.capacity) out.frames[out.count++] = found->frames[i].number;
  }
  if (found->count > 0) out.is_cut = out.is_cut || found->is_cut;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  found->is_in_use = false;
}

}  // namespace aiflame::agent
