// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/output_name.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw UsageError("option '--output': " + what);
}

std::string known(const std::string& value, const char* what) {
  if (value.empty()) fail(what);
  return value;
}

// Cuts `{NAME}` off the text at `at`.
std::string variable(const std::string& pattern, size_t& at) {
  const size_t end = pattern.find('}', at);
  if (pattern.compare(at, 1, "{") != 0 || end == std::string::npos)
    fail("%q is not followed by {NAME}");
  const std::string name = pattern.substr(at + 1, end - at - 1);
  at = end + 1;
  const char* value = getenv(name.c_str());
  if (value == nullptr) fail("%q{" + name + "}: the variable is not set");
  return value;
}

}  // namespace

std::string output_name(const std::string& pattern, const ProcessFacts& facts) {
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '%') {
      out += pattern[at++];
      continue;
    }
    const char what = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    at += 2;
    if (what == '%') {
      out += '%';
    } else if (what == 'h') {
      utsname system{};
      uname(&system);
      out += system.nodename;
    } else if (what == 'p') {
      out += std::to_string(getpid());
    } else if (what == 'r') {
      out += known(facts.rank, "%r: no variable of the environment tells a rank");
    } else if (what == 'j') {
      out += known(facts.job, "%j: no variable of the environment tells a job");
    } else if (what == 'q') {
      out += variable(pattern, at);
    } else {
      fail("% is not followed by h, p, r, j, q{NAME} or %");
    }
  }
  return out;
}

}  // namespace aiflame::record
