// SPDX-License-Identifier: MIT
// Decides which events of perf are kernel launches: samples of a probe on a launch function.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aiflame {

// The events that scripts/launch-probes.sh and `perf probe` create for the launch functions.
extern const char kDefaultLaunchEvents[];

// The probe's argument that holds the return address of the probed function.
inline constexpr const char kCallerArgument[] = "caller";
// The probe's arguments that name the kernel, if they are text. The first one present counts.
inline constexpr const char* kKernelArguments[] = {"kernel", "kernel_name", "name"};
// The kernel's name in the arguments as perf script prints them, `(7f2c9a3b1aaa) kernel="iterate"`.
// Empty where no argument names it.
std::string_view kernel_argument(std::string_view arguments);
// Whether the text is a name: not empty, and not what the kernel writes when it could not read one.
bool is_kernel_name(std::string_view text);

class LaunchEvents {
 public:
  // `patterns`: a comma-separated list; `*`, `?` and `[…]` as in a shell.
  explicit LaunchEvents(const std::string& patterns);

  // Whether samples of this event are launches. Remembers the answers: a recording has few events.
  bool is_launch(std::string_view event);

 private:
  std::vector<std::string> patterns_;
  std::unordered_map<std::string, bool> known_;
  std::string last_event_;
  bool last_is_launch_ = false;
};

}  // namespace aiflame
