/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/python.h"

#include <link.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "plugins/agents/common/elf_exports.h"
#include "plugins/agents/common/loader.h"
#include "plugins/agents/common/readable.h"

namespace aiflame::agent {
namespace {

using namespace python_object;

// ---- the interpreter ----------------------------------------------------------------------------

struct Interpreter {
  PythonState state = PythonState::none;
  uint32_t version = 0;
  bool has_no_gil = false;
  const PythonLayout* layout = nullptr;
  PythonTypes types;
  uint64_t text_begin = 0, text_end = 0;
  // PyGILState_GetThisThreadState(), which needs no GIL; and the function for the running state,
  // which in 3.11 is that of the thread with the GIL, later that of the calling thread
  void* (*this_thread)() = nullptr;
  void* (*running)() = nullptr;
  // PyInterpreterState_Main(), PyInterpreterState_ThreadHead(): both only load, and need no GIL
  void* (*main_interpreter)() = nullptr;
  void* (*first_thread)(void*) = nullptr;
  // PyInterpreterState_GetID(), which only loads as well
  int64_t (*number)(void*) = nullptr;
};

// Written once by look_for_python(), then published by `state`.
Interpreter interpreter;
std::atomic<PythonState> state{PythonState::none};
std::atomic<bool> looking{false};
uint64_t objects_seen = 0;

struct Search {
  uint64_t objects = 0;
  bool found = false;
  Interpreter made;
};

uint64_t type_bytes(uint64_t type) {
  uint64_t bytes = 0;
  return LiveMemory::load(type + kTypeBytes, bytes) ? bytes : 0;
}

// "3.10.13 (main, …". Versions before 3.11 have no Py_Version.
uint32_t version_of_text(const char* text) {
  uint32_t major = 0, minor = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    major = major * 10 + static_cast<uint32_t>(*text - '0');
  if (*text == '.')
    for (++text; *text >= '0' && *text <= '9'; ++text)
      minor = minor * 10 + static_cast<uint32_t>(*text - '0');
  return (major & 0xff) << 24 | (minor & 0xff) << 16;
}

void take_interpreter(const dl_phdr_info& object, Interpreter& out) {
  out.state = PythonState::unknown;
  const uint64_t version = find_export(object, "Py_Version");
  uint64_t number = 0;
  if (version != 0 && LiveMemory::load(version, number)) {
    out.version = static_cast<uint32_t>(number);
  } else if (const uint64_t get = find_export(object, "Py_GetVersion"); get != 0) {
    out.version = version_of_text(reinterpret_cast<const char* (*)()>(get)());
  }
  const PythonDebugOffsets offsets(LiveMemory::load<uint64_t>, find_export(object, "_PyRuntime"));
  out.has_no_gil = offsets.has_no_gil();
  if (out.has_no_gil) return;
  for (const PythonLayout& layout : kPythonLayouts)
    if (layout.version == out.version >> 16) out.layout = &layout;
  // alpha, beta and candidate releases have 0xa, 0xb and 0xc there
  if (out.layout == nullptr || (out.version >> 4 & 0xf) != 0xf) return;
  out.types = {find_export(object, "PyCode_Type"), find_export(object, "PyUnicode_Type"),
               find_export(object, "PyBytes_Type")};
  const uint64_t frame_type = find_export(object, "PyFrame_Type");
  uint64_t running = find_export(object, "_PyThreadState_UncheckedGet");
  if (running == 0) running = find_export(object, "PyThreadState_GetUnchecked");  // 3.13
  const uint64_t this_thread = find_export(object, "PyGILState_GetThisThreadState");
  if (out.types.bytes == 0 || running == 0 || this_thread == 0) return;
  if (type_bytes(out.types.code) != out.layout->code_bytecode ||
      type_bytes(out.types.unicode) != out.layout->unicode_bytes ||
      type_bytes(frame_type) != out.layout->frame_object_bytes)
    return;
  if (out.layout->published_thread != 0 && !offsets.are(*out.layout)) return;
  out.main_interpreter =
      reinterpret_cast<void* (*)()>(find_export(object, "PyInterpreterState_Main"));
  out.first_thread =
      reinterpret_cast<void* (*)(void*)>(find_export(object, "PyInterpreterState_ThreadHead"));
  if (out.layout->code_version != 0)
    out.number =
        reinterpret_cast<int64_t (*)(void*)>(find_export(object, "PyInterpreterState_GetID"));
  out.running = reinterpret_cast<void* (*)()>(running);
  out.this_thread = reinterpret_cast<void* (*)()>(this_thread);
  out.state = PythonState::known;
}

int look_at_object(dl_phdr_info* object, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  const uint64_t objects = object->dlpi_adds + object->dlpi_subs;
  if (objects == objects_seen) return 1;
  search.objects = objects;
  const uint64_t eval = find_export(*object, "_PyEval_EvalFrameDefault");
  if (eval == 0) return 0;
  search.found = true;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const uint64_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || eval < begin || eval >= begin + part.p_memsz) continue;
    search.made.text_begin = begin;
    search.made.text_end = begin + part.p_memsz;
  }
  take_interpreter(*object, search.made);
  return 1;
}

// Whether the interpreter is still loaded: a program that embeds it may have unloaded it.
bool is_loaded() {
  LoadedObject object;
  return find_loaded_object(interpreter.text_begin, object);
}

// ---- the thread ---------------------------------------------------------------------------------

// For a PyThreadState that another thread may be about to free.
bool is_of_this_thread(uint64_t thread) {
  uint64_t id = 0;
  iovec into{&id, sizeof id};
  iovec from{reinterpret_cast<void*>(thread + interpreter.layout->thread_id), sizeof id};
  return process_vm_readv(getpid(), &into, 1, &from, 1, 0) == sizeof id && id == pthread_self();
}

// The PyThreadState whose frames the thread is running, 0 = none. A thread may have several, one
// for each subinterpreter that it has entered.
uint64_t this_thread_state() {
  const auto own = reinterpret_cast<uint64_t>(interpreter.this_thread());
  const auto running = reinterpret_cast<uint64_t>(interpreter.running());
  if (own == 0 || running == 0 || running == own) return own;
  if (interpreter.layout->version >= 0x030c || is_of_this_thread(running)) return running;
  return own;
}

}  // namespace

bool look_for_python() {
  if (state.load(std::memory_order_acquire) != PythonState::none) return false;
  // nobody waits for a thread that is looking already
  if (looking.exchange(true, std::memory_order_acquire)) return false;
  Search search;
  dl_iterate_phdr(look_at_object, &search);
  if (search.objects != 0) objects_seen = search.objects;
  if (search.found) {
    interpreter = search.made;
    state.store(search.made.state, std::memory_order_release);
  }
  looking.store(false, std::memory_order_release);
  return search.found;
}

void python_forked() {
  looking.store(false, std::memory_order_release);
}

PythonState python_state() {
  return state.load(std::memory_order_acquire);
}

uint32_t python_version() {
  return interpreter.version;
}

bool python_has_no_gil() {
  return interpreter.has_no_gil;
}

bool walk_python(PythonFrames& out) {
  if (!is_loaded()) return true;
  const uint64_t thread = this_thread_state();
  if (thread == 0) return true;
  // a thread that launches while the interpreter ends may have a state that is gone
  uint64_t of = 0;
  if (interpreter.number != nullptr && LiveMemory::load(thread + kInterpreter, of) && of != 0 &&
      LiveMemory::holds(of, kPage))
    out.interpreter = static_cast<uint64_t>(interpreter.number(reinterpret_cast<void*>(of)));
  return walk_chain(*interpreter.layout, thread, out);
}

const PythonLayout* python_layout() {
  return python_state() == PythonState::known && is_loaded() ? interpreter.layout : nullptr;
}

const PythonTypes& python_types() {
  return interpreter.types;
}

uint64_t first_python_thread() {
  if (interpreter.main_interpreter == nullptr || interpreter.first_thread == nullptr) return 0;
  void* main = interpreter.main_interpreter();
  return main == nullptr ? 0 : reinterpret_cast<uint64_t>(interpreter.first_thread(main));
}

bool is_in_interpreter(uint64_t pc) {
  return pc >= interpreter.text_begin && pc <= interpreter.text_end;
}

uint64_t key_of(uint64_t frame, uint64_t interpreter_number) {
  return interpreter.number == nullptr ? 0 : key_of(*interpreter.layout, frame, interpreter_number);
}

PythonCheck read_place(uint64_t frame, PythonPlace& place) {
  return read_place(*interpreter.layout, interpreter.types, frame, place);
}

uint64_t number_of(const PythonPlace& place, KnownTexts& known) {
  return number_of(place, *interpreter.layout, known);
}

size_t copy_name(const PythonPlace& place, char* out, size_t size) {
  return copy_text(*interpreter.layout, place.name, Keep::beginning, out, size);
}

size_t copy_file(const PythonPlace& place, char* out, size_t size) {
  return copy_text(*interpreter.layout, place.file, Keep::end, out, size);
}

uint32_t line_of(const PythonPlace& place) {
  return find_line(reinterpret_cast<const uint8_t*>(place.lines), place.line_bytes,
                   place.first_line, place.unit)
      .line;
}

}  // namespace aiflame::agent
