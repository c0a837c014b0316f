// SPDX-License-Identifier: MIT
// embeds_python LIBRARY: a program that loads Python's library at run time, without its headers and
// for itself alone (RTLD_LOCAL, as plugins of other programs do), and gives Python a function that
// launches a kernel. It launches
//   once from before(), before Python is loaded,
//   twice from the Python function inner(), which outer() calls,
//   once from beside(), in C++, with Python started but not entered,
//   3 times from inner() in a thread that Python did not make,
//   once from after(), after Python has ended, and once from unloaded(), when it is out of memory.
// It runs on the do-nothing platform of tests/fakes/opencl-null.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/demo/opencl.h"

namespace {

// ---- the kernel --------------------------------------------------------------------------------

cl_command_queue queue;
cl_kernel kernel;

[[gnu::noinline]] void launch() {
  const size_t items = 1;
  opencl::check(
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
      "clEnqueueNDRangeKernel");
  asm volatile("" ::: "memory");
}

// Callers that a flame graph must tell apart.
#define AIFLAME_CALLER(name)                                               \
  [[gnu::noinline]] void name() {                                          \
    launch();                                                              \
    asm volatile("# " #name ::: "memory"); /* or the compiler keeps one */ \
  }
AIFLAME_CALLER(before)
AIFLAME_CALLER(beside)
AIFLAME_CALLER(after)
AIFLAME_CALLER(unloaded)
#undef AIFLAME_CALLER

// ---- Python, as much of its stable interface as is needed --------------------------------------

struct Object;
struct Method {
  const char* name;
  Object* (*function)(Object*, Object*);
  int flags;
  const char* text;
};

void* library;

template <typename Function>
Function python(const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "embeds_python: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

Object* launch_for_python(Object*, Object*) {
  launch();
  return python<Object* (*)(const char*, ...)>("Py_BuildValue")("");  // None
}

Object* globals() {
  Object* module = python<Object* (*)(const char*)>("PyImport_AddModule")("__main__");
  return python<Object* (*)(Object*)>("PyModule_GetDict")(module);
}

void run(const char* source) {
  constexpr int kFile = 257;  // Py_file_input
  Object* code = python<Object* (*)(const char*, const char*, int)>("Py_CompileString")(
      source, "embedded.py", kFile);
  if (code == nullptr || python<Object* (*)(Object*, Object*, Object*)>("PyEval_EvalCode")(
                             code, globals(), globals()) == nullptr)
    python<void (*)()>("PyErr_Print")();
}

void start_python() {
  static Method method{"launch", launch_for_python, 4 /* METH_NOARGS */, nullptr};
  python<void (*)(int)>("Py_InitializeEx")(0);
  Object* function = python<Object* (*)(Method*, Object*)>("PyCFunction_New")(&method, nullptr);
  python<int (*)(Object*, const char*, Object*)>("PyDict_SetItemString")(globals(), "launch",
                                                                         function);
}

void run_in_thread(const char* source) {
  void* main_state = python<void* (*)()>("PyEval_SaveThread")();
  std::thread([source] {
    const int held = python<int (*)()>("PyGILState_Ensure")();
    run(source);
    python<void (*)(int)>("PyGILState_Release")(held);
  }).join();
  python<void (*)(void*)>("PyEval_RestoreThread")(main_state);
}

constexpr char kTwice[] =
    "def inner(times):\n"
    "    for _ in range(times):\n"
    "        launch()\n"
    "def outer(times):\n"
    "    inner(times)\n"
    "outer(2)\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const cl_device_id device = opencl::find_device("", "");
  const opencl::Context context = opencl::make_context(device);
  const opencl::Program program = opencl::build_text(context, device, "");
  const opencl::Kernel made = opencl::make_kernel(program, "scale");
  const opencl::Queue made_queue = opencl::make_profiling_queue(context, device);
  kernel = made.get();
  queue = made_queue.get();

  before();
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "embeds_python: %s\n", dlerror());
    return 1;
  }
  start_python();
  run(kTwice);
  beside();
  run_in_thread("outer(3)\n");
  python<int (*)()>("Py_FinalizeEx")();
  after();
  dlclose(library);
  unloaded();
  std::printf("%s\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr ? "gone" : "stays");
  return 0;
}
