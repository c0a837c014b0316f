// SPDX-License-Identifier: MIT
// python_hostile ATTACK COUNT: says that it is Python 3.12 and launches COUNT times, while what the
// recorder reads from outside as interpreters, threads, frames and code is not what it should be:
//   threads  a list of threads without an end, none of which runs
//   frames   a chain of frames without an end
//   deep     a chain of 100 000 frames
//   texts    texts and tables that claim more than any memory
//   names    each launch from another function, with a name of 4000 bytes
//   changes  another thread changes everything all the time
// Its own name begins as an interpreter's, so that the recorder looks at it before it launches.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "libcommon/process/python_layout.h"
#include "tests/attack/launcher.h"

namespace {

constexpr aiflame::PythonLayout kLayout = aiflame::kPythonLayouts[1];
static_assert(kLayout.version == 0x030c);
constexpr size_t kWords = 64;

struct Interpreter {
  uint64_t words[kWords];
};
Interpreter interpreter;

}  // namespace

// What an interpreter exports.
extern "C" {
#define EXPORTED __attribute__((visibility("default"), used))
extern const unsigned long Py_Version __attribute__((visibility("default")));
const unsigned long Py_Version = 0x030c01f0;
EXPORTED uint64_t PyCode_Type[kWords] = {0, 0, 0, 0, kLayout.code_bytecode};
EXPORTED uint64_t PyFrame_Type[kWords] = {0, 0, 0, 0, kLayout.frame_object_bytes};
EXPORTED uint64_t PyUnicode_Type[kWords] = {0, 0, 0, 0, kLayout.unicode_bytes};
EXPORTED uint64_t PyBytes_Type[kWords] = {};
EXPORTED struct {
  uint64_t before[5];
  Interpreter* first;
  uint64_t after[kWords];
} _PyRuntime = {{}, &interpreter, {}};
static_assert(kLayout.runtime_interpreters == 40);
EXPORTED void* _PyEval_EvalFrameDefault(void* frame, void*, int) {
  return frame;
}
}

namespace {

// An object in our memory, made of words.
class Object {
 public:
  explicit Object(size_t words = kWords) : words_(words) {}
  template <typename T>
  Object& put(size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(words_.data()) + offset, &value, sizeof value);
    return *this;
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(words_.data()); }

 private:
  std::vector<uint64_t> words_;
};

uint64_t address_of(const void* what) {
  return reinterpret_cast<uint64_t>(what);
}

Object text(const std::string& characters) {
  using namespace aiflame::python_object;
  Object out(16 + characters.size() / 8);
  out.put<uint64_t>(0, 1)
      .put(kType, address_of(PyUnicode_Type))
      .put<uint64_t>(kLength, characters.size());
  out.put<uint32_t>(kState, kCompact | kAscii | 1U << kKindShift);
  for (size_t i = 0; i < characters.size(); ++i) out.put(kLayout.ascii_text + i, characters[i]);
  return out;
}

struct Function {
  Object code, name, file = text("f.py"), lines;

  explicit Function(const std::string& called) : name(text(called)) {
    using namespace aiflame::python_object;
    lines.put<uint64_t>(0, 1).put(kType, address_of(PyBytes_Type)).put<uint64_t>(kSize, 3);
    lines.put<uint32_t>(kBytesText, 0x0000d7);
    code.put<uint64_t>(0, 1).put(kType, address_of(PyCode_Type)).put<uint64_t>(kSize, 8);
    code.put<uint32_t>(kLayout.code_first_line, 1);
    code.put(kLayout.code_file, file.address()).put(kLayout.code_name, name.address());
    code.put(kLayout.code_lines, lines.address());
  }
  void run_by(Object& frame) const {
    frame.put(kLayout.frame_code, code.address());
    frame.put(kLayout.frame_instruction, code.address() + kLayout.code_bytecode);
  }
};

void put_word(void* at, size_t offset, uint64_t value) {
  std::memcpy(static_cast<char*>(at) + offset, &value, sizeof value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) attack::fail("usage: python_hostile ATTACK COUNT");
  using namespace aiflame::python_object;
  const std::string attack = argv[1];
  const long count = std::atol(argv[2]);
  Object thread, cframe, frame, outermost;
  Function function("f");
  put_word(&interpreter, kLayout.interpreter_threads, thread.address());
  thread.put<uint64_t>(kLayout.thread_number(), static_cast<uint64_t>(syscall(SYS_gettid)));
  thread.put(kLayout.thread_frame, cframe.address());
  cframe.put(kLayout.cframe_frame, frame.address());
  function.run_by(frame);
  frame.put(kLayout.frame_previous, outermost.address());
  outermost.put(kLayout.frame_owner, aiflame::kOwnedByCStack);

  std::vector<Object> frames;
  std::vector<Function> functions;
  if (attack == "threads") {
    thread.put<uint64_t>(kLayout.thread_number(), 1).put(kNextThread, thread.address());
  } else if (attack == "frames") {
    frame.put(kLayout.frame_previous, frame.address());
  } else if (attack == "deep") {
    frames.resize(100000);
    for (size_t i = 0; i < frames.size(); ++i) {
      function.run_by(frames[i]);
      frames[i].put(kLayout.frame_previous, i > 0 ? frames[i - 1].address() : outermost.address());
    }
    frame.put(kLayout.frame_previous, frames.back().address());
  } else if (attack == "texts") {
    function.name.put<uint64_t>(kLength, UINT64_MAX / 8);
    function.file.put<uint64_t>(kLength, UINT64_MAX)
        .put<uint32_t>(kState, kCompact | 4U << kKindShift);
    function.lines.put<uint64_t>(kSize, UINT64_MAX);
  } else if (attack == "names") {
    for (long i = 0; i < count; ++i)
      functions.emplace_back(std::to_string(i) + std::string(4000, 'n'));
  } else if (attack != "changes") {
    attack::fail("no such attack");
  }

  std::atomic<bool> ended{false};
  std::thread changes([&] {
    if (attack != "changes") return;
    Function other("other");
    for (uint64_t i = 0; !ended; ++i) {
      (i % 2 == 0 ? function : other).run_by(frame);
      frame.put(kLayout.frame_previous, i % 5 == 0 ? frame.address() : outermost.address());
      function.code.put(kLayout.code_name, i % 3 == 0 ? other.name.address() : i);
      function.code.put<uint64_t>(0, i % 7);
      function.name.put<uint64_t>(kLength, i % 4 == 0 ? i << 40 : 1);
      thread.put(kNextThread, i % 11 == 0 ? i : 0);
    }
  });
  attack::Launcher launcher;
  launcher.open("opencl");
  // the recorder looks at programs every 20 ms
  usleep(200000);
  long made = 0;
  for (; made < count; ++made) {
    if (!functions.empty()) functions[static_cast<size_t>(made)].run_by(frame);
    launcher.launch();
  }
  // names are read while the program runs
  usleep(200000);
  ended = true;
  changes.join();
  std::printf("made %ld\n", made);
}
