// SPDX-License-Identifier: MIT
// matmul: multiplies two matrices on an OpenCL device with three kernels, one after the other, and
// says how long the device took for each:
//
//   $ matmul --options '-g -cl-opt-disable'
//   device: Portable Computing Language, pthread-Intel(R) Xeon(R) Processor
//   kernel                             launches    device_s   share_%
//   multiply_basic                           14    2.801239     46.71
//   ...
//   waited 0.075 s of 12.999 s for a core (0.57 %)
//   took 6.512 s
//
// An ordinary program: it knows nothing of the profiler that records it.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/demo/core_time.h"
#include "tests/demo/opencl.h"

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
constexpr size_t kRows = 4;   // ROWS of matmul.cl

struct Settings {
  std::string source = opencl::beside_executable("matmul.cl");
  std::string options;
  std::string platform;
  std::string device;
  uint64_t n = 256;
  uint64_t repeats = 0;  // launches of each kernel; 0: as many as fill `seconds`
  uint64_t seconds = 6;
};

opencl::Kernel make_kernel(const Multiplication& m, const char* name) {
  opencl::Kernel kernel = opencl::make_kernel(m.program, name);
  opencl::set_argument(kernel, 0, m.a.get());
  opencl::set_argument(kernel, 1, m.b.get());
  opencl::set_argument(kernel, 2, m.c.get());
  opencl::set_argument(kernel, 3, m.n);
  return kernel;
}

// Waits for the launch's end; the device's time for it, in seconds.
double finish(const opencl::Event& event) {
  const cl_event pending = event.get();
  opencl::check(clWaitForEvents(1, &pending), "clWaitForEvents");
  const opencl::Interval interval = opencl::device_interval(event);
  return static_cast<double>(interval.end - interval.start) * 1e-9;
}

}  // namespace

// One function per kernel, each a place of its own in a profile of the launches. They return the
// device's seconds for `repeats` launches, one at a time.

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
  const size_t global[] = {m.n, m.n / kRows};
  const size_t local[] = {kTile, kTile / kRows};
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

struct Variant {
  const char* kernel;
  double (*run)(const Multiplication&, uint64_t repeats);
  uint64_t launches = 0;
  double seconds = 0;
};

// Numbers in [0, 1), the same in every run.
std::vector<float> random_matrix(size_t n, uint32_t seed) {
  std::vector<float> matrix(n * n);
  for (float& value : matrix) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes' generator
    value = static_cast<float>(seed >> 8) * 0x1p-24f;
  }
  return matrix;
}

std::vector<double> reference_product(const std::vector<float>& a, const std::vector<float>& b,
                                      size_t n) {
  std::vector<double> c(n * n);
  for (size_t row = 0; row < n; ++row)
    for (size_t k = 0; k < n; ++k)
      for (size_t column = 0; column < n; ++column)
        c[row * n + column] +=
            static_cast<double>(a[row * n + k]) * static_cast<double>(b[k * n + column]);
  return c;
}

// All products are positive, so n roundings of products and n of sums, in whatever order and fused
// or not, change a sum by no more than 2n half units in the last place (2^-24 each).
void check_product(const std::vector<float>& c, const std::vector<double>& reference, size_t n,
                   const char* kernel) {
  const double tolerance = 2 * static_cast<double>(n) * 0x1p-24;
  for (size_t i = 0; i < c.size(); ++i) {
    const double error = std::abs(static_cast<double>(c[i]) - reference[i]);
    if (error <= tolerance * reference[i]) continue;  // written so that NaN fails
    char text[160];
    std::snprintf(text, sizeof text, "%s is wrong at row %zu, column %zu: %.9g instead of %.9g",
                  kernel, i / n, i % n, static_cast<double>(c[i]), reference[i]);
    throw std::runtime_error(text);
  }
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
                 const std::vector<double>& reference) {
  std::vector<float> c(reference.size(), std::numeric_limits<float>::quiet_NaN());
  const size_t bytes = c.size() * sizeof(float);
  opencl::check(clEnqueueWriteBuffer(m.queue.get(), m.c.get(), CL_TRUE, 0, bytes, c.data(), 0,
                                     nullptr, nullptr),
                "clEnqueueWriteBuffer");
  variant.seconds += variant.run(m, repeats);
  variant.launches += repeats;
  opencl::check(clEnqueueReadBuffer(m.queue.get(), m.c.get(), CL_TRUE, 0, bytes, c.data(), 0,
                                    nullptr, nullptr),
                "clEnqueueReadBuffer");
  check_product(c, reference, m.n, variant.kernel);
}

void print_table(const std::array<Variant, 3>& variants) {
  double total = 0;
  for (const Variant& variant : variants) total += variant.seconds;
  std::printf("%-34s %8s %11s %9s\n", "kernel", "launches", "device_s", "share_%");
  for (const Variant& variant : variants)
    std::printf("%-34s %8ju %11.6f %9.2f\n", variant.kernel,
                static_cast<uintmax_t>(variant.launches), variant.seconds,
                100 * variant.seconds / total);
}

void multiply(const Settings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const cl_device_id device = opencl::find_device(settings.platform, settings.device);
  std::printf("device: %s\n", opencl::device_name(device).c_str());
  const size_t n = settings.n;
  std::vector<float> a = random_matrix(n, 1);
  std::vector<float> b = random_matrix(n, 2);
  std::vector<float> c(n * n);
  const std::vector<double> reference = reference_product(a, b, n);

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
    // Each kernel once, which also loads it, and once more for the clock; then all the same number
    // of times, so that their shares are those of their speeds.
    double each_once = 0;
    for (Variant& variant : variants) {
      run_checked(m, variant, 1, reference);
      const double first = variant.seconds;
      run_checked(m, variant, 1, reference);
      each_once += variant.seconds - first;
    }
    repeats =
        static_cast<uint64_t>(static_cast<double>(settings.seconds) / std::max(each_once, 1e-6)) +
        1;
  }
  for (Variant& variant : variants) run_checked(m, variant, repeats, reference);
  print_table(variants);
  demo::print_waited(before);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("took %.3f s\n", took.count());
}

constexpr const char* kHelp =
    "usage: matmul [options]\n"
    "Multiplies two matrices on an OpenCL device with three kernels and prints the device's time.\n"
    "  --options TEXT    build options for the kernels, e.g. '-g -cl-opt-disable'\n"
    "  --source FILE     the kernels (default: matmul.cl beside the program)\n"
    "  --size N          rows of the matrices, a multiple of 16 (default: 256)\n"
    "  --repeats N       launches of each kernel (default: as many as --seconds holds)\n"
    "  --seconds S       device time to fill, all kernels together (default: 6)\n"
    "  --platform TEXT   a platform with TEXT in its name\n"
    "  --device KIND     cpu, gpu, accelerator or all (default: cpu, else any)\n"
    "  --help            this text\n";

uint64_t parse_number(const char* option, std::string_view text, uint64_t most) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most)
    throw std::invalid_argument(std::string(option) + ": '" + std::string(text) +
                                "' is not a number from 1 to " + std::to_string(most));
  return value;
}

// False when --help was asked for and printed.
bool parse_options(int argc, char** argv, Settings& settings) {
  static constexpr option kOptions[] = {{"options", required_argument, nullptr, 'o'},
                                        {"source", required_argument, nullptr, 's'},
                                        {"size", required_argument, nullptr, 'n'},
                                        {"repeats", required_argument, nullptr, 'r'},
                                        {"seconds", required_argument, nullptr, 't'},
                                        {"platform", required_argument, nullptr, 'p'},
                                        {"device", required_argument, nullptr, 'd'},
                                        {"help", no_argument, nullptr, 'h'},
                                        {nullptr, 0, nullptr, 0}};
  for (int choice; (choice = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    switch (choice) {
      case 'o':
        settings.options = optarg;
        break;
      case 's':
        settings.source = optarg;
        break;
      case 'n':
        settings.n = parse_number("--size", optarg, 16384);
        break;
      case 'r':
        settings.repeats = parse_number("--repeats", optarg, 1000000000);
        break;
      case 't':
        settings.seconds = parse_number("--seconds", optarg, 86400);
        break;
      case 'p':
        settings.platform = optarg;
        break;
      case 'd':
        settings.device = optarg;
        break;
      case 'h':
        std::fputs(kHelp, stdout);
        return false;
      default:
        throw std::invalid_argument("try 'matmul --help'");
    }
  }
  if (optind < argc) throw std::invalid_argument(std::string("unexpected '") + argv[optind] + "'");
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
  // The device is driven from a thread of its own, as in programs that keep main for other work.
  int status = 0;
  std::thread([&] {
    try {
      multiply(settings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "matmul: %s\n", error.what());
      status = 1;
    }
  }).join();
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "matmul: write error: %s\n", std::strerror(errno));
    return 1;
  }
  return status;
}
