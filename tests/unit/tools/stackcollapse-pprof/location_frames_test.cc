// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/location_frames.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace aiflame::pprof {
namespace {

// The frame of a function by its name and file.
std::string frame(const std::string& name, const std::string& file = "",
                  const NameRules& rules = {}) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_message(1, std::string("\x08\x01"));
  for (const std::string& text : {std::string(), name, file}) writer.add_string(6, text);
  const Profile profile(message, "x");
  Function function;
  function.name = 1;
  function.file = 2;
  function.start_line = 41;
  return function_frame(profile, function, rules);
}

TEST(LocationFrames, ParametersOfCAndJavaGo) {
  EXPECT_EQ(frame("a::f(int, char) const"), "a::f");
  EXPECT_EQ(frame("f(int) [clone .isra.0]"), "f");
  EXPECT_EQ(frame("_ZN1a4growEm"), "a::grow");
  EXPECT_EQ(frame("org.x.Y.z(int, java.lang.String)"), "org.x.Y.z");
  EXPECT_EQ(frame("a::f(int)", "", {.full_names = true}), "a::f(int)");
}

TEST(LocationFrames, OtherParenthesesStay) {
  for (const char* name :
       {"net/http.(*Client).Do", "(anonymous) app.js:1", "(program)", "LazyCompile:~f(a) app.js:3",
        "step (train.py:41)", "<(A, B) as Foo>::bar", "main.Map[...].func1"})
    EXPECT_EQ(frame(name), name);
}

TEST(LocationFrames, PythonByItsFiles) {
  EXPECT_EQ(frame("step", "/a/train.py"), "py::step:train.py");
  EXPECT_EQ(frame("step", "/a/train.py", {.full_paths = true, .lines = true}),
            "py::step:/a/train.py:41");
  EXPECT_EQ(frame("_call", "<frozen importlib._bootstrap>"),
            "py::_call:<frozen importlib._bootstrap>");
}

}  // namespace
}  // namespace aiflame::pprof
