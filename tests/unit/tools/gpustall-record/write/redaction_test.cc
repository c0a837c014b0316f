// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/redaction.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(redacted_symbol("f /a/b /c/d"), "f b d");
  EXPECT_EQ(redacted_symbol("f /apollo/"), "f ");
}

}  // namespace
}  // namespace aiflame::record
