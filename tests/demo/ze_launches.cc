// SPDX-License-Identifier: MIT
// ze_launches MODE [N]: a Level Zero program that launches kernels in all the ways that programs
// do, and prints what it launched. ze_launches is linked to the loader, ze_launches-dlopen opens it
// at run time.
//
//   immediate   N rounds: `iterate`, or a kernel called NAME (N NAME), three times from
//               run_thrice() and once from run_once()
//   ranges      N rounds: `iterate` by run_once() in a range of roctx, and outside of it
//   list        `scale` and `add` put into a list by two functions, executed N times by submit()
//   sizes-immediate, sizes-list   `scale` in two sizes, N times each
//   forget      a list is reset, and one destroyed, before the next of the same handle is executed
//   reload      N times: creates a module, launches its kernel once, and destroys the module
//   functions   calls each launch function once
//   newer       functions that came after version 1.4 of the interface: `scale` with parameters and
//               with arguments; a list with it, appended to an immediate one; and a clone of the
//               list
//   newer-copies          a fill and a copy with parameters, of version 1.16
//   fork        N launches in the parent, and N in a child
//   fails       launches that the driver refuses, and one that it accepts
//   heap        writes the handles of kernel_0 to kernel_N-1 to one place each, those of again_0 to
//               again_N-1 all to the same place on the heap, and launches each kernel
//   cost        N launches in a loop, FRAMES deep (N FRAMES): median ns of a launch, and how much
//               memory they took
//   timed       N rounds on an immediate list, each waited for. `work_300us` without an event by
//               run_plain(), with one that has timestamps by run_stamped(), with one that the host
//               sees by run_visible(), with one that the host does not see by run_unseen(), and
//               with one that the device resets by run_reset(). Prints what the program sees of
//               them
//   listed      a list with `work_100us` without an event by run_plain() and `work_300us` with an
//               event that the host sees by run_visible(), executed and waited for N times by
//               submit(); then reset, and executed with `work_100us` by run_once(); then all is
//               destroyed, the context first
//   graph       captures `work_100us` by run_plain(), a fill by run_fill(), `work_300us` on a
//               second list by run_forked(), which waits for the first, and `work_100us` by
//               run_joined(), which waits for the second. N times it launches `work_100us` by
//               run_once() and an executable of the graph by replay(), and waits. Another capture
//               never ends: its list is destroyed. With `N ext` it calls the loader's functions,
//               otherwise those that the driver hands out.
//   graph-twice           the same with two executables, in turn.
//   graph-nested          captures a launch by record_scale(), an executable with record_add() and
//                         a list with record_scale(); launches the graph N times by replay().
//   graph-refused         an executable that the driver does not execute.
//   list-ahead  a list with `work_100us`, executed N times by submit_ahead() before one wait
//   refused     a list that the driver does not execute
//   run         launches the kernel called N once
//   copies      N times a fill by run_fill() and three copies by run_copy() on an immediate list; a
//               list with a copy, executed N times; N copies on an engine that only copies. Prints
//               what was copied
//   memory      memory of the device by hold_weights(), which stays, shared memory N times by
//               leak_shared(), and a peak in between by have_a_peak(), with what the host alone
//               has; prints the figures of tests/demo/planted_memory.h
//   threads     8 threads with N launches each, on lists of their own
//   unreset     N launches of `work_100us` by run_visible() with one event, each waited for; the
//               event is never reset
//   ahead       N launches of `work_100us` without an event, then one wait, three seconds later
//   contexts    N times: creates a context, launches in it, and destroys it
//   devices     a launch of `on_N` on each device, and on each part of it
//   files BASIC LOCAL TILED [N]   the kernels of three SPIR-V modules, through a list, each
//                                 appended by a function of its own, executed N times; needs a
//                                 driver that compiles
//   files-now BASIC LOCAL TILED   the same on an immediate list, once
//   shared FILE N                 immediate, with the kernel of a SPIR-V module
//   hot FILE BITS SECONDS         run_hot() launches the kernel of hot.cl on a table of 2^BITS
//                                 entries, once and then for SECONDS
//
// Three variables name FIFOs at which it prints "ready" and waits for the FIFO's end: $ZE_START
// before it does anything; $ZE_LAUNCH, in the modes immediate, list and graph, before it launches;
// and $ZE_LAUNCHED when all is launched.
#include <dlfcn.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/demo/hot_table.h"
#include "tests/demo/planted_memory.h"

namespace {

#ifdef ZE_DLOPEN
void* symbol(const char* name) {
  static void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
  void* found = loader == nullptr ? nullptr : dlsym(loader, name);
  if (found == nullptr) {
    std::fprintf(stderr, "ze_launches: no %s\n", name);
    std::exit(1);
  }
  return found;
}
#define ZE(name) reinterpret_cast<decltype(&name)>(symbol(#name))
#else
#define ZE(name) name
#endif

void check(ze_result_t result, const char* what) {
  if (result == ZE_RESULT_SUCCESS) return;
  std::fprintf(stderr, "ze_launches: %s: 0x%x\n", what, static_cast<unsigned>(result));
  std::exit(1);
}

ze_context_handle_t context;
ze_device_handle_t device;
constexpr ze_group_count_t kOne{1, 1, 1};

ze_module_handle_t make_module(const std::string& content, ze_module_format_t format) {
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = format;
  description.pInputModule = reinterpret_cast<const uint8_t*>(content.data());
  description.inputSize = content.size();
  // Debian 12's driver needs these options to emit ELF code, the only kind that newer drivers emit
  description.pBuildFlags = "-g -cl-intel-allow-zebin";
  ze_module_handle_t module = nullptr;
  check(ZE(zeModuleCreate)(context, device, &description, &module, nullptr), "zeModuleCreate");
  return module;
}

ze_kernel_handle_t make_kernel(ze_module_handle_t module, const char* name) {
  ze_kernel_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  description.pKernelName = name;
  ze_kernel_handle_t kernel = nullptr;
  check(ZE(zeKernelCreate)(module, &description, &kernel), "zeKernelCreate");
  return kernel;
}

ze_command_list_handle_t make_list() {
  ze_command_list_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  ze_command_list_handle_t list = nullptr;
  check(ZE(zeCommandListCreate)(context, device, &description, &list), "zeCommandListCreate");
  return list;
}

ze_command_queue_desc_t queue_description() {
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  return description;
}

ze_command_list_handle_t make_immediate() {
  const ze_command_queue_desc_t description = queue_description();
  ze_command_list_handle_t list = nullptr;
  check(ZE(zeCommandListCreateImmediate)(context, device, &description, &list),
        "zeCommandListCreateImmediate");
  return list;
}

ze_command_queue_handle_t make_queue() {
  const ze_command_queue_desc_t description = queue_description();
  ze_command_queue_handle_t queue = nullptr;
  check(ZE(zeCommandQueueCreate)(context, device, &description, &queue), "zeCommandQueueCreate");
  return queue;
}

void append(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  check(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &kOne, nullptr, 0, nullptr),
        "zeCommandListAppendLaunchKernel");
}

void wait_for(const char* variable) {
  const char* fifo = std::getenv(variable);
  if (fifo == nullptr) return;
  std::puts("ready");
  std::fflush(stdout);
  std::ifstream(fifo).ignore(std::numeric_limits<std::streamsize>::max());
}

void start() {
  wait_for("ZE_START");
  check(ZE(zeInit)(0), "zeInit");
  uint32_t count = 1;
  ze_driver_handle_t driver = nullptr;
  check(ZE(zeDriverGet)(&count, &driver), "zeDriverGet");
  count = 1;
  check(ZE(zeDeviceGet)(driver, &count, &device), "zeDeviceGet");
  ze_context_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  check(ZE(zeContextCreate)(driver, &description, &context), "zeContextCreate");
}

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// The process's private dirty memory, in KiB.
// Without the agent's ring, whose pages are private whenever the recorder has released its own.
uint64_t private_kilobytes() {
  std::ifstream file("/proc/self/smaps");
  uint64_t total = 0;
  bool is_ring = false;
  for (std::string line; std::getline(file, line);) {
    const bool is_mapping = line.find('-') < line.find(' ');
    if (is_mapping) is_ring = line.find("/memfd:aiflame") != std::string::npos;
    if (!is_ring && line.rfind("Private_Dirty:", 0) == 0)
      total += std::strtoull(line.c_str() + 14, nullptr, 10);
  }
  return total;
}

}  // namespace

// Separate functions, so that a profile tells them apart.

[[gnu::noinline]] void run_thrice(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  for (int i = 0; i < 3; ++i) append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_once(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void record_scale(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void record_add(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_fill(ze_command_list_handle_t list, std::vector<int>& to, int value) {
  check(ZE(zeCommandListAppendMemoryFill)(list, to.data(), &value, sizeof value,
                                          to.size() * sizeof value, nullptr, 0, nullptr),
        "zeCommandListAppendMemoryFill");
}

[[gnu::noinline]] void run_copy(ze_command_list_handle_t list, const std::vector<int>& from,
                                std::vector<int>& to, size_t count) {
  check(ZE(zeCommandListAppendMemoryCopy)(list, to.data(), from.data(), count * sizeof(int),
                                          nullptr, 0, nullptr),
        "zeCommandListAppendMemoryCopy");
}

[[gnu::noinline]] void submit(ze_command_queue_handle_t queue, ze_command_list_handle_t list) {
  check(ZE(zeCommandQueueExecuteCommandLists)(queue, 1, &list, nullptr),
        "zeCommandQueueExecuteCommandLists");
  check(ZE(zeCommandQueueSynchronize)(queue, UINT64_MAX), "zeCommandQueueSynchronize");
}

[[gnu::noinline]] void submit_ahead(ze_command_queue_handle_t queue,
                                    ze_command_list_handle_t list) {
  check(ZE(zeCommandQueueExecuteCommandLists)(queue, 1, &list, nullptr),
        "zeCommandQueueExecuteCommandLists");
  asm volatile("");
}

[[gnu::noinline]] void run_basic(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_local(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_tiled(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

void append_signaling(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                      ze_event_handle_t event) {
  check(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &kOne, event, 0, nullptr),
        "zeCommandListAppendLaunchKernel");
}

[[gnu::noinline]] void run_plain(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  append(list, kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_stamped(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                   ze_event_handle_t event) {
  append_signaling(list, kernel, event);
  asm volatile("");
}

[[gnu::noinline]] void run_visible(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                   ze_event_handle_t event) {
  append_signaling(list, kernel, event);
  asm volatile("");
}

[[gnu::noinline]] void run_unseen(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                  ze_event_handle_t event) {
  append_signaling(list, kernel, event);
  asm volatile("");
}

[[gnu::noinline]] void run_reset(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                 ze_event_handle_t event) {
  append_signaling(list, kernel, event);
  asm volatile("");
}

void append_waiting(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                    ze_event_handle_t event, ze_event_handle_t wait) {
  check(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &kOne, event, 1, &wait),
        "zeCommandListAppendLaunchKernel");
}

[[gnu::noinline]] void run_forked(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                  ze_event_handle_t event, ze_event_handle_t wait) {
  append_waiting(list, kernel, event, wait);
  asm volatile("");
}

[[gnu::noinline]] void run_joined(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                  ze_event_handle_t event, ze_event_handle_t wait) {
  append_waiting(list, kernel, event, wait);
  asm volatile("");
}

[[gnu::noinline]] void run_hot(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  const ze_group_count_t groups{demo::kHotItems / 32, 1, 1};
  check(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &groups, nullptr, 0, nullptr),
        "zeCommandListAppendLaunchKernel");
  asm volatile("");
}

// Calls itself until the stack is `frames` deeper, then measures.
[[gnu::noinline]] void deeper(uint64_t frames, void (*measure)(uint64_t), uint64_t launches) {
  if (frames == 0)
    measure(launches);
  else
    deeper(frames - 1, measure, launches);
  asm volatile("");
}

namespace {

// The kernel of a SPIR-V module in a file, compiled here with debug information.
ze_kernel_handle_t kernel_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const auto module = make_module(content, ZE_MODULE_FORMAT_IL_SPIRV);
  uint32_t count = 1;
  const char* name = nullptr;
  check(ZE(zeModuleGetKernelNames)(module, &count, &name), "zeModuleGetKernelNames");
  const auto kernel = make_kernel(module, name);
  check(ZE(zeKernelSetGroupSize)(kernel, 16, 16, 1), "zeKernelSetGroupSize");
  return kernel;
}

void ranges(uint64_t rounds) {
  void* library = dlopen("libroctx64.so.4", RTLD_NOW);
  if (library == nullptr) return;
  auto* push = reinterpret_cast<int (*)(const char*)>(dlsym(library, "roctxRangePushA"));
  auto* pop = reinterpret_cast<int (*)()>(dlsym(library, "roctxRangePop"));
  const auto kernel = make_kernel(make_module("iterate\n", ZE_MODULE_FORMAT_NATIVE), "iterate");
  const auto list = make_immediate();
  for (uint64_t i = 0; i < rounds; ++i) {
    push("decode");
    run_once(list, kernel);
    pop();
    run_once(list, kernel);
  }
}

void immediate(const char* path, const std::string& name, uint64_t rounds) {
  const auto kernel =
      path != nullptr
          ? kernel_of(path)
          : make_kernel(make_module(name + "\n", ZE_MODULE_FORMAT_NATIVE), name.c_str());
  const auto list = make_immediate();
  wait_for("ZE_LAUNCH");
  for (uint64_t i = 0; i < rounds; ++i) {
    run_thrice(list, kernel);
    run_once(list, kernel);
  }
}

void list(uint64_t times) {
  const auto module = make_module("scale\nadd\n", ZE_MODULE_FORMAT_NATIVE);
  const auto recorded = make_list();
  record_scale(recorded, make_kernel(module, "scale"));
  record_add(recorded, make_kernel(module, "add"));
  check(ZE(zeCommandListClose)(recorded), "zeCommandListClose");
  const auto queue = make_queue();
  wait_for("ZE_LAUNCH");
  for (uint64_t i = 0; i < times; ++i) submit(queue, recorded);
}

// Appends `scale` in two sizes, which differ in their groups alone.
void append_sizes(ze_command_list_handle_t list, ze_kernel_handle_t kernel) {
  constexpr ze_group_count_t kGroups{4, 2, 1};
  constexpr uint32_t kSizes[][3] = {{16, 16, 1}, {2, 4, 3}};
  for (const auto& [x, y, z] : kSizes) {
    check(ZE(zeKernelSetGroupSize)(kernel, x, y, z), "zeKernelSetGroupSize");
    check(ZE(zeCommandListAppendLaunchKernel)(list, kernel, &kGroups, nullptr, 0, nullptr),
          "zeCommandListAppendLaunchKernel");
  }
}

void sizes(bool in_list, uint64_t times) {
  const auto kernel = make_kernel(make_module("scale\n", ZE_MODULE_FORMAT_NATIVE), "scale");
  const auto target = in_list ? make_list() : make_immediate();
  for (uint64_t i = 0; i < times && !in_list; ++i) append_sizes(target, kernel);
  if (!in_list) return;
  append_sizes(target, kernel);
  check(ZE(zeCommandListClose)(target), "zeCommandListClose");
  const auto queue = make_queue();
  for (uint64_t i = 0; i < times; ++i) submit(queue, target);
}

void forget() {
  const auto module = make_module("scale\nadd\n", ZE_MODULE_FORMAT_NATIVE);
  const auto scale = make_kernel(module, "scale"), add = make_kernel(module, "add");
  const auto queue = make_queue();
  auto recorded = make_list();
  record_scale(recorded, scale);
  check(ZE(zeCommandListReset)(recorded), "zeCommandListReset");
  submit(queue, recorded);
  record_scale(recorded, scale);
  const auto* before = recorded;
  check(ZE(zeCommandListDestroy)(recorded), "zeCommandListDestroy");
  recorded = make_list();
  if (recorded != before) std::puts("another handle");
  record_add(recorded, add);
  submit(queue, recorded);
}

void reload(uint64_t times) {
  const auto list = make_immediate();
  for (uint64_t i = 0; i < times; ++i) {
    const std::string name = "kernel_" + std::to_string(i);
    const auto module = make_module(name + "\n", ZE_MODULE_FORMAT_NATIVE);
    const auto kernel = make_kernel(module, name.c_str());
    append(list, kernel);
    check(ZE(zeKernelDestroy)(kernel), "zeKernelDestroy");
    check(ZE(zeModuleDestroy)(module), "zeModuleDestroy");
  }
}

// The compiler must not inline it on one day, and not on another.
[[gnu::noinline]] void heap(uint64_t count) {
  std::string names;
  for (uint64_t i = 0; i < count; ++i)
    names += "kernel_" + std::to_string(i) + "\nagain_" + std::to_string(i) + "\n";
  const auto module = make_module(names, ZE_MODULE_FORMAT_NATIVE);
  // lives to the end: an attached recorder may look a little later
  static std::vector<ze_kernel_handle_t> kernels(count + 1);
  std::vector<ze_kernel_handle_t> again;
  ze_kernel_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  const auto make = [&](const std::string& name, ze_kernel_handle_t* kernel) {
    description.pKernelName = name.c_str();
    check(ZE(zeKernelCreate)(module, &description, kernel), "zeKernelCreate");
  };
  for (uint64_t i = 0; i < count; ++i) make("kernel_" + std::to_string(i), &kernels[i]);
  for (uint64_t i = 0; i < count; ++i) {
    make("again_" + std::to_string(i), &kernels[count]);
    again.push_back(kernels[count]);
  }
  const auto list = make_immediate();
  for (uint64_t i = 0; i < count; ++i) {
    run_once(list, kernels[i]);
    run_once(list, again[i]);
  }
}

void functions() {
  const auto module = make_module("scale\nadd\n", ZE_MODULE_FORMAT_NATIVE);
  auto scale = make_kernel(module, "scale"), add = make_kernel(module, "add");
  ze_kernel_handle_t both[] = {scale, add};
  const auto list = make_immediate();
  append(list, scale);
  check(ZE(zeCommandListAppendLaunchCooperativeKernel)(list, scale, &kOne, nullptr, 0, nullptr),
        "zeCommandListAppendLaunchCooperativeKernel");
  check(ZE(zeCommandListAppendLaunchKernelIndirect)(list, scale, &kOne, nullptr, 0, nullptr),
        "zeCommandListAppendLaunchKernelIndirect");
  const uint32_t used = 2;
  check(ZE(zeCommandListAppendLaunchMultipleKernelsIndirect)(list, 2, both, &used, &kOne, nullptr,
                                                             0, nullptr),
        "zeCommandListAppendLaunchMultipleKernelsIndirect");
}

template <typename... Arguments>
void call_newer(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<ze_result_t (*)(Arguments...)>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) {
    std::printf("no %s\n", name);
    std::exit(1);
  }
  check(function(arguments...), name);
}

void newer() {
  struct Groups {
    uint32_t x, y, z;
  };
  const auto scale = make_kernel(make_module("scale\n", ZE_MODULE_FORMAT_NATIVE), "scale");
  const auto immediate = make_immediate();
  const void* none = nullptr;
  void** no_arguments = nullptr;
  ze_event_handle_t no_event = nullptr;
  ze_event_handle_t* no_events = nullptr;
  call_newer("zeCommandListAppendLaunchKernelWithParameters", immediate, scale, &kOne, none,
             no_event, 0u, no_events);
  call_newer("zeCommandListAppendLaunchKernelWithArguments", immediate, scale, Groups{1, 2, 3},
             Groups{4, 5, 6}, no_arguments, none, no_event, 0u, no_events);
  auto list = make_list();
  record_scale(list, scale);
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  call_newer("zeCommandListImmediateAppendCommandListsExp", immediate, 1u, &list, no_event, 0u,
             no_events);
  ze_command_list_handle_t clone = nullptr;
  call_newer("zeCommandListCreateCloneExp", list, &clone);
  check(ZE(zeCommandListDestroy)(list), "zeCommandListDestroy");
  submit(make_queue(), clone);
}

void newer_copies() {
  std::vector<int> from(100), to(100);
  int value = 7;
  const void* none = nullptr;
  ze_event_handle_t no_event = nullptr;
  ze_event_handle_t* no_events = nullptr;
  const auto list = make_immediate();
  call_newer("zeCommandListAppendMemoryFillWithParameters", list, from.data(), &value, sizeof value,
             size_t{200}, none, no_event, 0u, no_events);
  call_newer("zeCommandListAppendMemoryCopyWithParameters", list, to.data(), from.data(),
             size_t{100}, none, no_event, 0u, no_events);
  std::printf("%d %d %d\n", from[49], to[24], to[25]);
}

void copies(uint64_t times) {
  std::vector<int> from(100), to(100);
  const auto list = make_immediate();
  for (uint64_t i = 0; i < times; ++i) {
    run_fill(list, from, static_cast<int>(i) + 1);
    for (int part = 0; part < 3; ++part) run_copy(list, from, to, 25);
  }
  usleep(static_cast<unsigned>(times) *
         1000);  // as long as the device works; nothing signals its end
  const auto recorded = make_list();
  run_copy(recorded, from, to, 50);
  check(ZE(zeCommandListClose)(recorded), "zeCommandListClose");
  const auto queue = make_queue();
  for (uint64_t i = 0; i < times; ++i) submit(queue, recorded);
  ze_command_queue_desc_t description = queue_description();
  description.ordinal = 1;
  ze_command_list_handle_t engine = nullptr;
  check(ZE(zeCommandListCreateImmediate)(context, device, &description, &engine),
        "zeCommandListCreateImmediate");
  for (uint64_t i = 0; i < times; ++i) run_copy(engine, from, to, 75);
  std::printf("%d %d %d\n", to[0], to[74], to[75]);
}

void forks(uint64_t times) {
  const auto kernel = make_kernel(make_module("iterate\n", ZE_MODULE_FORMAT_NATIVE), "iterate");
  const auto list = make_immediate();
  run_once(list, kernel);
  std::fflush(stdout);
  const pid_t child = fork();
  for (uint64_t i = 1; i < times; ++i) run_once(list, kernel);
  if (child == 0) {
    run_once(list, kernel);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(1);
}

void fails() {
  const auto module = make_module("scale\nfails\n", ZE_MODULE_FORMAT_NATIVE);
  const auto bad = make_kernel(module, "fails");
  const auto list = make_immediate();
  run_once(list, make_kernel(module, "scale"));
  std::printf("0x%x\n", static_cast<unsigned>(ZE(zeCommandListAppendLaunchKernel)(
                            list, bad, &kOne, nullptr, 0, nullptr)));
  const auto recorded = make_list();
  std::printf("0x%x\n", static_cast<unsigned>(ZE(zeCommandListAppendLaunchKernel)(
                            recorded, bad, &kOne, nullptr, 0, nullptr)));
  submit(make_queue(), recorded);
}

void cost(uint64_t launches) {
  const auto kernel = make_kernel(make_module("iterate\n", ZE_MODULE_FORMAT_NATIVE), "iterate");
  const auto list = make_immediate();
  const auto function = ZE(zeCommandListAppendLaunchKernel);
  constexpr uint64_t kBatch = 1000;
  std::vector<double> batches;
  batches.reserve(launches / kBatch);
  uint64_t before = 0;
  for (uint64_t done = 0; done < launches; done += kBatch) {
    // by now every page of the ring has been touched
    if (done >= launches / 2 && before == 0) before = private_kilobytes();
    const uint64_t begin = now_ns();
    for (uint64_t i = 0; i < kBatch; ++i) function(list, kernel, &kOne, nullptr, 0, nullptr);
    batches.push_back(static_cast<double>(now_ns() - begin) / kBatch);
    usleep(200);  // part of the workload: the recorder empties the ring meanwhile
  }
  const uint64_t after = private_kilobytes();
  std::sort(batches.begin(), batches.end());
  std::printf("%.0f ns a launch, median; %lld KB more in the second half\n",
              batches[batches.size() / 2],
              static_cast<long long>(after) - static_cast<long long>(before));
}

ze_event_pool_handle_t make_pool(ze_event_pool_flags_t flags) {
  ze_event_pool_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  description.flags = flags;
  description.count = 1;
  ze_event_pool_handle_t pool = nullptr;
  check(ZE(zeEventPoolCreate)(context, &description, 0, nullptr, &pool), "zeEventPoolCreate");
  return pool;
}

ze_event_handle_t make_event(ze_event_pool_handle_t pool) {
  ze_event_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  ze_event_handle_t event = nullptr;
  check(ZE(zeEventCreate)(pool, &description, &event), "zeEventCreate");
  return event;
}

// Added in version 1.9; printed if the loader has it.
void print_flags(const char* name, ze_event_pool_handle_t pool) {
  using GetFlags = ze_result_t (*)(ze_event_pool_handle_t, ze_event_pool_flags_t*);
  const auto get = reinterpret_cast<GetFlags>(dlsym(RTLD_DEFAULT, "zeEventPoolGetFlags"));
  ze_event_pool_flags_t flags = 0;
  if (get != nullptr && get(pool, &flags) == ZE_RESULT_SUCCESS)
    std::printf("%s: flags %x\n", name, flags);
}

void wait_for(ze_event_handle_t event) {
  check(ZE(zeEventHostSynchronize)(event, UINT64_MAX), "zeEventHostSynchronize");
  check(ZE(zeEventHostReset)(event), "zeEventHostReset");
}

void timed(uint64_t rounds) {
  const auto kernel =
      make_kernel(make_module("work_300us\n", ZE_MODULE_FORMAT_NATIVE), "work_300us");
  const auto list = make_immediate();
  const auto stamped_pool =
      make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
  const auto visible_pool = make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
  const auto unseen_pool = make_pool(0);
  const auto stamped = make_event(stamped_pool), visible = make_event(visible_pool);
  const auto unseen = make_event(unseen_pool), last = make_event(visible_pool);
  const auto reset = make_event(visible_pool);
  check(ZE(zeCommandListAppendEventReset)(list, reset), "zeCommandListAppendEventReset");
  for (uint64_t i = 0; i < rounds; ++i) {
    run_plain(list, kernel);
    run_stamped(list, kernel, stamped);
    run_visible(list, kernel, visible);
    run_unseen(list, kernel, unseen);
    check(ZE(zeCommandListAppendEventReset)(list, unseen), "zeCommandListAppendEventReset");
    run_reset(list, kernel, reset);
    wait_for(stamped);
    wait_for(visible);
    check(ZE(zeCommandListAppendEventReset)(list, reset), "zeCommandListAppendEventReset");
  }
  append_signaling(list, kernel, last);
  if (ZE(zeEventQueryStatus)(last) == ZE_RESULT_NOT_READY) std::puts("not ready");
  check(ZE(zeEventHostSynchronize)(last, UINT64_MAX), "zeEventHostSynchronize");
  if (ZE(zeEventQueryStatus)(last) == ZE_RESULT_SUCCESS) std::puts("ready");
  ze_kernel_timestamp_result_t times{};
  append_signaling(list, kernel, stamped);
  check(ZE(zeEventHostSynchronize)(stamped, UINT64_MAX), "zeEventHostSynchronize");
  check(ZE(zeEventQueryKernelTimestamp)(stamped, &times), "zeEventQueryKernelTimestamp");
  std::printf("%u ticks\n",
              static_cast<uint32_t>(times.global.kernelEnd - times.global.kernelStart));
  print_flags("stamped", stamped_pool);
  print_flags("visible", visible_pool);
  print_flags("unseen", unseen_pool);
  for (const auto event : {stamped, visible, unseen, last, reset})
    check(ZE(zeEventDestroy)(event), "zeEventDestroy");
  for (const auto pool : {stamped_pool, visible_pool, unseen_pool})
    check(ZE(zeEventPoolDestroy)(pool), "zeEventPoolDestroy");
  check(ZE(zeCommandListDestroy)(list), "zeCommandListDestroy");
}

void unreset(uint64_t launches) {
  const auto kernel =
      make_kernel(make_module("work_100us\n", ZE_MODULE_FORMAT_NATIVE), "work_100us");
  const auto list = make_immediate();
  const auto event = make_event(make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
  for (uint64_t i = 0; i < launches; ++i) {
    run_visible(list, kernel, event);
    check(ZE(zeEventHostSynchronize)(event, UINT64_MAX), "zeEventHostSynchronize");
  }
}

void ahead(uint64_t launches) {
  const auto kernel =
      make_kernel(make_module("work_100us\n", ZE_MODULE_FORMAT_NATIVE), "work_100us");
  const auto list = make_immediate();
  for (uint64_t i = 0; i < launches; ++i) run_plain(list, kernel);
  sleep(3);
  const auto event = make_event(make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
  append_signaling(list, kernel, event);
  wait_for(event);
}

void listed(uint64_t times) {
  const auto module = make_module("work_100us\nwork_300us\n", ZE_MODULE_FORMAT_NATIVE);
  const auto brief = make_kernel(module, "work_100us"), longer = make_kernel(module, "work_300us");
  const auto pool = make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
  const auto event = make_event(pool);
  const auto queue = make_queue();
  const auto list = make_list();
  run_plain(list, brief);
  run_visible(list, longer, event);
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  for (uint64_t i = 0; i < times; ++i) {
    submit(queue, list);
    check(ZE(zeEventHostReset)(event), "zeEventHostReset");
  }
  check(ZE(zeCommandListReset)(list), "zeCommandListReset");
  run_once(list, brief);
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  submit(queue, list);
  check(ZE(zeEventDestroy)(event), "zeEventDestroy");
  check(ZE(zeEventPoolDestroy)(pool), "zeEventPoolDestroy");
  check(ZE(zeCommandQueueDestroy)(queue), "zeCommandQueueDestroy");
  check(ZE(zeContextDestroy)(context), "zeContextDestroy");
  check(ZE(zeCommandListDestroy)(list), "zeCommandListDestroy");
}

// Graphs, since version 1.17: by the functions that drivers have handed out before, or the
// loader's.
struct GraphFunctions {
  using Graph = void*;
  using Executable = void*;
  explicit GraphFunctions(bool from_loader) : from_loader_(from_loader) {
    uint32_t count = 1;
    check(ZE(zeDriverGet)(&count, &driver_), "zeDriverGet");
  }
  [[nodiscard]] bool are_there() const { return find("zeCommandListAppendGraph") != nullptr; }
  // What a driver's function takes for a list: with several drivers the loader wraps handles.
  [[nodiscard]] ze_command_list_handle_t own(ze_command_list_handle_t list) const {
    void* translated = list;
    if (!from_loader_)
      check(ZE(zelLoaderTranslateHandle)(ZEL_HANDLE_COMMAND_LIST, list, &translated),
            "zelLoaderTranslateHandle");
    return static_cast<ze_command_list_handle_t>(translated);
  }
  void begin(ze_command_list_handle_t list) const {
    call<ze_result_t (*)(ze_command_list_handle_t, const void*)>("zeCommandListBeginGraphCapture",
                                                                 own(list), nullptr);
  }
  // Into a graph that is there before.
  void begin_into_new(ze_command_list_handle_t list) const {
    Graph graph = nullptr;
    call<ze_result_t (*)(ze_context_handle_t, Graph*, void*)>("zeGraphCreate", context, &graph,
                                                              nullptr);
    call<ze_result_t (*)(ze_command_list_handle_t, Graph, const void*)>(
        "zeCommandListBeginCaptureIntoGraph", own(list), graph, nullptr);
  }
  [[nodiscard]] Graph end(ze_command_list_handle_t list) const {
    Graph graph = nullptr;
    if (from_loader_)
      call<ze_result_t (*)(ze_command_list_handle_t, const void*, Graph*)>(
          "zeCommandListEndGraphCapture", list, nullptr, &graph);
    else
      call<ze_result_t (*)(ze_command_list_handle_t, Graph*, void*)>("zeCommandListEndGraphCapture",
                                                                     own(list), &graph, nullptr);
    return graph;
  }
  [[nodiscard]] Executable instantiate(Graph graph) const {
    Executable made = nullptr;
    if (from_loader_)
      call<ze_result_t (*)(Graph, const void*, Executable*)>("zeGraphInstantiate", graph, nullptr,
                                                             &made);
    else
      call<ze_result_t (*)(Graph, Executable*, void*)>("zeCommandListInstantiateGraph", graph,
                                                       &made, nullptr);
    return made;
  }
  [[nodiscard]] ze_result_t append(ze_command_list_handle_t list, Executable executable) const {
    using Append = ze_result_t (*)(ze_command_list_handle_t, Executable, const void*,
                                   ze_event_handle_t, uint32_t, ze_event_handle_t*);
    return reinterpret_cast<Append>(find("zeCommandListAppendGraph"))(own(list), executable,
                                                                      nullptr, nullptr, 0, nullptr);
  }
  void destroy(Graph graph) const { call<ze_result_t (*)(Graph)>("zeGraphDestroy", graph); }
  void destroy_executable(Executable executable) const {
    call<ze_result_t (*)(Executable)>("zeExecutableGraphDestroy", executable);
  }

 private:
  [[nodiscard]] void* find(const std::string& name) const {
    if (from_loader_) return dlsym(RTLD_DEFAULT, (name + "Ext").c_str());
    void* found = nullptr;
    ZE(zeDriverGetExtensionFunctionAddress)(driver_, (name + "Exp").c_str(), &found);
    return found;
  }
  template <typename Function, typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    check(reinterpret_cast<Function>(find(name))(arguments...), name);
  }

  bool from_loader_;
  ze_driver_handle_t driver_ = nullptr;
};

}  // namespace

[[gnu::noinline]] void replay(const GraphFunctions& graphs, ze_command_list_handle_t list,
                              GraphFunctions::Executable executable) {
  check(graphs.append(list, executable), "zeCommandListAppendGraph");
  asm volatile("");
}

namespace {

void graph(uint64_t times, bool from_loader, bool twice) {
  const GraphFunctions graphs(from_loader);
  if (!graphs.are_there()) {
    std::puts("no graphs");
    return;
  }
  const auto module = make_module("work_100us\nwork_300us\n", ZE_MODULE_FORMAT_NATIVE);
  const auto brief = make_kernel(module, "work_100us"), longer = make_kernel(module, "work_300us");
  const auto pool = make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE), inner = make_pool(0);
  const auto event = make_event(pool), forked = make_event(inner), joined = make_event(inner);
  const auto list = make_immediate(), second = make_immediate(), dropped = make_immediate();
  graphs.begin(dropped);
  run_once(dropped, brief);
  check(ZE(zeCommandListDestroy)(dropped), "zeCommandListDestroy");
  std::vector<int> filled(100);
  graphs.begin(list);
  run_plain(list, brief);
  run_fill(list, filled, 20);
  append_signaling(list, brief, forked);
  run_forked(second, longer, joined, forked);
  run_joined(list, brief, event, joined);
  auto* const captured = graphs.end(list);
  std::vector<GraphFunctions::Executable> executables;
  for (int i = 0; i < (twice ? 2 : 1); ++i) executables.push_back(graphs.instantiate(captured));
  // as frameworks do
  if (!twice) graphs.destroy(captured);
  wait_for("ZE_LAUNCH");
  for (uint64_t i = 0; i < times; ++i)
    for (auto* const executable : executables) {
      for (const auto used : {forked, joined})
        check(ZE(zeEventHostReset)(used), "zeEventHostReset");
      run_once(list, brief);
      replay(graphs, list, executable);
      wait_for(event);
    }
  append_signaling(list, brief, event);
  wait_for(event);
  for (auto* const executable : executables) graphs.destroy_executable(executable);
  if (twice) graphs.destroy(captured);
}

void graph_nested(uint64_t times) {
  const GraphFunctions graphs(false);
  const auto module = make_module("scale\nadd\nfails\nwork_100us\n", ZE_MODULE_FORMAT_NATIVE);
  const auto scale = make_kernel(module, "scale"), add = make_kernel(module, "add");
  const auto brief = make_kernel(module, "work_100us"), bad = make_kernel(module, "fails");
  const auto list = make_immediate(), other = make_immediate();
  const auto outside = make_event(make_pool(0));
  append_signaling(other, scale, outside);
  graphs.begin(list);
  record_add(list, add);
  // none of these is captured
  run_once(other, brief);
  run_joined(other, scale, nullptr, outside);
  auto waits_for = outside;
  if (ZE(zeCommandListAppendLaunchKernel)(other, bad, &kOne, nullptr, 1, &waits_for) ==
      ZE_RESULT_SUCCESS)
    std::puts("a bad launch is accepted");
  auto* const part = graphs.instantiate(graphs.end(list));
  const auto recorded = make_list();
  record_scale(recorded, scale);
  check(ZE(zeCommandListClose)(recorded), "zeCommandListClose");
  graphs.begin_into_new(list);
  record_scale(list, scale);
  replay(graphs, list, part);
  auto* const append_lists = reinterpret_cast<ze_result_t (*)(
      ze_command_list_handle_t, uint32_t, const ze_command_list_handle_t*, ze_event_handle_t,
      uint32_t, ze_event_handle_t*)>(
      dlsym(RTLD_DEFAULT, "zeCommandListImmediateAppendCommandListsExp"));
  if (append_lists != nullptr)
    check(append_lists(list, 1, &recorded, nullptr, 0, nullptr),
          "zeCommandListImmediateAppendCommandListsExp");
  auto* const whole = graphs.instantiate(graphs.end(list));
  for (uint64_t i = 0; i < times; ++i) replay(graphs, list, whole);
}

void graph_refused() {
  const GraphFunctions graphs(false);
  const auto list = make_immediate();
  graphs.begin(list);
  run_plain(list, make_kernel(make_module("refused\n", ZE_MODULE_FORMAT_NATIVE), "refused"));
  std::printf("0x%x\n",
              static_cast<unsigned>(graphs.append(list, graphs.instantiate(graphs.end(list)))));
}

void list_ahead(uint64_t times) {
  const auto queue = make_queue();
  const auto list = make_list();
  run_plain(list, make_kernel(make_module("work_100us\n", ZE_MODULE_FORMAT_NATIVE), "work_100us"));
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  for (uint64_t i = 0; i < times; ++i) submit_ahead(queue, list);
  check(ZE(zeCommandQueueSynchronize)(queue, UINT64_MAX), "zeCommandQueueSynchronize");
}

void run(const std::string& name) {
  run_plain(make_immediate(),
            make_kernel(make_module(name + "\n", ZE_MODULE_FORMAT_NATIVE), name.c_str()));
}

void threads(uint64_t launches) {
  const auto kernel = make_kernel(make_module("iterate\n", ZE_MODULE_FORMAT_NATIVE), "iterate");
  std::vector<std::thread> running;
  for (int i = 0; i < 8; ++i)
    running.emplace_back([&] {
      const auto list = make_immediate();
      const auto event = make_event(make_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE));
      for (uint64_t j = 0; j < launches; j += 2) {
        run_plain(list, kernel);
        run_visible(list, kernel, event);
        wait_for(event);
      }
      check(ZE(zeCommandListDestroy)(list), "zeCommandListDestroy");
    });
  for (std::thread& one : running) one.join();
}

void refused() {
  const auto list = make_list();
  run_plain(list, make_kernel(make_module("refused\n", ZE_MODULE_FORMAT_NATIVE), "refused"));
  auto executed = list;
  std::printf("0x%x\n", static_cast<unsigned>(ZE(zeCommandQueueExecuteCommandLists)(
                            make_queue(), 1, &executed, nullptr)));
}

void contexts(uint64_t times) {
  uint32_t count = 1;
  ze_driver_handle_t driver = nullptr;
  check(ZE(zeDriverGet)(&count, &driver), "zeDriverGet");
  for (uint64_t i = 0; i < times; ++i) {
    ze_context_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    check(ZE(zeContextCreate)(driver, &description, &context), "zeContextCreate");
    const auto module = make_module("work_100us\n", ZE_MODULE_FORMAT_NATIVE);
    const auto kernel = make_kernel(module, "work_100us");
    const auto list = make_immediate();
    run_plain(list, kernel);
    usleep(200);
    check(ZE(zeCommandListDestroy)(list), "zeCommandListDestroy");
    check(ZE(zeKernelDestroy)(kernel), "zeKernelDestroy");
    check(ZE(zeModuleDestroy)(module), "zeModuleDestroy");
    check(ZE(zeContextDestroy)(context), "zeContextDestroy");
  }
}

void launch_on(ze_device_handle_t one) {
  static int number = 0;
  const std::string name = "on_" + std::to_string(number++);
  device = one;
  const auto list = make_immediate();
  append(list, make_kernel(make_module(name + "\n", ZE_MODULE_FORMAT_NATIVE), name.c_str()));
}

void devices() {
  uint32_t count = 1;
  ze_driver_handle_t driver = nullptr;
  check(ZE(zeDriverGet)(&count, &driver), "zeDriverGet");
  count = 16;
  ze_device_handle_t roots[16], parts[16];
  check(ZE(zeDeviceGet)(driver, &count, roots), "zeDeviceGet");
  for (uint32_t i = 0; i < count; ++i) {
    launch_on(roots[i]);
    uint32_t part_count = 16;
    check(ZE(zeDeviceGetSubDevices)(roots[i], &part_count, parts), "zeDeviceGetSubDevices");
    for (uint32_t j = 0; j < part_count; ++j) launch_on(parts[j]);
  }
}

void files(const char* basic, const char* local, const char* tiled, uint64_t times, bool now) {
  const auto list = now ? make_immediate() : make_list();
  run_basic(list, kernel_of(basic));
  run_local(list, kernel_of(local));
  run_tiled(list, kernel_of(tiled));
  if (now) return;
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  const auto queue = make_queue();
  for (uint64_t i = 0; i < times; ++i) submit(queue, list);
}

uint32_t* shared_memory(size_t entries) {
  ze_device_mem_alloc_desc_t on_device{};
  on_device.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  ze_host_mem_alloc_desc_t on_host{};
  on_host.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  void* made = nullptr;
  check(ZE(zeMemAllocShared)(context, &on_device, &on_host, entries * sizeof(uint32_t), 64, device,
                             &made),
        "zeMemAllocShared");
  return static_cast<uint32_t*>(made);
}

}  // namespace

// Functions that are distinct in a profile.

[[gnu::noinline]] void hold_weights(demo::PlantedMemory& planted) {
  ze_device_mem_alloc_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  void* made = nullptr;
  check(ZE(zeMemAllocDevice)(context, &description, demo::kWeights, 64, device, &made),
        "zeMemAllocDevice");
  planted.allocated(demo::kWeights);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void leak_shared(demo::PlantedMemory& planted) {
  shared_memory(16384);
  planted.allocated(65536);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void have_a_peak(demo::PlantedMemory& planted) {
  ze_device_mem_alloc_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  ze_host_mem_alloc_desc_t on_host{};
  on_host.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  void *made = nullptr, *of_host = nullptr;
  check(ZE(zeMemAllocDevice)(context, &description, demo::kPeak, 64, device, &made),
        "zeMemAllocDevice");
  planted.allocated(demo::kPeak);
  check(ZE(zeMemAllocHost)(context, &on_host, 4096, 64, &of_host), "zeMemAllocHost");
  check(ZE(zeMemFree)(context, of_host), "zeMemFree");
  check(ZE(zeMemFree)(context, made), "zeMemFree");
  planted.freed(demo::kPeak);
  if (ZE(zeMemAllocDevice)(context, &description, 0, 64, device, &made) == ZE_RESULT_SUCCESS)
    std::exit(1);
  asm volatile("" ::: "memory");
}

namespace {

void plant_memory(uint64_t times) {
  demo::PlantedMemory planted;
  hold_weights(planted);
  for (uint64_t i = 0; i < times; ++i) {
    if (i == times / 2) have_a_peak(planted);
    leak_shared(planted);
  }
  planted.print();
}

void hot(const char* path, unsigned bits, double seconds) {
  const auto kernel = kernel_of(path);
  check(ZE(zeKernelSetGroupSize)(kernel, 32, 1, 1), "zeKernelSetGroupSize");
  uint32_t* table = shared_memory(size_t{1} << bits);
  demo::fill_hot_table(table, 1u << bits);
  uint32_t* out = shared_memory(demo::kHotItems);
  const uint32_t steps = demo::kHotSteps;
  const auto set = [&](uint32_t index, size_t bytes, const void* value) {
    check(ZE(zeKernelSetArgumentValue)(kernel, index, bytes, value), "zeKernelSetArgumentValue");
  };
  set(0, sizeof table, &table);
  set(1, sizeof out, &out);
  set(2, sizeof steps, &steps);
  const auto list = make_list();
  run_hot(list, kernel);
  check(ZE(zeCommandListClose)(list), "zeCommandListClose");
  const auto queue = make_queue();
  const uint64_t end = now_ns() + static_cast<uint64_t>(seconds * 1e9);
  do {
    submit(queue, list);
  } while (now_ns() < end);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const uint64_t n = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  start();
  if (mode == "immediate" || (mode == "shared" && argc > 3))
    immediate(mode == "shared" ? argv[2] : nullptr,
              mode == "immediate" && argc > 3 ? argv[3] : "iterate",
              mode == "shared" ? std::strtoull(argv[3], nullptr, 10) : n);
  else if (mode == "ranges")
    ranges(n);
  else if (mode == "list")
    list(n);
  else if (mode == "memory")
    plant_memory(n);
  else if (mode == "sizes-immediate")
    sizes(false, n);
  else if (mode == "sizes-list")
    sizes(true, n);
  else if (mode == "forget")
    forget();
  else if (mode == "reload")
    reload(n);
  else if (mode == "heap")
    heap(n);
  else if (mode == "functions")
    functions();
  else if (mode == "newer")
    newer();
  else if (mode == "newer-copies")
    newer_copies();
  else if (mode == "copies")
    copies(n);
  else if (mode == "fork")
    forks(n);
  else if (mode == "fails")
    fails();
  else if (mode == "cost")
    deeper(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0, cost, n);
  else if (mode == "timed")
    timed(n);
  else if (mode == "listed")
    listed(n);
  else if (mode == "graph")
    graph(n, argc > 3 && std::strcmp(argv[3], "ext") == 0, false);
  else if (mode == "graph-twice")
    graph(n, false, true);
  else if (mode == "graph-nested")
    graph_nested(n);
  else if (mode == "graph-refused")
    graph_refused();
  else if (mode == "list-ahead")
    list_ahead(n);
  else if (mode == "refused")
    refused();
  else if (mode == "run" && argc > 2)
    run(argv[2]);
  else if (mode == "threads")
    threads(n);
  else if (mode == "unreset")
    unreset(n);
  else if (mode == "ahead")
    ahead(n);
  else if (mode == "contexts")
    contexts(n);
  else if (mode == "devices")
    devices();
  else if ((mode == "files" || mode == "files-now") && argc > 4)
    files(argv[2], argv[3], argv[4], argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1,
          mode == "files-now");
  else if (mode == "hot" && argc > 4)
    hot(argv[2], static_cast<unsigned>(std::strtoull(argv[3], nullptr, 10)),
        std::strtod(argv[4], nullptr));
  else
    return 2;
  std::puts("done");
  std::fflush(stdout);
  wait_for("ZE_LAUNCHED");
  return 0;
}
