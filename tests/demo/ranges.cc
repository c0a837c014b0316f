// SPDX-License-Identifier: MIT
// ranges HOW COUNT: an OpenCL program that marks what it does, for recording. COUNT times, it
// launches one kernel in a range "decode", one in "attend" within that, and one in neither.
//
// HOW is `roctx`: it opens AMD's library as programs do, by its name; or `itt`: it has the loading
// part of ITT's front end (ittnotify_static.c), which no package of Debian's has.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/demo/opencl.h"

namespace {

// ---- ITT's front end ----------------------------------------------------------------------------

struct Id {
  unsigned long long parts[3];
};
struct Domain {
  volatile int flags;
  const char* name;
};
struct StringHandle {
  const char *text, *wide;
  int extra1;
  void* extra2;
  StringHandle* next;
};
using TaskBegin = void (*)(const Domain*, Id, Id, StringHandle*);
using TaskEnd = void (*)(const Domain*);

void* task_begin_pointer = nullptr;
void* task_end_pointer = nullptr;
void* domain_create_pointer = nullptr;

struct ApiFunction {
  const char* name;
  void** pointer;
  void *init, *null;
  int group;
};
ApiFunction functions[] = {
    {"__itt_domain_create", &domain_create_pointer, nullptr, nullptr, 1},
    {"__itt_task_begin", &task_begin_pointer, nullptr, nullptr, 1},
    {"__itt_task_end", &task_end_pointer, nullptr, nullptr, 1},
    {nullptr, nullptr, nullptr, nullptr, 0},
};
struct ApiGlobal {
  unsigned char magic[8] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};
  unsigned long version[3] = {3, 26, 20250807};
  volatile long api_initialized = 0, mutex_initialized = 0, atomic_counter = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void *library = nullptr, *error_handler = nullptr;
  const char** library_path = nullptr;
  ApiFunction* list = functions;
  ApiGlobal* next = nullptr;
} front_end;

Domain domain{1, "demo"};

void load_collector() {
  const char* path = std::getenv("INTEL_LIBITTNOTIFY64");
  if (path == nullptr) return;
  void* library = dlopen(path, RTLD_LAZY);
  if (library == nullptr) return;
  if (auto* init =
          reinterpret_cast<void (*)(ApiGlobal*, unsigned)>(dlsym(library, "__itt_api_init")))
    init(&front_end, ~0u);
}

void itt_push(const char* name) {
  StringHandle handle{name, nullptr, 0, nullptr, nullptr};
  if (task_begin_pointer != nullptr)
    reinterpret_cast<TaskBegin>(task_begin_pointer)(&domain, Id{}, Id{}, &handle);
}
void itt_pop() {
  if (task_end_pointer != nullptr) reinterpret_cast<TaskEnd>(task_end_pointer)(&domain);
}

// ---- roctx --------------------------------------------------------------------------------------

int (*roctx_push)(const char*) = nullptr;
int (*roctx_pop)() = nullptr;

void load_roctx() {
  void* library = dlopen("libroctx64.so.4", RTLD_NOW);
  if (library == nullptr) return;
  roctx_push = reinterpret_cast<int (*)(const char*)>(dlsym(library, "roctxRangePushA"));
  roctx_pop = reinterpret_cast<int (*)()>(dlsym(library, "roctxRangePop"));
  auto* mark = reinterpret_cast<void (*)(const char*)>(dlsym(library, "roctxMarkA"));
  mark("begin");
  // as AMD's answers without a tool
  for (const char* name : {"x", "y"}) std::printf("%d ", roctx_push(name));
  for (int i = 0; i < 2; ++i) std::printf("%d ", roctx_pop());
  std::printf("%d\n", roctx_pop());
}

// ---- the program --------------------------------------------------------------------------------

bool is_roctx = false;

void push(const char* name) {
  if (!is_roctx)
    itt_push(name);
  else if (roctx_push != nullptr)
    roctx_push(name);
}
void pop() {
  if (!is_roctx)
    itt_pop();
  else if (roctx_pop != nullptr)
    roctx_pop();
}

constexpr const char* kSource =
    "kernel void scale(global float* a) { a[get_global_id(0)] *= 2; }"
    "kernel void attend(global float* a) { a[get_global_id(0)] += 1; }";

void launch(const opencl::Queue& queue, const opencl::Kernel& kernel) {
  const size_t items = 1024;
  opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &items, nullptr, 0,
                                       nullptr, nullptr),
                "clEnqueueNDRangeKernel");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  is_roctx = std::strcmp(argv[1], "roctx") == 0;
  is_roctx ? load_roctx() : load_collector();
  const cl_device_id device = opencl::find_device("", "");
  const opencl::Context context = opencl::make_context(device);
  const opencl::Program program = opencl::build_text(context, device, kSource);
  const opencl::Kernel scale = opencl::make_kernel(program, "scale");
  const opencl::Kernel attend = opencl::make_kernel(program, "attend");
  cl_int status = CL_SUCCESS;
  const opencl::Buffer buffer(
      clCreateBuffer(context.get(), CL_MEM_READ_WRITE, 1024 * sizeof(float), nullptr, &status));
  opencl::check(status, "clCreateBuffer");
  for (const auto* kernel : {&scale, &attend}) opencl::set_argument(*kernel, 0, buffer.get());
  const opencl::Queue queue = opencl::make_profiling_queue(context, device);
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    push("decode");
    launch(queue, scale);
    push("attend");
    launch(queue, attend);
    pop();
    pop();
    launch(queue, scale);
  }
  opencl::check(clFinish(queue.get()), "clFinish");
}
