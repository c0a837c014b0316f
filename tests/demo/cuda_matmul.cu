// SPDX-License-Identifier: MIT
// cuda_matmul: matmul.cc's three multiplications in CUDA, by the runtime API, and the device's
// time for each, from CUDA events:
//
//   $ cuda_matmul --seconds 3
//   device: NAME, compute capability 9.0, N multiprocessors, N MHz
//   kernel                             launches    device_s   share_%
//   multiply_basic                            N    N.NNNNNN     NN.NN
//   ...
//   repeats N
//   took N.NNNNNN s
//
// The kernels take turns, some launches of each at a time, so that a profiler that sees any part
// of the run sees all three. An ordinary program: it knows nothing of the profiler.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/demo/cuda_check.h"
#include "tests/demo/multiplications.h"
#include "tests/demo/numbers.h"

constexpr unsigned kTile = 16;  // edge of the block of A and B that a thread block shares
constexpr unsigned kRows = 4;   // elements of C that one thread of the tiled kernel computes

// Inlined, as small helpers are in real kernels.
__device__ __forceinline__ float multiply_add(float a, float b, float sum) {
  return sum + a * b;  // inner
}

// Each thread reads a row of A and a column of B from global memory.
__global__ void multiply_basic(const float* a, const float* b, float* c, unsigned n) {
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0.0f;
  for (unsigned k = 0; k < n; ++k)                               // inner
    sum = multiply_add(a[row * n + k], b[k * n + column], sum);  // inner
  c[row * n + column] = sum;
}

// The thread block brings blocks of A and B into shared memory first; every element is then read
// kTile times from there.
__global__ void multiply_local_access(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float block_a[kTile][kTile];
  __shared__ float block_b[kTile][kTile];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned column = blockIdx.x * kTile + x;
  const unsigned row = blockIdx.y * kTile + y;
  float sum = 0.0f;
  for (unsigned start = 0; start < n; start += kTile) {
    block_a[y][x] = a[row * n + start + x];
    block_b[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) sum = multiply_add(block_a[y][k], block_b[k][x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Also, each thread computes kRows elements of a column of C, so that a value of B read from shared
// memory serves kRows times.
__global__ void multiply_local_access_and_tiling(const float* a, const float* b, float* c,
                                                 unsigned n) {
  __shared__ float block_a[kTile][kTile];
  __shared__ float block_b[kTile][kTile];
  const unsigned x = threadIdx.x, y = threadIdx.y * kRows;
  const unsigned column = blockIdx.x * kTile + x;
  const unsigned row = blockIdx.y * kTile + y;
  float sums[kRows] = {};
  for (unsigned start = 0; start < n; start += kTile) {
    for (unsigned i = 0; i < kRows; ++i) {
      block_a[y + i][x] = a[(row + i) * n + start + x];
      block_b[y + i][x] = b[(start + y + i) * n + column];
    }
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) {
      const float value = block_b[k][x];
      for (unsigned i = 0; i < kRows; ++i)
        sums[i] = multiply_add(block_a[y + i][k], value, sums[i]);
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < kRows; ++i) c[(row + i) * n + column] = sums[i];
}

// The matrices of one run, on the device, and the events that time a launch.
struct Multiplication {
  float *a = nullptr, *b = nullptr, *c = nullptr;
  unsigned n = 0;
  cudaEvent_t begin = nullptr, end = nullptr;
};

namespace {

// Waits for the launches since `begin` was recorded; returns their time on the device in seconds.
double finish(const Multiplication& m) {
  cuda::check(cudaGetLastError(), "launch");
  cuda::check(cudaEventRecord(m.end), "cudaEventRecord");
  cuda::check(cudaEventSynchronize(m.end), "cudaEventSynchronize");
  float milliseconds = 0;
  cuda::check(cudaEventElapsedTime(&milliseconds, m.begin, m.end), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace

// One function per kernel, so that a profile of the launches can tell them apart. Each returns the
// device's seconds for `repeats` launches.

[[gnu::noinline]] double run_basic(const Multiplication& m, uint64_t repeats) {
  const dim3 grid(m.n / kTile, m.n / kTile), block(kTile, kTile);
  cuda::check(cudaEventRecord(m.begin), "cudaEventRecord");
  for (uint64_t i = 0; i < repeats; ++i) multiply_basic<<<grid, block>>>(m.a, m.b, m.c, m.n);
  return finish(m);
}

[[gnu::noinline]] double run_local_access(const Multiplication& m, uint64_t repeats) {
  const dim3 grid(m.n / kTile, m.n / kTile), block(kTile, kTile);
  cuda::check(cudaEventRecord(m.begin), "cudaEventRecord");
  for (uint64_t i = 0; i < repeats; ++i) multiply_local_access<<<grid, block>>>(m.a, m.b, m.c, m.n);
  return finish(m);
}

[[gnu::noinline]] double run_tiled(const Multiplication& m, uint64_t repeats) {
  const dim3 grid(m.n / kTile, m.n / kTile), block(kTile, kTile / kRows);
  cuda::check(cudaEventRecord(m.begin), "cudaEventRecord");
  for (uint64_t i = 0; i < repeats; ++i)
    multiply_local_access_and_tiling<<<grid, block>>>(m.a, m.b, m.c, m.n);
  return finish(m);
}

namespace {

using Variant = demo::Variant<Multiplication>;

struct Settings {
  uint64_t n = 2048;
  uint64_t repeats = 0;  // launches of each kernel; 0: as many as fill `seconds`
  uint64_t seconds = 3;
};

// Launches of a kernel before it is the next one's turn: milliseconds of work, as a rule.
constexpr uint64_t kTurn = 4;

float* to_device(const std::vector<float>& content) {
  float* made = nullptr;
  cuda::check(cudaMalloc(&made, content.size() * sizeof(float)), "cudaMalloc");
  cuda::check(
      cudaMemcpy(made, content.data(), content.size() * sizeof(float), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  return made;
}

// Checks rows of the product, in all positions within a block.
class Checker {
 public:
  Checker(const std::vector<float>& a, const std::vector<float>& b, size_t n) : n_(n) {
    for (size_t row = 0; row < n; row += kStep) rows_.push_back(demo::reference_row(a, b, n, row));
  }

  void check(const std::vector<float>& c, const char* kernel) const {
    for (size_t i = 0; i < rows_.size(); ++i)
      demo::check_row(c.data() + i * kStep * n_, rows_[i], i * kStep, kernel);
  }

 private:
  static constexpr size_t kStep = 61;  // coprime to kTile
  size_t n_;
  std::vector<std::vector<double>> rows_;
};

void run(const Multiplication& m, Variant& variant, uint64_t repeats) {
  variant.seconds += variant.run(m, repeats);
  variant.launches += repeats;
}

// Makes the first launch, which loads the kernel: events would measure the loading too.
void run_checked(const Multiplication& m, Variant& variant, const Checker& checker) {
  std::vector<float> c(size_t{m.n} * m.n);
  // all bits set is NaN
  cuda::check(cudaMemset(m.c, 0xff, c.size() * sizeof(float)), "cudaMemset");
  variant.run(m, 1);
  ++variant.launches;
  cuda::check(cudaMemcpy(c.data(), m.c, c.size() * sizeof(float), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
  checker.check(c, variant.kernel);
}

void multiply(const Settings& settings) {
  std::printf("device: %s\n", cuda::device_text().c_str());
  const std::vector<float> a = demo::random_matrix(settings.n, 1),
                           b = demo::random_matrix(settings.n, 2);
  const Checker checker(a, b, settings.n);
  Multiplication m;
  m.n = static_cast<unsigned>(settings.n);
  m.a = to_device(a);
  m.b = to_device(b);
  m.c = to_device(a);
  cuda::check(cudaEventCreate(&m.begin), "cudaEventCreate");
  cuda::check(cudaEventCreate(&m.end), "cudaEventCreate");

  std::array<Variant, 3> variants = {{{"multiply_basic", run_basic},
                                      {"multiply_local_access", run_local_access},
                                      {"multiply_local_access_and_tiling", run_tiled}}};
  for (Variant& variant : variants) run_checked(m, variant, checker);
  double each_once = 0;
  for (Variant& variant : variants) {
    run(m, variant, 1);
    each_once += variant.seconds;
  }
  uint64_t repeats = settings.repeats;
  if (repeats == 0) repeats = demo::repeats_in(settings.seconds, each_once);
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t done = 0; done < repeats; done += kTurn)
    for (Variant& variant : variants) run(m, variant, std::min(kTurn, repeats - done));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  demo::print_table(variants);
  std::printf("repeats %ju\n", static_cast<uintmax_t>(repeats));
  std::printf("took %.6f s\n", took.count());
}

constexpr const char* kHelp =
    "usage: cuda_matmul [options]\n"
    "Multiplies two matrices on a CUDA device with three kernels and prints the device's time.\n"
    "  --size N          rows of the matrices, a multiple of 16 (default: 2048)\n"
    "  --repeats N       launches of each kernel (default: as many as --seconds holds)\n"
    "  --seconds S       device time to fill, all kernels together (default: 3)\n"
    "  --help            this text\n";

Settings parse_options(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " needs a number");
    if (option == "--size")
      settings.n = demo::parse_number(option, argv[i + 1], 16384);
    else if (option == "--repeats")
      settings.repeats = demo::parse_number(option, argv[i + 1], 1000000000);
    else if (option == "--seconds")
      settings.seconds = demo::parse_number(option, argv[i + 1], 86400);
    else
      throw std::invalid_argument("unexpected '" + std::string(option) + "'");
  }
  if (settings.n % kTile != 0) throw std::invalid_argument("--size must be a multiple of 16");
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kHelp, stdout) < 0;
    multiply(parse_options(argc, argv));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "cuda_matmul: %s; try 'cuda_matmul --help'\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_matmul: %s\n", error.what());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
