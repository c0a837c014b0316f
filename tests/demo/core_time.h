// SPDX-License-Identifier: MIT
// How long this process's threads ran, and how long they were ready but had to wait for a core. A
// benchmark prints it to show whether its machine was quiet.
#pragma once

namespace demo {

struct CoreTime {
  double ran = 0;     // seconds
  double waited = 0;  // seconds
};

// The sums over the threads that live now, from /proc/self/task/*/schedstat; zeros where the kernel
// does not keep them.
CoreTime core_time();

// Prints "waited 0.003 s of 8.120 s for a core (0.04 %)": the time since `before`.
void print_waited(const CoreTime& before);

}  // namespace demo
