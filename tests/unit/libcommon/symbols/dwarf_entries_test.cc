// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf_entries.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

namespace aiflame {
namespace {

// Finds functions as libdw does: from an entry to its first child, then to its sibling.
void add_functions(Dwarf_Die die, std::set<Dwarf_Off>& out) {
  for (;;) {
    if (dwarf_tag(&die) == DW_TAG_subprogram &&
        (dwarf_hasattr(&die, DW_AT_low_pc) != 0 || dwarf_hasattr(&die, DW_AT_ranges) != 0))
      out.insert(dwarf_dieoffset(&die));
    Dwarf_Die child;
    if (dwarf_child(&die, &child) == 0) add_functions(child, out);
    Dwarf_Die next;
    if (dwarf_siblingof(&die, &next) != 0) return;
    die = next;
  }
}

class DwarfEntries : public testing::Test {
 protected:
  // Checks that the functions found are those that libdw finds; returns their number.
  size_t compare(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Dwarf* const dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
    size_t total = 0;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die own, split;
    while (dwarf != nullptr &&
           dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &own, &split) == 0) {
      const Dwarf_Die& whole = split.addr != nullptr ? split : own;
      std::set<Dwarf_Off> expected, found;
      add_functions(whole, expected);
      DwarfBudget budget{UINT64_MAX};
      for (Dwarf_Die& function : functions_with_code(whole, budget))
        found.insert(dwarf_dieoffset(&function));
      EXPECT_EQ(found, expected) << path << " unit at " << dwarf_dieoffset(&own);
      total += found.size();
    }
    dwarf_end(dwarf);
    if (fd >= 0) close(fd);
    return total;
  }
  // Compiles functions in namespaces, classes and functions, and inlined ones. False: no such
  // compiler, or it rejects the options.
  bool compile(const std::string& compiler) {
    std::ofstream(path_ + ".cc")
        << "namespace a { struct S { int x; int f(int y); }; int S::f(int y) { return x * y; }\n"
           "template <typename T> T sum(const T* all, int n) {\n"
           "  struct Local { static T add(T a, T b) { volatile T c = a; return c + b; } };\n"
           "  T out{}; for (int i = 0; i < n; ++i) out = Local::add(out, all[i]); return out; } }\n"
           "__attribute__((noipa, noinline)) int call(int (*what)(int), int x) { return what(x); "
           "}\n"
           "inline auto less() { return [](int p) { volatile int r = p; return r - 1; }; }\n"
           "int g(int* v, int n) {\n"
           "  int out = call(less(), n);\n"
           "  try { out += a::sum(v, n); } catch (...) { out = 0; }\n"
           "  return a::S{3}.f(out); }\n";
    const std::string command = compiler + " -fPIC -shared -o '" + path_ + "' '" + path_ + ".cc'";
    return std::system((command + " 2>/dev/null").c_str()) == 0;
  }
  ~DwarfEntries() override {
    unlink(path_.c_str());
    unlink((path_ + ".cc").c_str());
  }
  const std::string path_ = testing::TempDir() + "dwarf_entries." + std::to_string(getpid());
};

TEST_F(DwarfEntries, FunctionsOfThisProgram) {
  EXPECT_GT(compare("/proc/self/exe"), 100u);
}

TEST_F(DwarfEntries, FunctionsOfAllCompilersAndVersions) {
  const std::string optionss[] = {"-g -O0",
                                  "-g -O2",
                                  "-gdwarf-2 -gstrict-dwarf -O1",
                                  "-gdwarf-3 -gstrict-dwarf -O1",
                                  "-gdwarf-4 -gstrict-dwarf -O2",
                                  "-gdwarf-5 -gstrict-dwarf -O2",
                                  "-gdwarf-4 -fdebug-types-section",
                                  "-gdwarf-5 -fdebug-types-section",
                                  "-g -O2 -flto",
                                  "-g -gdwarf64 -O1"};
  for (const std::string compiler : {"g++ ", "clang++ "})
    for (const std::string& options : optionss) {
      if (!compile(compiler + options)) {
        // clang is not installed, or has no such option
        ASSERT_TRUE(compiler != "g++ ") << options;
        continue;
      }
      EXPECT_GE(compare(path_), 4u) << compiler << options;
    }
}

}  // namespace
}  // namespace aiflame
