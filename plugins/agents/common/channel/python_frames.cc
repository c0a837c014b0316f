/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/python_frames.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "plugins/agents/common/channel/kept_texts.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/channel/walk.h"
#include "plugins/agents/common/python.h"
#include "plugins/agents/common/python_backward.h"
#include "plugins/agents/common/python_stack.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {
namespace {

// The texts that the recorder has. Each may lie in either of two neighbouring places, so that two
// texts that are used in turn do not displace each other. A displaced text is written again.
constexpr unsigned kTextBits = 15;
std::atomic<uint64_t> known_texts[1 << kTextBits];
std::atomic<bool> python_reported{false};

uint64_t slot_of(uint64_t id) {
  return id & ((uint64_t{1} << kTextBits) - 1);
}

bool is_known(uint64_t id) {
  const uint64_t at = slot_of(id);
  return is_marked(known_texts[at], id) || is_marked(known_texts[at ^ 1], id);
}

void write_text(agent_ring* to, const PythonText& text) {
  const uint32_t names = uint32_t{text.name_bytes} + text.file_bytes;
  const uint32_t bytes = round_up(static_cast<uint32_t>(sizeof(::agent_text)) + names);
  auto* record = reserve_record<::agent_text>(to, bytes);
  if (record == nullptr) return;
  record->id = text.id;
  record->line = text.line;
  record->name_bytes = text.name_bytes;
  record->file_bytes = text.file_bytes;
  std::memcpy(record + 1, text.names, names);
  publish(&record->record, bytes, AGENT_TEXT, 0);
  const uint64_t at = slot_of(text.id);
  const uint64_t slot = known_texts[at].load(std::memory_order_relaxed) == 0 ? at : at ^ 1;
  mark_known(known_texts[slot], text.id, to);
}

// Calls use(text) with the text of `place`. False without room for that.
template <typename Use>
bool read_text(uint64_t id, const PythonPlace& place, Use use) {
  constexpr size_t kMaxFunction = 1024;  // nobody reads a longer one
  struct Names {
    char text[kMaxFunction + AGENT_MAX_NAME];
  };
  const OffStack<Names> names;
  if (!names) return false;
  const size_t name_bytes = copy_name(place, names->text, kMaxFunction);
  const size_t file_bytes = copy_file(place, names->text + name_bytes, AGENT_MAX_NAME);
  return use(PythonText{id, line_of(place), static_cast<uint16_t>(name_bytes),
                        static_cast<uint16_t>(file_bytes), names->text});
}

// The state of one stack's walk.
struct Texts {
  agent_ring* to = nullptr;  // null = texts are kept
  bool failed = false;
  uint64_t interpreter = 0;
  KnownTexts known;
};

struct PythonWalk {
  Walk native;
  uint64_t pointers[Walk::kCapacity];
  PythonFrames python;
  Texts texts;
};

bool is_text_there(void* context, uint64_t id) {
  return static_cast<const Texts*>(context)->to == nullptr ? is_text_kept(id) : is_known(id);
}

// The number that stands for a Python frame; writes the text unless the recorder has it, or keeps
// it. Where the ring is too full for that, the stack and its launch will not fit either.
uint64_t text_of(void* context, uint64_t frame) {
  Texts& texts = *static_cast<Texts*>(context);
  const uint64_t key = key_of(frame, texts.interpreter);
  if (const uint64_t id = remembered_number(key); id != 0 && is_text_there(context, id)) return id;
  PythonPlace place;
  const PythonCheck check = read_place(frame, place);
  if (check == PythonCheck::failed) texts.failed = true;
  if (check != PythonCheck::passed) return 0;
  const uint64_t id = number_of(place, texts.known) | AGENT_TEXT_FRAME;
  remember_number(key, id);
  if (texts.to == nullptr) {
    if (!is_text_kept(id) && !read_text(id, place, keep_text)) texts.failed = true;
  } else if (!is_known(id)) {
    read_text(id, place, [&](const PythonText& text) {
      write_text(texts.to, text);
      return true;
    });
  }
  return id;
}

}  // namespace

void report_unknown_python(agent_ring* to) {
  if (python_state() != PythonState::unknown || python_reported.load(std::memory_order_relaxed))
    return;
  auto* record = reserve_record<agent_python>(to);
  if (record == nullptr) return;
  python_reported.store(true, std::memory_order_relaxed);
  record->version = python_version();
  publish(&record->record, sizeof(agent_python), AGENT_PYTHON,
          python_has_no_gil() ? AGENT_NO_GIL : 0);
}

void take_python_stack(agent_ring* to, const void* api_function, Stack& out) {
  const OffStack<PythonWalk> room;
  if (!room) return set_not_walked(api_function, out);
  const int saved_errno = errno;
  Walk& walk = room->native;
  walk.take(api_function, room->pointers);
  out.frames[0] = walk.frames()[0];
  out.flags = walk.flags();
  Texts& texts = room->texts;
  texts.to = to;
  const PythonFrames& python = room->python;
  // to keep a text allocates
  const bool may_read = to != nullptr || (walk.flags() & kInHandler) == 0;
  bool fits = may_read && walk_python(room->python);
  texts.interpreter = python.interpreter;
  if (fits) {
    const NativeFrames native{walk.frames() + 1, room->pointers + walk.first(),
                              static_cast<int>(walk.count()) - 1, walk.is_cut()};
    MixedFrames mixed{out.frames + 1, AGENT_MAX_FRAMES - 1, 0, false};
    fits = interleave(native, python, text_of, &texts, is_in_interpreter, mixed) && !texts.failed;
    if (fits && !mixed.is_cut) {
      const uint32_t own = mixed.count;
      push_callers_of_backward(text_of, is_text_there, &texts, mixed);
      if (texts.failed) mixed.count = own;
    }
    out.count = mixed.count + 1;
    if (mixed.is_cut) out.flags |= AGENT_CUT;
  }
  if (!fits) {
    out.count = walk.count();
    out.flags = walk.flags() | AGENT_NO_PYTHON;
    std::memcpy(out.frames, walk.frames(), size_t{out.count} * sizeof(uint64_t));
  }
  errno = saved_errno;
}

void report_kept_texts(agent_ring* to, const Stack& stack) {
  for (uint32_t i = 0; i < stack.count; ++i) {
    const uint64_t id = stack.frames[i];
    PythonText text;
    if ((id & AGENT_TEXT_FRAME) != 0 && !is_known(id) && find_kept_text(id, text))
      write_text(to, text);
  }
}

void forget_python_frames() {
  forget_marks(known_texts);
  python_reported.store(false, std::memory_order_relaxed);
}

}  // namespace aiflame::agent
