// SPDX-License-Identifier: MIT
// matmul: multiplies two matrices on an OpenCL device with three kernels, one after the other, and
// prints how long the device took for each:
//
//   $ matmul --options -g
//   device: Portable Computing Language, pthread-Intel(R) Xeon(R) Processor
//   kernel                             launches    device_s   share_%
//   multiply_basic                           14    2.801239     46.71
//   ...
//   waited 0.075 s of 12.999 s for a core (0.57 %)
//   took 6.512 s
//
// An ordinary program: it knows nothing of the profiler that records it.
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/demo/core_time.h"
#include "tests/demo/multiplications.h"
#include "tests/demo/numbers.h"
#include "tests/demo/opencl.h"
#include "tests/demo/options.h"

// The device, its queue and the matrices of one run.
struct Multiplication {
  opencl::Context context;
  opencl::Queue queue;
  opencl::Program program;
  opencl::Buffer a, b, c;
  cl_uint n = 0;
};

namespace {

constexpr size_t kTile = 16;  // TILE of matmul.cl
// What a work-item of the tiled kernel computes: ROWS of matmul.cl, and a vector of columns.
constexpr size_t kRows = 4, kColumns = 4;

struct Settings {
  std::string source = opencl::beside_executable("matmul.cl");
  std::string options;
  std::string platform;
  std::string device;
  uint64_t n = 256;
  uint64_t repeats = 0;  // launches of each kernel; 0: as many as fill `seconds`
  uint64_t seconds = 6;
  bool thread = false;  // drives the device from another thread than main()'s
};

opencl::Kernel make_kernel(const Multiplication& m, const char* name) {
  opencl::Kernel kernel = opencl::make_kernel(m.program, name);
  opencl::set_argument(kernel, 0, m.a.get());
  opencl::set_argument(kernel, 1, m.b.get());
  opencl::set_argument(kernel, 2, m.c.get());
  opencl::set_argument(kernel, 3, m.n);
  return kernel;
}

// Waits for the launch's end; returns its time on the device in seconds.
double finish(const opencl::Event& event) {
  const cl_event pending = event.get();
  opencl::check(clWaitForEvents(1, &pending), "clWaitForEvents");
  const opencl::Interval interval = opencl::device_interval(event);
  return static_cast<double>(interval.end - interval.start) * 1e-9;
}

}  // namespace

// One function per kernel, so that a profile of the launches can tell them apart. They launch one
// at a time, and return the device's seconds for `repeats` launches.

[[gnu::noinline]] double run_basic(const Multiplication& m, uint64_t repeats) {
  const opencl::Kernel kernel = make_kernel(m, "multiply_basic");
  const size_t global[] = {m.n, m.n};
  const size_t local[] = {kTile, kTile};
  double seconds = 0;
  for (uint64_t i = 0; i < repeats; ++i) {
    opencl::Event event;
    opencl::check(clEnqueueNDRangeKernel(m.queue.get(), kernel.get(), 2, nullptr, global, local, 0,
                                         nullptr, event.out()),
                  "clEnqueueNDRangeKernel");
    seconds += finish(event);
  }
  return seconds;
}

[[gnu::noinline]] double run_local_access(const Multiplication& m, uint64_t repeats) {
  const opencl::Kernel kernel = make_kernel(m, "multiply_local_access");
  const size_t global[] = {m.n, m.n};
  const size_t local[] = {kTile, kTile};
  double seconds = 0;
  for (uint64_t i = 0; i < repeats; ++i) {
    opencl::Event event;
    opencl::check(clEnqueueNDRangeKernel(m.queue.get(), kernel.get(), 2, nullptr, global, local, 0,
                                         nullptr, event.out()),
                  "clEnqueueNDRangeKernel");
    seconds += finish(event);
  }
  return seconds;
}

[[gnu::noinline]] double run_tiled(const Multiplication& m, uint64_t repeats) {
  const opencl::Kernel kernel = make_kernel(m, "multiply_local_access_and_tiling");
  const size_t global[] = {m.n / kColumns, m.n / kRows};
  const size_t local[] = {kTile / kColumns, kTile / kRows};
  double seconds = 0;
  for (uint64_t i = 0; i < repeats; ++i) {
    opencl::Event event;
    opencl::check(clEnqueueNDRangeKernel(m.queue.get(), kernel.get(), 2, nullptr, global, local, 0,
                                         nullptr, event.out()),
                  "clEnqueueNDRangeKernel");
    seconds += finish(event);
  }
  return seconds;
}

namespace {

using Variant = demo::Variant<Multiplication>;

using Rows = std::vector<std::vector<double>>;

Rows reference_product(const std::vector<float>& a, const std::vector<float>& b, size_t n) {
  Rows rows;
  for (size_t row = 0; row < n; ++row) rows.push_back(demo::reference_row(a, b, n, row));
  return rows;
}

opencl::Buffer make_buffer(const opencl::Context& context, cl_mem_flags flags,
                           std::vector<float>& content) {
  cl_int status = CL_SUCCESS;
  opencl::Buffer buffer(clCreateBuffer(context.get(), flags | CL_MEM_COPY_HOST_PTR,
                                       content.size() * sizeof(float), content.data(), &status));
  opencl::check(status, "clCreateBuffer");
  return buffer;
}

void run_checked(const Multiplication& m, Variant& variant, uint64_t repeats,
                 const Rows& reference) {
  std::vector<float> c(size_t{m.n} * m.n, std::numeric_limits<float>::quiet_NaN());
  const size_t bytes = c.size() * sizeof(float);
  opencl::check(clEnqueueWriteBuffer(m.queue.get(), m.c.get(), CL_TRUE, 0, bytes, c.data(), 0,
                                     nullptr, nullptr),
                "clEnqueueWriteBuffer");
  variant.seconds += variant.run(m, repeats);
  variant.launches += repeats;
  opencl::check(clEnqueueReadBuffer(m.queue.get(), m.c.get(), CL_TRUE, 0, bytes, c.data(), 0,
                                    nullptr, nullptr),
                "clEnqueueReadBuffer");
  for (size_t row = 0; row < m.n; ++row)
    demo::check_row(c.data() + row * m.n, reference[row], row, variant.kernel);
}

void multiply(const Settings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const cl_device_id device = opencl::find_device(settings.platform, settings.device);
  std::printf("device: %s\n", opencl::device_name(device).c_str());
  std::fflush(stdout);  // a test waits for this line
  const size_t n = settings.n;
  std::vector<float> a = demo::random_matrix(n, 1);
  std::vector<float> b = demo::random_matrix(n, 2);
  std::vector<float> c(n * n);
  const Rows reference = reference_product(a, b, n);

  Multiplication m;
  m.n = static_cast<cl_uint>(n);
  m.context = opencl::make_context(device);
  m.queue = opencl::make_profiling_queue(m.context, device);
  m.program = opencl::build_program(m.context, device, settings.source, settings.options);
  m.a = make_buffer(m.context, CL_MEM_READ_ONLY, a);
  m.b = make_buffer(m.context, CL_MEM_READ_ONLY, b);
  m.c = make_buffer(m.context, CL_MEM_WRITE_ONLY, c);

  std::array<Variant, 3> variants = {{{"multiply_basic", run_basic},
                                      {"multiply_local_access", run_local_access},
                                      {"multiply_local_access_and_tiling", run_tiled}}};
  const demo::CoreTime before = demo::core_time();
  uint64_t repeats = settings.repeats;
  if (repeats == 0) {
    // Each kernel runs once, which also loads it, and once more to be timed. Then all run equally
    // often, so that their shares of the time are in proportion to their speeds.
    double each_once = 0;
    for (Variant& variant : variants) {
      run_checked(m, variant, 1, reference);
      const double first = variant.seconds;
      run_checked(m, variant, 1, reference);
      each_once += variant.seconds - first;
    }
    repeats = demo::repeats_in(settings.seconds, each_once);
  }
  for (Variant& variant : variants) run_checked(m, variant, repeats, reference);
  demo::print_table(variants);
  demo::print_waited(before);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("took %.3f s\n", took.count());
}

constexpr const char* kHelp =
    "usage: matmul [options]\n"
    "Multiplies two matrices on an OpenCL device with three kernels and prints the device's time.\n"
    "  --options TEXT    build options for the kernels, e.g. '-g -cl-mad-enable'\n"
    "  --source FILE     the kernels (default: matmul.cl beside the program)\n"
    "  --size N          rows of the matrices, a multiple of 16 (default: 256)\n"
    "  --repeats N       launches of each kernel (default: as many as --seconds holds)\n"
    "  --seconds S       device time to fill, all kernels together (default: 6)\n"
    "  --platform TEXT   a platform with TEXT in its name\n"
    "  --device KIND     cpu, gpu, accelerator or all (default: cpu, else any)\n"
    "  --thread          drives the device from a thread of its own\n"
    "  --help            this text\n";

// False when --help was asked for and printed.
bool parse_options(int argc, char** argv, Settings& settings) {
  static constexpr option kOptions[] = {
      {"options", required_argument, nullptr, 'o'}, {"source", required_argument, nullptr, 's'},
      {"size", required_argument, nullptr, 'n'},    {"repeats", required_argument, nullptr, 'r'},
      {"seconds", required_argument, nullptr, 't'}, {"platform", required_argument, nullptr, 'p'},
      {"device", required_argument, nullptr, 'd'},  {"thread", no_argument, nullptr, 'w'},
      {"help", no_argument, nullptr, 'h'},          {nullptr, 0, nullptr, 0}};
  for (int choice; (choice = demo::next_option(argc, argv, kOptions, "matmul")) != -1;) {
    switch (choice) {
      case 'o':
        settings.options = optarg;
        break;
      case 's':
        settings.source = optarg;
        break;
      case 'n':
        settings.n = demo::parse_number("--size", optarg, 16384);
        break;
      case 'r':
        settings.repeats = demo::parse_number("--repeats", optarg, 1000000000);
        break;
      case 't':
        settings.seconds = demo::parse_number("--seconds", optarg, 86400);
        break;
      case 'p':
        settings.platform = optarg;
        break;
      case 'd':
        settings.device = optarg;
        break;
      case 'w':
        settings.thread = true;
        break;
      case 'h':
        std::fputs(kHelp, stdout);
        return false;
      default:
        std::abort();  // next_option() returns no other
    }
  }
  if (settings.n % kTile != 0) throw std::invalid_argument("--size must be a multiple of 16");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  try {
    if (!parse_options(argc, argv, settings)) return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "matmul: %s\n", error.what());
    return 2;
  }
  int status = 0;
  const auto drive = [&] {
    try {
      multiply(settings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "matmul: %s\n", error.what());
      status = 1;
    }
  };
  if (settings.thread)
    std::thread(drive).join();
  else
    drive();
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "matmul: write error: %s\n", std::strerror(errno));
    return 1;
  }
  return status;
}
