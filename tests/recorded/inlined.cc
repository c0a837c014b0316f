// SPDX-License-Identifier: MIT
// inlined [SECONDS]: a program to record: three functions inlined into one another, in one that is
// not, for SECONDS of processor time. All have external linkage. The tests know the line numbers.
#include <cstdlib>
#include <ctime>

namespace shapes {

struct Point {
  float x, y;
};

template <typename T>
[[gnu::always_inline]] inline T square(T value) {
  // long enough that samples fall into it
#if defined(__aarch64__)
  for (int i = 0; i < 8; ++i) asm volatile("fmul %s0, %s0, %s0" : "+w"(value));
#else
  for (int i = 0; i < 8; ++i) asm volatile("mulss %0, %0" : "+x"(value));
#endif
  return value;
}

[[gnu::always_inline]] inline float length(const Point& point) {
  return square(point.x) + square(point.y);
}

[[gnu::always_inline]] inline float sum(const Point* points, int count) {
  float all = 0;
  for (int i = 0; i < count; ++i) all += length(points[i]);
  return all;
}

[[gnu::noinline]] float measure(const Point* points, int count) {
  return sum(points, count) + 1;
}

[[gnu::noinline]] float measure_often(const Point* points, int count) {
  float all = 0;
  for (int i = 0; i < 1000; ++i) all += measure(points, count);
  return all;
}

}  // namespace shapes

int main(int argc, char** argv) {
  // processor time, so that a busy machine gives as many samples
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  const auto end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  shapes::Point points[64];
  for (shapes::Point& point : points) point = {1.25F, 0.75F};
  float all = 0;
  while (std::clock() < end) {
    all += shapes::measure_often(points, 64);
    if (all < 0) return 1;
  }
  return all == 0 ? 1 : 0;
}
