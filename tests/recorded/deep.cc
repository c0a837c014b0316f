// SPDX-License-Identifier: MIT
// deep [SECONDS]: a program to record: templates forty deep, a library's sort and map, lambdas,
// calls through a procedure linkage table, a thread, a fork and an exec.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace deep {
namespace {

template <int N>
struct Level {
  [[gnu::noinline]] static unsigned long run(unsigned long x) {
    unsigned long below = Level<N - 1>::run(x) * 3 + x;
    asm volatile("" : "+r"(below));  // no tail call
    return below + 1;
  }
};

template <>
struct Level<0> {
  [[gnu::noinline]] static unsigned long run(unsigned long x) {
    std::vector<unsigned long> numbers;
    for (unsigned long i = 0; i < 200; ++i) numbers.push_back(x * i % 1009);
    std::sort(numbers.begin(), numbers.end());
    std::map<std::string, int> names;
    for (unsigned long i = 0; i < 20; ++i) ++names[std::to_string(x + i)];
    return numbers[3] + names.size();
  }
};

unsigned long work(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  unsigned long x = 1;
  while (Clock::now() < end) {
    x += Level<40>::run(x);
    const std::function<unsigned long(unsigned long)> shallow = [&x](unsigned long y) {
      return Level<5>::run(x + y);
    };
    x += shallow(3);
  }
  return x;
}

}  // namespace
}  // namespace deep

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  unsigned long sum = 0;
  std::thread other([&] { sum += deep::work(seconds); });
  const pid_t child = fork();
  if (child == 0) {
    const unsigned long done = deep::work(seconds / 2);
    execlp("ls", "ls", "-lR", done == 0 ? "/" : "/usr/include/linux", static_cast<char*>(nullptr));
    _exit(127);
  }
  const unsigned long own = deep::work(seconds);
  other.join();
  int status = 0;
  waitpid(child, &status, 0);
  return own + sum == 0 ? 1 : 0;
}
