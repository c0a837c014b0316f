// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/redaction.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aiflame::record {
namespace {

TEST(Redaction, LeavesOfAPathItsName) {
  EXPECT_EQ(redacted_path("/home/alice/apollo/app"), "app");
  EXPECT_EQ(redacted_path("/tmp/apollo/libx.so (deleted)"), "libx.so (deleted)");
  EXPECT_EQ(redacted_path("relative/app"), "app");
  EXPECT_EQ(redacted_path("//anon"), "anon");
  EXPECT_EQ(redacted_path("/apollo/"), "[redacted]");
  for (const char* same : {"[vdso]", "[kernel.kallsyms]", "app", ""})
    EXPECT_EQ(redacted_path(same), same);
}

TEST(Redaction, LeavesOfAPythonFrameFunctionFileAndLine) {
  EXPECT_EQ(redacted_symbol("py::step:/srv/apollo/train.py:41"), "py::step:train.py:41");
  EXPECT_EQ(redacted_symbol("py::step:apollo/train.py:?"), "py::step:train.py:?");
  EXPECT_EQ(redacted_symbol("py::a.b.<locals>.f:/a b:c/d.py:7"), "py::a.b.<locals>.f:d.py:7");
  EXPECT_EQ(redacted_symbol("py::step:<string>:1"), "py::step:<string>:1");
  EXPECT_EQ(redacted_symbol("py::step"), "py::step");
}

TEST(Redaction, LeavesNamesOfFunctionsAndTakesPathsInThem) {
  for (const char* same : {"main", "operator/(V const&, V const&)", "a / b", "operator/=", "/",
                           "x::operator/ <int>", "github.com/grafana/pkg.(*T).Run", ""})
    EXPECT_EQ(redacted_symbol(same), same);
  EXPECT_EQ(redacted_symbol("LazyCompile:~f /srv/apollo/x.js:7"), "LazyCompile:~f x.js:7");
  EXPECT_EQ(redacted_symbol("/srv/apollo/gen.cu"), "gen.cu");
  EXPECT_EQ(redacted_symbol("run(/home/a/b)::x"), "run(b)::x");
  EXPECT_EQ(redacted_symbol("f /apollo/"), "f ");
  // between two paths nothing can be told from a directory
  EXPECT_EQ(redacted_symbol("f /a/b /c/d"), "f d");
}

TEST(Redaction, TakesPathsWithBlanksAndOtherCharacters) {
  EXPECT_EQ(redacted_symbol("LazyCompile:~f /home/alice smith/app.js:7"),
            "LazyCompile:~f app.js:7");
  EXPECT_EQ(redacted_symbol("JS:*f file:///home/alice (work)/app.mjs:7:1"),
            "JS:*f file:app.mjs:7:1");
  EXPECT_EQ(redacted_symbol("main::{lambda at /home/a: b, c]/x.cc:3:5}"),
            "main::{lambda at x.cc:3:5}");
  EXPECT_EQ(redacted_symbol("f </srv/apollo/x>"), "f <x>");
  EXPECT_EQ(redacted_symbol("Script:~../alice smith/app.js:1"), "Script:~app.js:1");
  EXPECT_EQ(redacted_symbol("py::f:/home/alice: x/app.py"), "py::f:app.py");
}

// A directory of every byte but the slash and the zero, in each place where runtimes put a path.
TEST(Redaction, LeavesNoDirectoryWhateverItIsCalled) {
  struct Frame {
    const char *before, *behind;
  };
  const Frame frames[] = {{"", ""},
                          {"LazyCompile:~f ", ":7"},
                          {"JS:^f ", ":7:12"},
                          {"Script:~", ":1:1"},
                          {"JS:*f file:", ":7:12"},
                          {"py::step:", ":41"},
                          {"py::a.<locals>.f:", ":?"},
                          {"run(", ")::x"},
                          {"main::{lambda(int) at ", ":3:5}::operator()(int) const"},
                          {"main::(anonymous class at ", ":3:5)"},
                          {"std::function<'", "'>"},
                          {"f[\"", "\"]"},
                          {"php=", ""}};
  std::mt19937 random(7);
  const auto text = [&](size_t most) {
    std::string out;
    for (size_t size = random() % (most + 1); out.size() < size;) {
      const char c = static_cast<char>(1 + random() % 255);
      if (c != '/') out += c;
    }
    return out;
  };
  for (int round = 0; round < 20000; ++round) {
    for (const Frame& frame : frames) {
      std::string path = "/";
      for (size_t depth = 1 + random() % 4; depth > 0; --depth)
        path.append(text(6)).append("Alice").append(text(6)).append("/");
      const std::string file = "x" + text(8);
      const std::string end = file + frame.behind;
      std::string name = frame.before;
      name.append(path).append(end);
      ASSERT_EQ(redacted_symbol(name), frame.before + end) << name;
    }
  }
  // and each byte alone
  for (int byte = 1; byte < 256; ++byte) {
    if (byte == '/') continue;
    const std::string directory = std::string("/Alice") + static_cast<char>(byte) + "Smith/";
    EXPECT_EQ(redacted_symbol("f " + directory + "app.js:7"), "f app.js:7") << byte;
    EXPECT_EQ(redacted_path(directory + "app"), "app") << byte;
  }
}

}  // namespace
}  // namespace aiflame::record
