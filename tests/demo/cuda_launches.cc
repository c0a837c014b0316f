// SPDX-License-Identifier: MIT
// A CUDA program that calls functions of the driver and of the runtime, for machines without a GPU:
// it runs on the stand-in of tests/fakes/cupti, on cubins that nvcc has made.
//
//   cuda_launches MODE COUNT ONE.cubin [OTHER.cubin]
//   cuda_launches cost|cost_in_ranges COUNT ONE.cubin FRAMES
#include <cupti_runtime_cbid.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/demo/cuda_subscriber.h"
#include "tests/fakes/cupti/cuda_runtime.h"

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

CUmodule load(const std::string& cubin) {
  CUmodule module = nullptr;
  fake_module_load(&module, cubin.data(), cubin.size());
  return module;
}

CUfunction function(CUmodule module, const char* name) {
  CUfunction found = nullptr;
  if (cuModuleGetFunction(&found, module, name) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no function %s\n", name);
    std::exit(1);
  }
  return found;
}

// Not inlined, and with code after the call, so that a flame graph tells the callers apart.
[[gnu::noinline]] int run_once(CUfunction kernel, unsigned microseconds) {
  const int result = __cudaLaunchKernel(kernel, microseconds);
  asm volatile("" ::: "memory");
  return result;
}
[[gnu::noinline]] int run_other(CUfunction kernel, unsigned microseconds) {
  const int result = __cudaLaunchKernel(kernel, microseconds);
  asm volatile("# other" ::: "memory");  // else the compiler merges the two functions
  return result;
}
[[gnu::noinline]] int run_thrice(CUfunction kernel, unsigned microseconds) {
  int result = 0;
  for (int i = 0; i < 3; ++i) result |= __cudaLaunchKernel(kernel, microseconds);
  asm volatile("" ::: "memory");
  return result;
}
[[gnu::noinline]] int launch_graph(CUgraphExec graph) {
  const int result = cudaGraphLaunch(graph);
  asm volatile("" ::: "memory");
  return result;
}

[[gnu::noinline]] int launch_other_graph(CUgraphExec graph) {
  const int result = cudaGraphLaunch(graph);
  asm volatile("# other" ::: "memory");
  return result;
}

// Not inlined, as run_once().
[[gnu::noinline]] void upload(uint64_t bytes) {
  fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000, "cudaMemcpyAsync", 1, 2, 3,
                    bytes, false);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void fill(uint64_t bytes) {
  fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, "cudaMemsetAsync", 0, 0, 0,
                    bytes, false);
  asm volatile("" ::: "memory");
}

// Copies and fills of each kind, and a copy of nothing.
void copies(CUmodule module, int count) {
  for (int i = 0; i < count; ++i) {
    upload(2000000);
    fill(1000);
    run_once(function(module, "scale"), 100);
    fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, "cudaMemcpy", 2, 3, 1, 100000,
                      true);
    upload(0);
  }
  cuCtxSynchronize();
}

void launches(CUmodule module, int count) {
  for (int i = 0; i < count; ++i) {
    run_once(function(module, "scale"), 100);
    run_thrice(function(module, "scale"), 100);
    run_once(function(module, "_Z3addPfPKf"), 200);
  }
  cuCtxSynchronize();
}

// Calls each function that launches once. The _ptsz ones use a default stream per thread.
void functions(CUmodule module) {
  CUfunction scale = function(module, "scale");
  __cudaLaunchKernel(scale, 10);
  __cudaLaunchKernel_ptsz(scale, 10);
  cudaLaunchKernel(scale, 10);
  cudaLaunchKernelExC(scale, 10);
  cudaLaunchCooperativeKernel(scale, 10);
  cuLaunchKernel(scale, 10, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  cuLaunchKernel_ptsz(scale, 10, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  CUlaunchConfig config{};
  config.gridDimX = 10;
  cuLaunchKernelEx(&config, scale, nullptr, nullptr);
  cuLaunchCooperativeKernel(scale, 10, 1, 1, 1, 1, 1, 0, nullptr, nullptr);
  cuCtxSynchronize();
}

CUDA_KERNEL_NODE_PARAMS node_params(CUfunction kernel, unsigned microseconds) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = kernel;
  params.gridDimX = microseconds;
  return params;
}

CUgraphNode add(CUgraph graph, CUfunction kernel, unsigned microseconds) {
  const CUDA_KERNEL_NODE_PARAMS params = node_params(kernel, microseconds);
  CUgraphNode node = nullptr;
  cuGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  return node;
}

CUgraph new_graph() {
  return static_cast<CUgraph>(fake_graph_create());
}

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec made = nullptr;
  cuGraphInstantiate(&made, graph, 0);
  return made;
}

void graphs(CUmodule module, int count) {
  CUgraph graph = new_graph();
  add(graph, function(module, "scale"), 100);
  add(graph, function(module, "_Z3addPfPKf"), 200);
  add(graph, function(module, "scale"), 100);
  CUgraphExec made = instantiate(graph);
  for (int i = 0; i < count; ++i) launch_graph(made);
  cuCtxSynchronize();
}

int host_calls = 0;
void CUDA_CB count_host_call(void*) {
  ++host_calls;
}

// A graph of copies, a fill and a function of the host, with a child graph, and a conditional node,
// whose body runs twice in each of COUNT launches.
void nested(CUmodule module, int count) {
  CUgraph graph = new_graph(), child = new_graph();
  CUfunction scale = function(module, "scale"), add_vectors = function(module, "_Z3addPfPKf");
  CUgraphNode node = nullptr;
  fake_capture(child);
  run_once(scale, 100);
  run_other(add_vectors, 200);
  fake_capture(graph);
  upload(2000000);
  fill(1000);
  cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child);
  fake_capture(fake_conditional(graph, 2));
  run_thrice(scale, 100);
  fake_capture(nullptr);
  CUDA_MEMCPY3D inside{};
  inside.WidthInBytes = 5000;
  inside.Height = inside.Depth = 1;
  cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &inside, nullptr);
  const CUDA_HOST_NODE_PARAMS host{count_host_call, nullptr};
  cuGraphAddHostNode(&node, graph, nullptr, 0, &host);
  CUgraphExec made = instantiate(graph);
  for (int i = 0; i < count; ++i) launch_graph(made);
  cuCtxSynchronize();
  std::printf("%d host calls\n", host_calls);
}

// Not inlined, as run_once().
[[gnu::noinline]] void notify() {
  fake_host_function(count_host_call, nullptr);
  asm volatile("" ::: "memory");
}

// In each of COUNT rounds: a graph of a kernel, a function of the host that was captured, and one
// that was added; then a function of the host between kernels.
void host_functions(CUmodule module, int count) {
  CUfunction scale = function(module, "scale");
  CUgraph graph = new_graph();
  fake_capture(graph);
  run_once(scale, 100);
  notify();
  fake_capture(nullptr);
  CUgraphNode node = nullptr;
  const CUDA_HOST_NODE_PARAMS host{count_host_call, nullptr};
  cuGraphAddHostNode(&node, graph, nullptr, 0, &host);
  CUgraphExec made = instantiate(graph);
  for (int i = 0; i < count; ++i) {
    launch_graph(made);
    run_other(scale, 100);
    notify();
    run_other(scale, 100);
  }
  cuCtxSynchronize();
  std::printf("%d host calls\n", host_calls);
}

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// A graph of COUNT captured launches, which is launched three times. Prints the processor time of a
// node.
void many_nodes(CUfunction kernel, int count) {
  CUgraph graph = new_graph();
  fake_capture(graph);
  const double begin = processor_ns();
  for (int i = 0; i < count; ++i) run_once(kernel, 1);
  const double captured = processor_ns();
  fake_capture(nullptr);
  CUgraphExec made = instantiate(graph);
  std::printf("%.0f ns to capture a node, %.0f to clone it\n", (captured - begin) / count,
              (processor_ns() - captured) / count);
  for (int i = 0; i < 3; ++i) {
    launch_graph(made);
    cuCtxSynchronize();
  }
}

void reload(const std::string& one, const std::string& other, int count) {
  for (int i = 0; i < count; ++i) {
    CUmodule module = load(i % 2 == 0 ? one : other);
    run_once(function(module, "scale"), 1000);
    cuCtxSynchronize();
    cuModuleUnload(module);
    wait_until_cupti_was_read();
  }
}

// Launches kernels of 300 ms each.
void slow(const std::string& cubin, int count) {
  CUfunction kernel = function(load(cubin), "scale");
  for (int i = 0; i < count; ++i) run_once(kernel, 300000);
  cuCtxSynchronize();
}

// Launches kernels of 1 ms, so that some 20 always wait in the queue, and ends without a program's
// usual cleanup.
void busy(CUfunction kernel, int count) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    run_once(kernel, 1000);
    std::this_thread::sleep_until(begin + std::chrono::milliseconds(i - 20));
  }
  _exit(0);
}

// Launches on two devices from one call site.
void same_place(CUcontext context, const std::string& cubin, int count) {
  CUcontext other = nullptr;
  CUfunction first = function(load(cubin), "scale");
  fake_context_create(&other, 1);
  CUfunction second = function(load(cubin), "scale");
  for (int i = 0; i < 2 * count; ++i) {
    fake_context_set(i % 2 == 0 ? context : other);
    run_once(i % 2 == 0 ? first : second, 100);
  }
  cuCtxSynchronize();
  fake_context_set(context);
  cuCtxSynchronize();
}

// Destroys a context while another one works on.
void leaves(CUcontext context, const std::string& cubin, int count) {
  CUcontext other = nullptr;
  CUmodule first = load(cubin);
  fake_context_create(&other, 1);
  CUmodule second = load(cubin);
  for (int i = 0; i < count; ++i) run_once(function(second, "scale"), 100);
  cuCtxSynchronize();
  cuCtxDestroy(other);
  fake_context_set(context);
  for (int i = 0; i < count; ++i) run_once(function(first, "scale"), 100);
}

// Destroys a context in which kernels still run, and works on in another one.
void drops(CUcontext context, const std::string& cubin, int count) {
  CUcontext other = nullptr;
  CUfunction first = function(load(cubin), "scale");
  fake_context_create(&other, 1);
  CUfunction second = function(load(cubin), "scale");
  for (int i = 0; i < count; ++i) run_other(second, 100000);
  cuCtxDestroy(other);
  fake_context_set(context);
  for (int i = 0; i < count; ++i) run_once(first, 100);
  cuCtxSynchronize();
}

// Two contexts of one device, of which one is destroyed while the other works on.
void same_device(CUcontext context, const std::string& cubin, int count) {
  CUcontext other = nullptr;
  CUfunction first = function(load(cubin), "scale");
  fake_context_create(&other, 0);
  CUfunction second = function(load(cubin), "scale");
  for (int i = 0; i < count; ++i) {
    fake_context_set(context);
    run_once(first, 100);
    fake_context_set(other);
    run_once(second, 100);
  }
  cuCtxSynchronize();
  cuCtxDestroy(other);
  fake_context_set(context);
  cuCtxSynchronize();
  for (int i = 0; i < count; ++i) run_once(first, 100);
  cuCtxSynchronize();
}

// Loads modules at addresses where others were, one right after the other.
void churn(const std::string& one, const std::string& other, int count) {
  for (int i = 0; i < count; ++i) {
    CUmodule module = load(i % 2 == 0 ? one : other);
    run_once(function(module, "scale"), i % 2 == 0 ? 1000 : 3000);
    cuCtxSynchronize();
    cuModuleUnload(module);
  }
}

// Launches kernels of one name, from modules that are loaded at the same time.
void both(const std::string& one, const std::string& other) {
  CUmodule first = load(one), second = load(other);
  run_once(function(first, "scale"), 1000);
  run_once(function(second, "scale"), 3000);
  cuCtxSynchronize();
}

// Like both(), but many times, and each kernel from a function of its own.
void modules(const std::string& one, const std::string& other, int count) {
  CUfunction first = function(load(one), "scale"), second = function(load(other), "scale");
  for (int i = 0; i < count; ++i) {
    run_once(first, 100);
    run_other(second, 300);
  }
  cuCtxSynchronize();
}

CUfunction library_kernel(const std::vector<const std::string*>& cubins) {
  std::vector<const void*> images;
  std::vector<size_t> bytes;
  for (const std::string* one : cubins) {
    images.push_back(one->data());
    bytes.push_back(one->size());
  }
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  fake_library_load(&library, images.data(), bytes.data(), static_cast<unsigned>(images.size()));
  cuLibraryGetKernel(&kernel, library, "scale");
  return reinterpret_cast<CUfunction>(kernel);
}

// Like modules(), with libraries. With `both`, the first library has both modules.
void libraries(const std::string& one, const std::string& other, int count, bool both) {
  CUfunction first = both ? library_kernel({&one, &other}) : library_kernel({&one});
  CUfunction second = library_kernel({&other});
  for (int i = 0; i < count; ++i) {
    run_once(first, 100);
    run_other(second, 300);
  }
  cuCtxSynchronize();
}

// Like modules(), with a graph for each module; the kernels are added to it or captured.
void module_graphs(const std::string& one, const std::string& other, int count,
                   const std::string& how) {
  CUfunction first = function(load(one), "scale"), second = function(load(other), "scale");
  CUgraph graphs[] = {new_graph(), new_graph()};
  CUgraphNode node = nullptr;
  if (how == "captured-graphs") {
    fake_capture(graphs[0]);
    run_once(first, 100);
    fake_capture(graphs[1]);
    run_once(second, 300);
    fake_capture(nullptr);
  } else {
    node = add(graphs[0], first, 100);
    add(graphs[1], second, 300);
  }
  CUgraphExec made[] = {instantiate(graphs[0]), instantiate(graphs[1])};
  const CUDA_KERNEL_NODE_PARAMS longer = node_params(first, 200),
                                another = node_params(second, 100);
  CUgraphExecUpdateResultInfo info{};
  if (how == "longer-graphs") cuGraphExecKernelNodeSetParams(made[0], node, &longer);
  if (how == "changed-graphs") cuGraphExecKernelNodeSetParams(made[0], node, &another);
  if (how == "updated-graphs") cuGraphExecUpdate(made[0], graphs[1], &info);
  for (int i = 0; i < count; ++i) {
    launch_graph(made[0]);
    launch_other_graph(made[1]);
  }
  cuCtxSynchronize();
}

void fails(CUmodule module) {
  std::printf("%d\n", run_once(nullptr, 1));
  std::printf("%d\n", run_once(function(module, "scale"), 100));
  cuCtxSynchronize();
}

void threads(CUmodule module, int count) {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < count; ++i) run_once(function(module, "scale"), 10);
    });
  for (std::thread& one : all) one.join();
  cuCtxSynchronize();
}

void forks(CUmodule module) {
  run_once(function(module, "scale"), 100);
  const pid_t child = fork();
  if (child == 0) std::exit(0);  // with a program's usual cleanup
  waitpid(child, nullptr, 0);
  run_once(function(module, "scale"), 100);
  cuCtxSynchronize();
}

void ranges(CUmodule module, int count) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "layer 1");
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("forward");
    run_once(function(module, "scale"), 100);
    nvtxDomainRangePushEx(domain, &event);
    run_once(function(module, "_Z3addPfPKf"), 100);
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    run_once(function(module, "scale"), 100);
  }
  std::printf("%d %d\n", nvtxRangePushA("x"), nvtxRangePop());
  cuCtxSynchronize();
}

// Launches as fast as possible: measures what a launch costs its caller.
void cost(CUfunction kernel, int launches) {
  constexpr int kBatch = 1000;
  std::vector<double> batches;
  for (int done = 0; done < launches; done += kBatch) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) run_once(kernel, 0);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    batches.push_back(took.count() / kBatch);
    usleep(200);  // part of the workload: the recorder empties the ring meanwhile
  }
  std::sort(batches.begin(), batches.end());
  std::printf("%.0f ns a launch, median\n", batches.empty() ? 0 : batches[batches.size() / 2]);
}

// The same, `frames` callers deeper.
[[gnu::noinline]] void cost_below(int frames, CUfunction kernel, int launches) {
  if (frames > 0)
    cost_below(frames - 1, kernel, launches);
  else
    cost(kernel, launches);
  asm volatile("" ::: "memory");
}

void print_cupti_state() {
  const FakeCuptiState in_use = cupti_state();
  std::printf("sampled %u, activity %u, subscribers %u\n", in_use.sampled_contexts,
              in_use.activity_kinds, in_use.subscribers);
}

// Launches until the recording has ended and nothing of CUPTI is in use any more, for 20 seconds at
// most. Then it launches COUNT times on another device, while another profiler uses CUPTI.
void outlives(const std::string& cubin, int count) {
  CUfunction kernel = function(load(cubin), "scale");
  run_once(kernel, 100);
  print_cupti_state();
  std::printf("another is answered %d\n", subscribe_to_launches());
  const auto begin = std::chrono::steady_clock::now();
  for (FakeCuptiState in_use = cupti_state();
       in_use.sampled_contexts + in_use.activity_kinds + in_use.subscribers > 0 &&
       std::chrono::steady_clock::now() - begin < std::chrono::seconds(20);
       in_use = cupti_state()) {
    nvtxRangePushA("waits");
    run_once(kernel, 100);
    nvtxRangePop();
    usleep(1000);
  }
  print_cupti_state();
  std::printf("another is answered %d\n", subscribe_to_launches());
  CUcontext context = nullptr;
  fake_context_create(&context, 1);
  kernel = function(load(cubin), "scale");
  for (int i = 0; i < count; ++i)
    cuLaunchKernel(kernel, 10, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  cuCtxSynchronize();
  std::printf("and sees %d\n", calls_seen());
  print_cupti_state();
}

// Launches until the file `stop` is there, for recorders that come later. From when the file `load`
// is there it also launches from a module that it loads then.
void until_stopped(const std::string& first, const std::string& second) {
  CUmodule module = load(first), later = nullptr;
  run_once(function(module, "scale"), 100);
  std::printf("ready\n");
  std::fflush(stdout);
  while (access("stop", F_OK) != 0) {
    run_once(function(module, "scale"), 100);
    run_thrice(function(module, "_Z3addPfPKf"), 100);
    if (later == nullptr && access("load", F_OK) == 0) later = load(second);
    if (later != nullptr) run_other(function(later, "scale"), 100);
    cuCtxSynchronize();
    usleep(1000);
  }
  if (access("state", F_OK) != 0) return;
  wait_until_cupti_is_free();
  print_cupti_state();
}

// Launches once, and then waits for the end of the recording without another launch.
void idles(CUfunction kernel) {
  run_once(kernel, 100);
  print_cupti_state();
  wait_until_cupti_is_free();
  print_cupti_state();
}

// Two contexts on two devices, with the same code.
void devices(CUcontext context, const std::string& cubin, int count) {
  CUmodule first = load(cubin);
  CUcontext other = nullptr;
  fake_context_create(&other, 1);
  CUmodule second = load(cubin);
  for (int i = 0; i < count; ++i) {
    fake_context_set(context);
    run_once(function(first, "scale"), 100);
    fake_context_set(other);
    run_once(function(second, "scale"), 300);
  }
  cuCtxSynchronize();
  fake_context_set(context);
  cuCtxSynchronize();
  cuCtxDestroy(other);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string mode = argv[1], one = read_file(argv[3]);
  const int count = std::atoi(argv[2]);
  // another profiler, which comes before us or after
  const bool allows_others = mode.find("alone") == std::string::npos;
  const bool shares_first = mode == "shares-first" || mode == "alone-first";
  int answer = shares_first ? share_cupti(allows_others, true) : -1;
  cuInit(0);
  CUcontext context = nullptr;
  fake_context_create(&context, 0);
  if (mode == "devices") devices(context, one, count);
  if (mode == "same_device") same_device(context, one, count);
  if (mode == "reload") reload(one, read_file(argv[argc - 1]), count);
  if (mode == "libraries" || mode == "double-libraries")
    libraries(one, read_file(argv[argc - 1]), count, mode == "double-libraries");
  const bool has_graphs = mode.size() > 7 && mode.compare(mode.size() - 7, 7, "-graphs") == 0;
  if (has_graphs) module_graphs(one, read_file(argv[argc - 1]), count, mode);
  if (mode == "slow") slow(one, count);
  if (mode == "outlives") outlives(one, count);
  if (mode == "until-stopped") until_stopped(one, read_file(argv[argc - 1]));
  if (mode == "same-place") same_place(context, one, count);
  if (mode == "leaves") leaves(context, one, count);
  if (mode == "drops") drops(context, one, count);
  if (mode == "churn") churn(one, read_file(argv[argc - 1]), count);
  if (mode == "both") both(one, read_file(argv[argc - 1]));
  if (mode == "modules") modules(one, read_file(argv[argc - 1]), count);
  const bool has_own = mode == "both" || mode == "churn" || mode == "devices" || mode == "reload" ||
                       mode == "modules" || mode == "leaves" || mode == "drops" ||
                       mode == "libraries" || mode == "double-libraries" || mode == "slow" ||
                       mode == "same-place" || mode == "outlives" || mode == "until-stopped" ||
                       has_graphs;
  CUmodule module = has_own ? nullptr : load(one);
  const bool has_other = shares_first || mode == "shares" || mode == "alone";
  if (has_other && !shares_first) answer = share_cupti(allows_others, false);
  if (has_other)
    std::printf("the other is answered %d, one without sharing %d\n", answer,
                subscribe_to_launches());
  const bool has_kineto = mode == "kineto";
  if (has_kineto) {
    answer = subscribe_as_kineto();
    std::printf("the other is answered %d\n", answer);
  }
  if (has_other || has_kineto || mode == "launches") launches(module, count);
  if (has_other || has_kineto)
    std::printf("it sees %d calls, %d kernels\n", calls_seen(),
                kernels_seen(answer == 0 ? 5 * count : 0));
  if (mode == "functions") functions(module);
  if (mode == "copies") copies(module, count);
  if (mode == "graphs") graphs(module, count);
  if (mode == "nested") nested(module, count);
  if (mode == "host-functions") host_functions(module, count);
  if (mode == "many-nodes") many_nodes(function(module, "scale"), count);
  if (mode == "busy") busy(function(module, "scale"), count);
  if (mode == "idles") idles(function(module, "scale"));
  for (int i = 0; mode == "contexts" && i < count; ++i) fake_context_create(&context, 0);
  if (mode == "fails") fails(module);
  if (mode == "threads") threads(module, count);
  if (mode == "forks") forks(module);
  if (mode == "ranges") ranges(module, count);
  if (mode == "cost_in_ranges")
    for (const char* name : {"decode", "attend"}) nvtxRangePushA(name);
  if (mode == "cost" || mode == "cost_in_ranges")
    cost_below(std::atoi(argv[argc - 1]), function(module, "scale"), count);
  if (mode == "killed") {
    run_once(function(module, "scale"), 1000);
    wait_until_cupti_was_read();
    _exit(0);  // without a program's usual cleanup
  }
  std::printf("done\n");
  return 0;
}
