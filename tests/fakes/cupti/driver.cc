/* SPDX-License-Identifier: MIT */
// The driver: contexts, modules, launches, and the loading of injected libraries.
#include <dlfcn.h>
#include <elf.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "tests/fakes/cupti/fake_cuda.h"

namespace fake_cuda {
namespace {

std::mutex mutex;
std::atomic<uint32_t> next_correlation{1};
std::atomic<uint32_t> next_module{1};
thread_local uint32_t outermost = 0;
thread_local bool has_called = false;
std::atomic<unsigned> calls_inside{0};
// At most this many kernels wait; then a launch blocks until one of them ends.
constexpr size_t kQueue = 1024;
Context* current = nullptr;

std::atomic<uint64_t> next_node{1};
Graph* capturing = nullptr;
std::vector<Context*> contexts;
std::set<const void*> kernels;

template <typename T>
T read_at(const std::string& file, uint64_t offset) {
  T value{};
  if (offset + sizeof value <= file.size()) std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

// Finds the functions in a cubin's symbol table.
void find_functions(Module& module) {
  const auto header = read_at<Elf64_Ehdr>(module.bytes, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto table = read_at<Elf64_Shdr>(module.bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto strings =
        read_at<Elf64_Shdr>(module.bytes, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
    for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(module.bytes, table.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      const char* name = module.bytes.data() + strings.sh_offset + symbol.st_name;
      module.functions[name] = std::make_unique<Function>(Function{&module, name});
    }
  }
}

}  // namespace

uint64_t knob(const char* key, uint64_t otherwise) {
  // read once, so that measurements contain only the agent's cost
  static const char* const script = std::getenv("FAKE_CUPTI");
  if (script == nullptr) return otherwise;
  const std::string text = std::string(" ") + script + " ", wanted = std::string(" ") + key + "=";
  const size_t at = text.find(wanted);
  if (at == std::string::npos) return otherwise;
  return std::strtoull(text.c_str() + at + wanted.size(), nullptr, 0);
}

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_until(uint64_t time) {
  if (time <= now_ns()) return;
  const timespec until{static_cast<time_t>(time / 1000000000u),
                       static_cast<long>(time % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

extern "C" __attribute__((visibility("default"))) Hooks* fake_cuda_hooks() {
  static Hooks hooks;
  return &hooks;
}

Call::Call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char* name, const char* symbol,
           const void* params)
    : domain_(domain), id_(id), name_(name), symbol_(symbol), params_(params), outer_(outermost) {
  const bool own = outermost == 0 || knob("nested_ids") != 0;
  correlation_ = own ? next_correlation.fetch_add(1) : outermost;
  has_called = true;
  if (outermost == 0) ++calls_inside;
  if (outermost == 0) outermost = correlation_;
  if (const Hooks* hooks = fake_cuda_hooks(); hooks->call != nullptr)
    hooks->call(domain, id, CUPTI_API_ENTER, name, symbol, params, current, correlation_, &data_,
                nullptr);
}

Call::~Call() {
  if (const Hooks* hooks = fake_cuda_hooks(); hooks->call != nullptr)
    hooks->call(domain_, id_, CUPTI_API_EXIT, name_, symbol_, params_, current, correlation_,
                &data_, &result);
  outermost = outer_;
  if (outermost == 0) --calls_inside;
}

bool is_the_program_s() {
  return has_called;
}

unsigned launching() {
  return calls_inside;
}

Context* current_context() {
  return current;
}

uint64_t end_of_work() {
  const std::lock_guard lock(mutex);
  return std::max(now_ns(), current->busy_until);
}

bool is_capturing() {
  return capturing != nullptr;
}

// Puts a copy or a fill on the device of this thread.
void run_copy(const aiflame::agent::cupti::CopyRecord& record) {
  if (record.bytes == 0) return;
  Run made;
  made.correlation = record.correlation;
  made.copy = record;
  {
    const std::lock_guard lock(mutex);
    made.start = std::max(now_ns(), current->busy_until);
    made.end = made.start + record.bytes;
    current->busy_until = made.end;
    made.copy.device = current->device;
  }
  if (const Hooks* hooks = fake_cuda_hooks(); hooks->ran != nullptr) hooks->ran(made);
}

void run_on_host(CUhostFn function, void* data, CUpti_ActivityKind kind, uint32_t correlation,
                 uint64_t node) {
  constexpr uint64_t kLastsNs = 500000;
  function(data);
  Run made;
  made.host_kind = static_cast<uint32_t>(kind);
  made.correlation = correlation;
  made.graph_node = node;
  {
    const std::lock_guard lock(mutex);
    made.start = std::max(now_ns(), current->busy_until);
    made.end = made.start + kLastsNs;
    current->busy_until = made.end;
    made.device = current->device;
  }
  if (const Hooks* hooks = fake_cuda_hooks(); hooks->ran != nullptr) hooks->ran(made);
}

// The callbacks of a call that launches no kernel.
class OtherCall {
 public:
  OtherCall(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char* name)
      : domain_(domain), id_(id), name_(name) {
    correlation_ = inside != 0 ? inside : next_correlation.fetch_add(1);
    outer_ = std::exchange(inside, correlation_);
    has_called = true;
    report(CUPTI_API_ENTER);
  }
  ~OtherCall() {
    report(CUPTI_API_EXIT);
    inside = outer_;
  }
  OtherCall(const OtherCall&) = delete;
  OtherCall& operator=(const OtherCall&) = delete;
  uint32_t correlation() const { return correlation_; }

 private:
  void report(CUpti_ApiCallbackSite site) {
    int result = 0;
    if (const Hooks* hooks = fake_cuda_hooks(); hooks->call != nullptr)
      hooks->call(domain_, id_, site, name_, nullptr, nullptr, current, correlation_, &data_,
                  &result);
  }
  static inline thread_local uint32_t inside = 0;
  CUpti_CallbackDomain domain_;
  CUpti_CallbackId id_;
  const char* name_;
  uint32_t correlation_ = 0, outer_ = 0;
  uint64_t data_ = 0;
};

void run(const Function& function, uint32_t microseconds, uint32_t correlation, uint64_t node) {
  Run made;
  made.function = &function;
  made.correlation = correlation;
  made.graph_node = node;
  uint64_t wait_until = 0;
  {
    const std::lock_guard lock(mutex);
    Context& context = *function.module->context;
    made.start = std::max(now_ns(), context.busy_until);
    made.end = made.start + uint64_t{microseconds} * 1000;
    context.busy_until = made.end;
    context.ends.push_back(made.end);
    while (context.ends.front() <= now_ns()) {
      context.ends.pop_front();
      if (context.ends.empty()) break;
    }
    if (context.ends.size() > kQueue) wait_until = context.ends[context.ends.size() - kQueue];
  }
  sleep_until(wait_until);
  if (const Hooks* hooks = fake_cuda_hooks(); hooks->ran != nullptr) hooks->ran(made);
}

}  // namespace fake_cuda

// ---- the API, with NVIDIA's prototypes ---------------------------------------------------------

using fake_cuda::Call;
using fake_cuda::Context;
using fake_cuda::Function;
using fake_cuda::Module;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED CUresult CUDAAPI cuInit(unsigned) {
  // as the driver does: calls the library's function once
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return CUDA_SUCCESS;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "fake driver: %s\n", dlerror());
    return CUDA_SUCCESS;
  }
  const auto start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (start == nullptr || start() != 1) std::fprintf(stderr, "fake driver: not injected\n");
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = static_cast<int>(fake_cuda::knob("driver", 13000));
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDeviceGetPCIBusId(char* out, int room, CUdevice device) {
  std::snprintf(out, static_cast<size_t>(room), "0000:%02X:00.0", 0x3d + device);
  return CUDA_SUCCESS;
}

// By default as many cycles as make the agent choose 2048 of them, as CUPTI itself does.
EXPORTED CUresult CUDAAPI cuDeviceGetAttribute(int* out, CUdevice_attribute which, CUdevice) {
  if (which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    *out = static_cast<int>(fake_cuda::knob("multiprocessors", 1));
  else if (which == CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
    *out = static_cast<int>(fake_cuda::knob("kilohertz", 1980000));
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDeviceGetName(char* out, int room, CUdevice) {
  std::snprintf(out, static_cast<size_t>(room),
                fake_cuda::knob("mig") != 0 ? "NVIDIA Stand-in MIG 1g.10gb" : "NVIDIA Stand-in");
  return CUDA_SUCCESS;
}

// The GPU's, also of an instance of it.
#undef cuDeviceGetUuid
EXPORTED CUresult CUDAAPI cuDeviceGetUuid(CUuuid* out, CUdevice) {
  std::memset(out, 0xab, sizeof *out);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid* out, CUdevice device) {
  std::memset(out, fake_cuda::knob("mig") != 0 ? static_cast<int>(0xf0 + device) : 0xab,
              sizeof *out);
  return CUDA_SUCCESS;
}

EXPORTED CUresult fake_context_create(CUcontext* out, unsigned device) {
  fake_cuda::has_called = true;
  auto* made = new Context;
  made->device = device;
  fake_cuda::current = made;
  fake_cuda::contexts.push_back(made);
  *out = reinterpret_cast<CUcontext>(made);
  if (const auto* hooks = fake_cuda::fake_cuda_hooks(); hooks->resource != nullptr)
    hooks->resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, made, nullptr);
  return CUDA_SUCCESS;
}

EXPORTED void fake_context_set(CUcontext context) {
  fake_cuda::current = reinterpret_cast<Context*>(context);
}

EXPORTED CUresult CUDAAPI cuCtxDestroy_v2(CUcontext context) {
  auto* gone = reinterpret_cast<Context*>(context);
  if (const auto* hooks = fake_cuda::fake_cuda_hooks(); hooks->resource != nullptr)
    hooks->resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, gone, nullptr);
  gone->is_gone = true;
  if (fake_cuda::current == gone) fake_cuda::current = nullptr;
  return CUDA_SUCCESS;  // not freed: the test program does not ask about it again
}

EXPORTED CUresult CUDAAPI cuCtxSynchronize() {
  const fake_cuda::OtherCall call(CUPTI_CB_DOMAIN_DRIVER_API,
                                  CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize");
  while (fake_cuda::now_ns() < fake_cuda::current->busy_until)
    fake_cuda::sleep_until(std::min(fake_cuda::now_ns() + 100000, fake_cuda::current->busy_until));
  return CUDA_SUCCESS;
}

namespace {

void report_node(CUpti_CallbackId id, fake_cuda::GraphNode* node) {
  const auto* hooks = fake_cuda::fake_cuda_hooks();
  if (hooks->graph == nullptr) return;
  CUpti_GraphData data{};
  data.node = reinterpret_cast<CUgraphNode>(node);
  data.originalNode = reinterpret_cast<CUgraphNode>(node->original);
  data.nodeType = node->type;
  hooks->graph(id, data);
}

fake_cuda::GraphNode* add_node(fake_cuda::Graph& graph, const fake_cuda::GraphNode& node) {
  auto* made = new fake_cuda::GraphNode(node);
  made->id = fake_cuda::next_node.fetch_add(1);
  graph.nodes.push_back(made);
  report_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, made);
  return made;
}

void add_copy_node(fake_cuda::Graph& graph, const aiflame::agent::cupti::CopyRecord& copy) {
  fake_cuda::GraphNode node;
  node.type = copy.kind == CUPTI_ACTIVITY_KIND_MEMSET ? CU_GRAPH_NODE_TYPE_MEMSET
                                                      : CU_GRAPH_NODE_TYPE_MEMCPY;
  node.copy = copy;
  add_node(graph, node);
}

fake_cuda::GraphNode* add_host_node(fake_cuda::Graph& graph, CUhostFn function, void* data) {
  fake_cuda::GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_HOST;
  node.host = function;
  node.host_data = data;
  return add_node(graph, node);
}

}  // namespace

void fake_cuda::capture_memory(CUgraphNodeType type) {
  if (capturing == nullptr) return;
  GraphNode node;
  node.type = type;
  add_node(*capturing, node);
}

namespace {

// Not a part of launch(): a node is large, and a launch may have little of the stack.
[[gnu::noinline]] fake_cuda::GraphNode* add_kernel_node(fake_cuda::Graph& graph,
                                                        const void* function,
                                                        uint32_t microseconds) {
  fake_cuda::GraphNode node;
  node.function = function;
  node.microseconds = microseconds;
  return add_node(graph, node);
}

// Clones the nodes of a graph, and of those in it. With inlined=1 CUPTI tells nothing of the
// latter, as PyTorch has seen it (pytorch issue 191845).
fake_cuda::Graph* clone_of(const fake_cuda::Graph& graph, bool is_told = true) {
  auto* made = new fake_cuda::Graph;
  for (fake_cuda::GraphNode* node : graph.nodes) {
    auto* copy = new fake_cuda::GraphNode(*node);
    copy->id = fake_cuda::next_node.fetch_add(1);
    copy->original = node;
    made->nodes.push_back(copy);
    if (is_told) report_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, copy);
    if (node->inner != nullptr)
      copy->inner = clone_of(*node->inner, is_told && fake_cuda::knob("inlined") == 0);
  }
  return made;
}

}  // namespace

// As the real runtime does, in a call of the driver's further down the stack.
[[gnu::noinline]] static void copy_in_driver(aiflame::agent::cupti::CopyRecord record,
                                             bool blocks) {
  const fake_cuda::OtherCall call(CUPTI_CB_DOMAIN_DRIVER_API,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
                                  "cuMemcpyHtoDAsync_v2");
  record.correlation = call.correlation();
  if (fake_cuda::capturing != nullptr) {
    add_copy_node(*fake_cuda::capturing, record);
    return;
  }
  fake_cuda::run_copy(record);
  if (blocks) fake_cuda::sleep_until(fake_cuda::current->busy_until);
}

// A call of the runtime's that copies or fills `record`, and waits for it if `blocks`.
EXPORTED void fake_copy(unsigned id, const char* name,
                        const aiflame::agent::cupti::CopyRecord* record, bool blocks) {
  const fake_cuda::OtherCall call(CUPTI_CB_DOMAIN_RUNTIME_API, id, name);
  copy_in_driver(*record, blocks);
}

EXPORTED CUresult CUDAAPI cuLaunchHostFunc(CUstream, CUhostFn function, void* data) {
  const fake_cuda::OtherCall call(CUPTI_CB_DOMAIN_DRIVER_API,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, "cuLaunchHostFunc");
  if (fake_cuda::capturing != nullptr)
    add_host_node(*fake_cuda::capturing, function, data);
  else
    fake_cuda::run_on_host(function, data, aiflame::agent::cupti::kHostLaunch, call.correlation(),
                           0);
  return CUDA_SUCCESS;
}

// The runtime's call of the same.
EXPORTED void fake_host_function(CUhostFn function, void* data) {
  const fake_cuda::OtherCall call(CUPTI_CB_DOMAIN_RUNTIME_API,
                                  CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000,
                                  "cudaLaunchHostFunc");
  cuLaunchHostFunc(nullptr, function, data);
}

// Reports a module's load, once. With lazy=1 the first launch of one of its functions loads it,
// with lazy=2 the first request for a function.
static void report_load(Module& module) {
  if (module.is_load_reported) return;
  module.is_load_reported = true;
  fake_cuda::sleep_until(fake_cuda::now_ns() + fake_cuda::knob("load_ms") * 1000000);
  if (const auto* hooks = fake_cuda::fake_cuda_hooks(); hooks->resource != nullptr)
    hooks->resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, module.context, &module);
}

// `bytes` is the image's size; NVIDIA's function reads the size from the image.
EXPORTED CUresult fake_module_load(CUmodule* out, const void* image, size_t bytes) {
  auto* made = new Module;
  made->id = fake_cuda::next_module.fetch_add(1);
  made->context = fake_cuda::current;
  made->bytes.assign(static_cast<const char*>(image), bytes);
  fake_cuda::find_functions(*made);
  const cuModuleLoadData_params params{out, image};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                  "cuModuleLoadData", nullptr, &params);
  *out = reinterpret_cast<CUmodule>(made);
  if (fake_cuda::knob("lazy") == 0) report_load(*made);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  auto* gone = reinterpret_cast<Module*>(module);
  if (const auto* hooks = fake_cuda::fake_cuda_hooks(); hooks->resource != nullptr)
    hooks->resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, gone->context, gone);
  // as seen with the real driver: the bytes stay readable, with other contents
  std::fill(gone->bytes.begin(), gone->bytes.end(), '\xee');
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  const cuModuleGetFunction_params params{out, module, name};
  Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction,
            "cuModuleGetFunction", nullptr, &params);
  auto& functions = reinterpret_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) {
    call.result = CUDA_ERROR_NOT_FOUND;
    return CUDA_ERROR_NOT_FOUND;
  }
  if (fake_cuda::knob("lazy") == 2) report_load(*reinterpret_cast<Module*>(module));
  *out = reinterpret_cast<CUfunction>(found->second.get());
  return CUDA_SUCCESS;
}

// Makes a module of each image in the context, and reports its load: with lazy=0 in the call that
// loads the library, otherwise when a function is needed.
static void library_load(fake_cuda::Library& library, Context* context) {
  auto& modules = library.modules[context];
  if (!modules.empty()) return;
  for (const std::string& image : library.images) {
    auto* made = new Module;
    made->id = fake_cuda::next_module.fetch_add(1);
    made->context = context;
    made->bytes = image;
    fake_cuda::find_functions(*made);
    modules.push_back(made);
    report_load(*made);
  }
}

// `images` has `count` images, the i-th is `bytes[i]` long.
EXPORTED CUresult fake_library_load(CUlibrary* out, const void* const* images, const size_t* bytes,
                                    unsigned count) {
  auto* made = new fake_cuda::Library;
  for (unsigned i = 0; i < count; ++i)
    made->images.emplace_back(static_cast<const char*>(images[i]), bytes[i]);
  cuLibraryLoadData_params params{};
  params.library = out;
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
                  "cuLibraryLoadData", nullptr, &params);
  *out = reinterpret_cast<CUlibrary>(made);
  if (fake_cuda::knob("lazy") == 0)
    for (Context* context : fake_cuda::contexts) library_load(*made, context);
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuLibraryGetKernel(CUkernel* out, CUlibrary library, const char* name) {
  const cuLibraryGetKernel_params params{out, library, name};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel,
                  "cuLibraryGetKernel", nullptr, &params);
  auto* made = new fake_cuda::Kernel{reinterpret_cast<fake_cuda::Library*>(library), name};
  fake_cuda::kernels.insert(made);
  *out = reinterpret_cast<CUkernel>(made);
  return CUDA_SUCCESS;
}

namespace {

const char* name_of(const void* function) {
  if (function == nullptr) return nullptr;
  return fake_cuda::kernels.count(function) != 0
             ? static_cast<const fake_cuda::Kernel*>(function)->name.c_str()
             : static_cast<const Function*>(function)->name.c_str();
}

// The function in the current context; loads its module if necessary. A kernel of a library belongs
// to the library's first module.
const Function* function_of(const void* function) {
  if (fake_cuda::kernels.count(function) != 0) {
    const auto* kernel = static_cast<const fake_cuda::Kernel*>(function);
    library_load(*kernel->library, fake_cuda::current);
    function = kernel->library->modules[fake_cuda::current].front()->functions[kernel->name].get();
  }
  report_load(*static_cast<const Function*>(function)->module);
  return static_cast<const Function*>(function);
}

CUresult launch(CUpti_CallbackId id, const char* name, CUfunction function, unsigned microseconds,
                const void* params) {
  Call call(CUPTI_CB_DOMAIN_DRIVER_API, id, name, name_of(function), params);
  if (function == nullptr) {
    call.result = CUDA_ERROR_INVALID_HANDLE;
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const Function* found = function_of(function);
  if (fake_cuda::capturing != nullptr)
    add_kernel_node(*fake_cuda::capturing, function, microseconds);
  else
    fake_cuda::run(*found, microseconds, call.correlation(), 0);
  // as with CUDA_LAUNCH_BLOCKING=1
  if (fake_cuda::knob("blocking") != 0) cuCtxSynchronize();
  return CUDA_SUCCESS;
}

}  // namespace

EXPORTED CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared, CUstream, void**,
                                         void**) {
  const cuLaunchKernel_params params{function, grid_x, grid_y,  grid_z,  block_x, block_y,
                                     block_z,  shared, nullptr, nullptr, nullptr};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", function, grid_x,
                &params);
}
EXPORTED CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned,
                                              unsigned, unsigned, unsigned, unsigned, unsigned,
                                              CUstream, void**, void**) {
  cuLaunchKernel_ptsz_params params{};
  params.f = function;
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", function,
                grid_x, &params);
}
EXPORTED CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                           void**, void**) {
  const cuLaunchKernelEx_params params{config, function, nullptr, nullptr};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx", function,
                config->gridDimX, &params);
}
EXPORTED CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned,
                                                    unsigned, unsigned, unsigned, unsigned,
                                                    unsigned, CUstream, void**) {
  cuLaunchCooperativeKernel_params params{};
  params.f = function;
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",
                function, grid_x, &params);
}

// A kernel of a graph, like any other, runs for as many microseconds as its grid is wide.
EXPORTED void* fake_graph_create() {
  return new fake_cuda::Graph;
}
EXPORTED CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode* out, CUgraph graph,
                                                  const CUgraphNode* dependencies, size_t count,
                                                  const CUDA_KERNEL_NODE_PARAMS* node) {
  const cuGraphAddKernelNode_v2_params params{out, graph, dependencies, count, node};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2,
                  "cuGraphAddKernelNode_v2", nullptr, &params);
  const void* function = node->func;
  if (function == nullptr) function = node->kern;
  if (fake_cuda::knob("lazy") != 3) function_of(function);
  *out = reinterpret_cast<CUgraphNode>(
      add_kernel_node(*reinterpret_cast<fake_cuda::Graph*>(graph), function, node->gridDimX));
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph,
                                               const CUgraphNode* dependencies, size_t count,
                                               const CUDA_MEMCPY3D* copy, CUcontext context) {
  const cuGraphAddMemcpyNode_params params{out, graph, dependencies, count, copy, context};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemcpyNode,
                  "cuGraphAddMemcpyNode", nullptr, &params);
  auto& of = *reinterpret_cast<fake_cuda::Graph*>(graph);
  aiflame::agent::cupti::CopyRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  record.source_kind = record.destination_kind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = copy->WidthInBytes * copy->Height * copy->Depth;
  add_copy_node(of, record);
  *out = reinterpret_cast<CUgraphNode>(of.nodes.back());
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode* out, CUgraph graph,
                                             const CUgraphNode* dependencies, size_t count,
                                             const CUDA_HOST_NODE_PARAMS* node) {
  const cuGraphAddHostNode_params params{out, graph, dependencies, count, node};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode,
                  "cuGraphAddHostNode", nullptr, &params);
  *out = reinterpret_cast<CUgraphNode>(
      add_host_node(*reinterpret_cast<fake_cuda::Graph*>(graph), node->fn, node->userData));
  return CUDA_SUCCESS;
}
// The node has a copy of the child, whose nodes are clones.
EXPORTED CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph,
                                                   const CUgraphNode*, size_t, CUgraph child) {
  fake_cuda::GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_GRAPH;
  node.inner = clone_of(*reinterpret_cast<fake_cuda::Graph*>(child));
  *out = reinterpret_cast<CUgraphNode>(add_node(*reinterpret_cast<fake_cuda::Graph*>(graph), node));
  return CUDA_SUCCESS;
}
// A conditional node; returns its body, which runs `times` times in each launch.
EXPORTED void* fake_conditional(void* graph, unsigned times) {
  fake_cuda::GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  node.inner = new fake_cuda::Graph;
  node.times = times;
  return add_node(*static_cast<fake_cuda::Graph*>(graph), node)->inner;
}
EXPORTED void fake_capture(void* graph) {
  fake_cuda::capturing = static_cast<fake_cuda::Graph*>(graph);
}
EXPORTED CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                                      unsigned long long flags) {
  const cuGraphInstantiateWithFlags_params params{out, graph, flags};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                  "cuGraphInstantiateWithFlags", nullptr, &params);
  auto* made = clone_of(*reinterpret_cast<fake_cuda::Graph*>(graph));
  *out = reinterpret_cast<CUgraphExec>(made);
  return CUDA_SUCCESS;
}
// With dot=CODE it fails.
EXPORTED CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  if (const uint64_t refused = fake_cuda::knob("dot"); refused != 0)
    return static_cast<CUresult>(refused);
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(file, "digraph dot { // flags %u\n", flags);
  unsigned number = 0;
  for (const fake_cuda::GraphNode* node : reinterpret_cast<fake_cuda::Graph*>(graph)->nodes)
    std::fprintf(file, "\"node_%u\" [label=\"%s\"];\n", number++,
                 node->function != nullptr ? name_of(node->function) : "other");
  std::fprintf(file, "}\n");
  std::fclose(file);
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                            const CUDA_KERNEL_NODE_PARAMS* made) {
  const cuGraphExecKernelNodeSetParams_v2_params params{exec, node, made};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API,
                  CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
                  "cuGraphExecKernelNodeSetParams_v2", nullptr, &params);
  for (fake_cuda::GraphNode* clone : reinterpret_cast<fake_cuda::Graph*>(exec)->nodes) {
    if (clone->original != reinterpret_cast<fake_cuda::GraphNode*>(node)) continue;
    clone->function = made->func;
    clone->microseconds = made->gridDimX;
    report_node(aiflame::agent::cupti::kGraphNodeSetParams, clone);
  }
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                               CUgraphExecUpdateResultInfo* info) {
  const cuGraphExecUpdate_v2_params params{exec, graph, info};
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
                  "cuGraphExecUpdate_v2", nullptr, &params);
  auto& to = reinterpret_cast<fake_cuda::Graph*>(exec)->nodes;
  const auto& from = reinterpret_cast<fake_cuda::Graph*>(graph)->nodes;
  for (size_t i = 0; i < to.size() && i < from.size(); ++i) {
    to[i]->function = from[i]->function;
    to[i]->microseconds = from[i]->microseconds;
    report_node(aiflame::agent::cupti::kGraphNodeUpdated, to[i]);
  }
  return CUDA_SUCCESS;
}
static void run_nodes(const fake_cuda::Graph& graph, uint32_t correlation) {
  for (const fake_cuda::GraphNode* node : graph.nodes) {
    aiflame::agent::cupti::CopyRecord copy = node->copy;
    copy.correlation = correlation;
    copy.node = node->id;
    if (node->function != nullptr)
      fake_cuda::run(*function_of(node->function), node->microseconds, correlation, node->id);
    else if (copy.kind != 0)
      fake_cuda::run_copy(copy);
    else if (node->host != nullptr)
      fake_cuda::run_on_host(node->host, node->host_data, aiflame::agent::cupti::kGraphHostNode,
                             correlation, node->id);
    for (uint32_t i = 0; node->inner != nullptr && i < node->times; ++i)
      run_nodes(*node->inner, correlation);
  }
}
EXPORTED CUresult CUDAAPI cuGraphLaunch(CUgraphExec graph, CUstream) {
  const Call call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                  "cuGraphLaunch", nullptr, nullptr);
  run_nodes(*reinterpret_cast<fake_cuda::Graph*>(graph), call.correlation());
  return CUDA_SUCCESS;
}

// For the runtime, which is linked into the program.
EXPORTED void* fake_call_enter(unsigned id, const char* name, const char* symbol,
                               const void* params) {
  return new Call(CUPTI_CB_DOMAIN_RUNTIME_API, id, name, symbol, params);
}
EXPORTED void fake_call_leave(void* call, int result) {
  auto* at = static_cast<Call*>(call);
  at->result = result;
  delete at;
}
EXPORTED const char* fake_function_name(CUfunction function) {
  return name_of(function);
}
EXPORTED bool fake_is_kernel(CUfunction function) {
  return fake_cuda::kernels.count(function) != 0;
}
