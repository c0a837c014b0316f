// SPDX-License-Identifier: MIT
#include "tests/demo/core_time.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace demo {

CoreTime core_time() {
  CoreTime sum;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream file(task.path() / "schedstat");
    uint64_t ran = 0;
    uint64_t waited = 0;
    if (!(file >> ran >> waited)) continue;  // the thread has just ended
    sum.ran += static_cast<double>(ran) * 1e-9;
    sum.waited += static_cast<double>(waited) * 1e-9;
  }
  return sum;
}

void print_waited(const CoreTime& before) {
  const CoreTime now = core_time();
  const double waited = now.waited - before.waited;
  const double wanted = now.ran - before.ran + waited;
  std::printf("waited %.3f s of %.3f s for a core (%.2f %%)\n", waited, wanted,
              wanted > 0 ? 100 * waited / wanted : 0.0);
}

}  // namespace demo
