#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
template <class F>
__attribute__((noinline)) double each(F f, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += f(i);
  return s;
}
namespace app {
struct Engine {
  double k;
  __attribute__((noinline)) double step(int n) {
    auto cheap = [this](double x) __attribute__((noinline)) {
      double s = 0;
      for (int i = 0; i < 30; i++) s += std::sqrt(x * k + i);
      return s;
    };
    auto dear = [this](double x) __attribute__((noinline)) {
      double s = 0;
      for (int i = 0; i < 300; i++) s += std::sin(x * k + i);
      return s;
    };
    return each(cheap, n) + each(dear, n);
  }
};
__attribute__((noinline)) double freefn(double y, int n) {
  struct Local {
    double y;
    __attribute__((noinline)) double run(int i) const {
      double s = 0;
      for (int j = 0; j < 200; j++) s += std::cos(y * i + j);
      return s;
    }
  } l{y};
  double s = 0;
  for (int i = 0; i < n; i++) s += l.run(i);
  return s;
}
}  // namespace app
int main() {
  app::Engine e{1.5};
  double s = e.step(60000) + app::freefn(2, 40000);
  std::vector<double> v(300000);
  for (size_t i = 0; i < v.size(); i++) v[i] = i * 7919 % 100003;
  std::sort(
      v.begin(), v.end(), [](double a, double b) __attribute__((noinline)) { return a < b; });
  printf("%f %f\n", s, v[5]);
}
