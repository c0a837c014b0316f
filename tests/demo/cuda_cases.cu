// SPDX-License-Identifier: MIT
// cuda_cases: what CUDA programs do that makes samples hard to attribute, on a real device; each
// case by itself:
//
//   $ cuda_cases CASE COUNT ONE.fatbin OTHER.fatbin
//   launches N
//
// Both files have a kernel `scale`, with different code (tests/demo/kernels.cu). COUNT is a number
// of rounds. The cases:
//
//   reload    a module is loaded, runs and is unloaded; then the other, often at the same address
//   both      both modules are loaded; the other's kernel has three times the work
//   graphs    three CUDA graphs: captured, made of nodes, and updated to another's nodes
//   threads   four threads launch, each on a stream of its own
//   contexts  a second context, which is destroyed while the first one works on
//   forks     a child, which does not use CUDA, begins and ends between launches
//   operations
//             a graph of a fill, a copy, a function of the host and a child graph with a kernel, and
//             functions of the host in a stream; how often each ran is printed, too
//
// An ordinary program: it knows nothing of the profiler that records it.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/demo/cuda_check.h"

namespace {

constexpr unsigned kBlocks = 264, kThreads = 256;  // some for each multiprocessor
constexpr int kWork = 2000;                        // turns of the kernels' loop

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": error " + std::to_string(result));
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

CUmodule load(const std::string& file) {
  CUmodule module = nullptr;
  check(cuModuleLoadData(&module, file.data()), "cuModuleLoadData");
  return module;
}

CUfunction scale_of(CUmodule module) {
  CUfunction found = nullptr;
  check(cuModuleGetFunction(&found, module, "scale"), "cuModuleGetFunction");
  return found;
}

CUdeviceptr numbers() {
  CUdeviceptr made = 0;
  check(cuMemAlloc(&made, kThreads * sizeof(float)), "cuMemAlloc");
  check(cuMemsetD32(made, 0, kThreads), "cuMemsetD32");
  return made;
}

uint64_t launches = 0;

void launch(CUfunction kernel, CUdeviceptr on, int work, CUstream stream = nullptr) {
  void* arguments[] = {&on, &work};
  check(cuLaunchKernel(kernel, kBlocks, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr),
        "cuLaunchKernel");
}

void synchronize() {
  check(cuCtxSynchronize(), "cuCtxSynchronize");
}

}  // namespace

// Not inlined, and with code after the call, so that a profile tells the callers apart.
[[gnu::noinline]] void run_one(CUfunction kernel, CUdeviceptr on, int work) {
  launch(kernel, on, work);
  ++launches;
}
[[gnu::noinline]] void run_other(CUfunction kernel, CUdeviceptr on, int work) {
  launch(kernel, on, work);
  launches += 1;
  asm volatile("# other" ::: "memory");  // else the compiler merges the two functions
}
[[gnu::noinline]] void fill(CUdeviceptr on, CUstream stream) {
  check(cuMemsetD32Async(on, 0, kThreads, stream), "cuMemsetD32Async");
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void copy(CUdeviceptr to, CUdeviceptr from, CUstream stream) {
  check(cuMemcpyDtoDAsync(to, from, kThreads * sizeof(float), stream), "cuMemcpyDtoDAsync");
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void notify(CUstream stream) {
  check(cuLaunchHostFunc(stream, [](void*) {}, nullptr), "cuLaunchHostFunc");
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void run_graph(CUgraphExec graph, unsigned kernels) {
  check(cuGraphLaunch(graph, nullptr), "cuGraphLaunch");
  launches += kernels;
}

namespace {

void reload(const std::string& one, const std::string& other, int count) {
  const CUdeviceptr on = numbers();
  for (int i = 0; i < count; ++i) {
    CUmodule module = load(one);
    run_one(scale_of(module), on, kWork);
    synchronize();
    check(cuModuleUnload(module), "cuModuleUnload");
    module = load(other);
    run_other(scale_of(module), on, 3 * kWork);
    synchronize();
    check(cuModuleUnload(module), "cuModuleUnload");
  }
}

void both(const std::string& one, const std::string& other, int count) {
  const CUdeviceptr on = numbers();
  CUfunction first = scale_of(load(one)), second = scale_of(load(other));
  for (int i = 0; i < count; ++i) {
    run_one(first, on, kWork);
    run_other(second, on, 3 * kWork);
  }
  synchronize();
}

CUgraphNode add_node(CUgraph graph, CUfunction kernel, CUdeviceptr* on, int* work) {
  void* arguments[] = {on, work};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel;
  node.gridDimX = kBlocks;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.blockDimX = kThreads;
  node.kernelParams = arguments;
  CUgraphNode made = nullptr;
  check(cuGraphAddKernelNode(&made, graph, nullptr, 0, &node), "cuGraphAddKernelNode");
  return made;
}

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec made = nullptr;
  check(cuGraphInstantiate(&made, graph, 0), "cuGraphInstantiate");
  return made;
}

void graphs(const std::string& one, const std::string& other, int count) {
  CUdeviceptr on = numbers();
  int work = kWork, more_work = 3 * kWork;
  CUfunction first = scale_of(load(one)), second = scale_of(load(other));
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  launch(first, on, work, stream);
  launch(first, on, work, stream);
  CUgraph captured = nullptr, of_nodes = nullptr, updated = nullptr;
  check(cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
  check(cuGraphCreate(&of_nodes, 0), "cuGraphCreate");
  add_node(of_nodes, second, &on, &more_work);
  check(cuGraphCreate(&updated, 0), "cuGraphCreate");
  add_node(updated, first, &on, &work);
  CUgraphExec runs[] = {instantiate(captured), instantiate(of_nodes), instantiate(updated)};
  CUgraphExecUpdateResultInfo info{};
  check(cuGraphExecUpdate(runs[2], of_nodes, &info), "cuGraphExecUpdate");
  for (int i = 0; i < count; ++i) {
    run_graph(runs[0], 2);
    run_graph(runs[1], 1);
    run_graph(runs[2], 1);
  }
  synchronize();
}

void threads(const std::string& one, int count) {
  constexpr int kThreadCount = 4;
  CUcontext context = nullptr;
  check(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  CUfunction kernel = scale_of(load(one));
  std::vector<CUdeviceptr> on;
  for (int t = 0; t < kThreadCount; ++t) on.push_back(numbers());
  std::vector<std::thread> all;
  for (int t = 0; t < kThreadCount; ++t)
    all.emplace_back([&, t] {
      cuCtxSetCurrent(context);
      CUstream stream = nullptr;
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
      for (int i = 0; i < count; ++i) launch(kernel, on[static_cast<size_t>(t)], kWork / 4, stream);
      cuStreamSynchronize(stream);
    });
  for (std::thread& each : all) each.join();
  launches += static_cast<uint64_t>(kThreadCount) * static_cast<uint64_t>(count);
  synchronize();
}

void contexts(const std::string& one, const std::string& other, int count) {
  CUcontext first = nullptr, second = nullptr;
  check(cuCtxGetCurrent(&first), "cuCtxGetCurrent");
  const CUdeviceptr on = numbers();
  CUfunction kernel = scale_of(load(one));
  CUdevice device = 0;
  check(cuCtxGetDevice(&device), "cuCtxGetDevice");
#if CUDA_VERSION >= 13000
  check(cuCtxCreate(&second, nullptr, 0, device), "cuCtxCreate");
#else
  check(cuCtxCreate(&second, 0, device), "cuCtxCreate");
#endif
  const CUdeviceptr on_second = numbers();
  CUfunction kernel_of_second = scale_of(load(other));
  for (int i = 0; i < count; ++i) {
    check(cuCtxSetCurrent(first), "cuCtxSetCurrent");
    run_one(kernel, on, kWork);
    check(cuCtxSetCurrent(second), "cuCtxSetCurrent");
    run_other(kernel_of_second, on_second, 3 * kWork);
  }
  synchronize();
  check(cuCtxDestroy(second), "cuCtxDestroy");
  check(cuCtxSetCurrent(first), "cuCtxSetCurrent");
  for (int i = 0; i < count; ++i) run_one(kernel, on, kWork);
  synchronize();
}

void forks(const std::string& one, int count) {
  const CUdeviceptr on = numbers();
  CUfunction kernel = scale_of(load(one));
  for (int i = 0; i < count; ++i) {
    run_one(kernel, on, kWork);
    if (i != count / 2) continue;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
  synchronize();
}

void operations(const std::string& one, int count) {
  CUdeviceptr on = numbers(), other = numbers();
  int work = kWork;
  CUfunction kernel = scale_of(load(one));
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  fill(on, stream);
  launch(kernel, on, work, stream);
  copy(other, on, stream);
  notify(stream);
  CUgraph captured = nullptr, child = nullptr;
  check(cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
  check(cuGraphCreate(&child, 0), "cuGraphCreate");
  add_node(child, kernel, &on, &work);
  CUgraphNode node = nullptr;
  check(cuGraphAddChildGraphNode(&node, captured, nullptr, 0, child), "cuGraphAddChildGraphNode");
  CUgraphExec exec = instantiate(captured);
  for (int i = 0; i < count; ++i) {
    run_graph(exec, 2);
    notify(nullptr);
  }
  synchronize();
  // numbers() fills, too
  std::printf("copies %d\nfills %d\nhost_functions %d\n", count, count + 2, 2 * count);
}

void run(const std::string& which, int count, const std::string& one, const std::string& other) {
  cuda::check(cudaFree(nullptr), "cudaFree");  // makes the primary context
  if (which == "reload")
    reload(one, other, count);
  else if (which == "both")
    both(one, other, count);
  else if (which == "graphs")
    graphs(one, other, count);
  else if (which == "threads")
    threads(one, count);
  else if (which == "contexts")
    contexts(one, other, count);
  else if (which == "forks")
    forks(one, count);
  else if (which == "operations")
    operations(one, count);
  else
    throw std::invalid_argument("there is no case '" + which + "'");
  std::printf("launches %ju\n", static_cast<uintmax_t>(launches));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: cuda_cases CASE COUNT ONE.fatbin OTHER.fatbin\n");
    return 2;
  }
  try {
    run(argv[1], std::atoi(argv[2]), read_file(argv[3]), read_file(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_cases: %s\n", error.what());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
