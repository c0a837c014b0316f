// SPDX-License-Identifier: MIT
#include "libcommon/import/imported_names.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(ImportedNames, PythonFunctions) {
  const NameRules rules;
  EXPECT_EQ(python_frame("/home/u/train.py(41): step", rules), "py::step:train.py");
  EXPECT_EQ(python_frame("a(1)/b.py(7): <lambda>", rules), "py::<lambda>:b.py:7");
  EXPECT_EQ(python_frame("/x/torch/__init__.py(7): f", rules), "py::f:torch/__init__.py");
  EXPECT_EQ(python_frame("train.py(41): step", {.lines = true}), "py::step:train.py:41");
  EXPECT_EQ(python_frame("/home/u/train.py(41): step", {.full_paths = true}),
            "py::step:/home/u/train.py");
  EXPECT_EQ(python_frame("<built-in method mm of type object at 0x7f2ac01>", rules),
            "py::<built-in method mm>");
  EXPECT_EQ(python_frame("<built-in function len>", rules), "py::<built-in function len>");
  EXPECT_EQ(python_frame("nn.Module: Linear_3", rules), "Linear_3_[m]");
  EXPECT_EQ(python_frame("f(x): y", rules), "py::f(x): y");
  EXPECT_EQ(python_frame("", rules), "py::");
}

TEST(ImportedNames, DeviceCode) {
  EXPECT_EQ(kernel_frame("void gemm<float>(float*, int)", {}), "gemm<float>_[G]");
  EXPECT_EQ(kernel_frame("_Z4gemmIfEvPT_", {.full_names = true}), "void gemm<float>(float*)_[G]");
  EXPECT_EQ(kernel_frame("add.kd", {}), "add_[G]");
  EXPECT_EQ(kernel_frame("", {}), "[unknown kernel]_[G]");
  EXPECT_EQ(device_file_frame("/a/b/mm.cl", 0, {}), "mm.cl_[G]");
  EXPECT_EQ(device_file_frame("/a/b/mm.cl", 41, {}), "mm.cl:41_[G]");
  EXPECT_EQ(device_file_frame("/a/b/mm.cl", 41, {.full_paths = true}), "/a/b/mm.cl:41_[G]");
  EXPECT_EQ(offset_frame(0xa30), "0xa30_[g]");
}

TEST(ImportedNames, Instructions) {
  EXPECT_EQ(instruction_frame("      IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] "), "IMAD.MOV.U32_[g]");
  EXPECT_EQ(instruction_frame("@!P0 BRA `(.L_1)"), "BRA_[g]");
  EXPECT_EQ(instruction_frame("(W) mov (8) r1 r2"), "mov_[g]");
  EXPECT_EQ(instruction_frame("EXIT;"), "EXIT_[g]");
  EXPECT_EQ(instruction_frame("@P0"), "[unknown]_[g]");
  EXPECT_EQ(instruction_frame(""), "[unknown]_[g]");
}

TEST(ImportedNames, ReasonsByTheNamesThatColoursKnow) {
  EXPECT_EQ(reason_frame("ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT"),
            "waitcnt_[g]");
  EXPECT_EQ(reason_frame("smsp__pcsamp_warps_issue_stalled_long_scoreboard"),
            "long_scoreboard_[g]");
  EXPECT_EQ(reason_frame("of tomorrow"), "of tomorrow_[g]");
}

}  // namespace
}  // namespace aiflame
