// SPDX-License-Identifier: MIT
// Instructions as LLVM prints them.
#include "libcommon/objects/amd/amd_registers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "libcommon/objects/amd/hsaco_object.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"
#include "libcommon/symbols/elf.h"
#include "tests/unit/libcommon/objects/register_flow.h"
#include "tests/unit/libcommon/objects/register_text.h"

namespace aiflame {
namespace {

std::string registers(std::string_view line) {
  std::string operands;
  const std::string mnemonic = llvm_mnemonic(line, &operands);
  return text_of(amd_registers(mnemonic, operands));
}

Operation operation(std::string_view line) {
  return amd_operation(llvm_mnemonic(line));
}

TEST(AmdRegisters, Vectors) {
  EXPECT_EQ(registers("v_add_u32_e32 v4, s2, v0"), "u2 r0 > r4");
  EXPECT_EQ(registers("v_fma_f64 v[18:19], -v[12:13], |v[14:15]|, 1.0"), "r12-13 r14-15 > r18-19");
  EXPECT_EQ(registers("v_fmac_f64_e32 v[14:15], v[14:15], v[18:19]"),
            "r14-15 r14-15 r18-19 > r14-15");
  EXPECT_EQ(registers("v_cmp_gt_i32_e32 vcc, s4, v4"), "u4 r4 > u106-107");
  EXPECT_EQ(registers("v_cmp_gt_i32_e64 s[2:3], s4, v4"), "u4 r4 > u2-3");
  EXPECT_EQ(registers("v_cmpx_gt_u32_e32 vcc, v0, v1"), "r0 r1 > u106-107 u126-127");
  EXPECT_EQ(registers("v_cmpx_gt_u32_e32 v0, v1"), "r0 r1 > u126-127");
  EXPECT_EQ(registers("v_cndmask_b32_e32 v0, v1, v2, vcc"), "r1 r2 u106-107 > r0");
  EXPECT_EQ(registers("v_add_co_u32_e32 v0, vcc, v1, v2"), "r1 r2 > r0 u106-107");
  EXPECT_EQ(registers("v_addc_co_u32_e64 v0, s[2:3], v1, v2, vcc"), "r1 r2 u106-107 > r0 u2-3");
  EXPECT_EQ(registers("v_add_u32_e32 v0, vcc, v1, v2"), "r1 r2 > r0 u106-107");
  EXPECT_EQ(registers("v_div_scale_f64 v[12:13], s[0:1], v[8:9], v[8:9], v[10:11]"),
            "r8-9 r8-9 r10-11 > r12-13 u0-1");
  EXPECT_EQ(registers("v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[8:9]"),
            "r4-5 r6-7 r8-9 u106-107 > r4-5");
  EXPECT_EQ(registers("v_mad_u64_u32 v[0:1], s[4:5], v2, s3, v[6:7]"), "r2 u3 r6-7 > r0-1 u4-5");
  EXPECT_EQ(registers("v_readfirstlane_b32 s4, v3"), "r3 > u4");
  EXPECT_EQ(registers("v_writelane_b32 v3, s1, 2"), "c u1 > r3");
  EXPECT_EQ(registers("v_swap_b32 v1, v2"), "r1 r2 > r1 r2");
  EXPECT_EQ(registers("v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]"),
            "r0-1 r2-3 a0-15 > a0-15");
  EXPECT_EQ(registers("v_accvgpr_read_b32 v4, a7"), "a7 > r4");
  EXPECT_EQ(registers("v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
            "r2 > r1");
  EXPECT_EQ(registers("v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v3, v4"), "r1 r3 r4 > r0 r2");
}

TEST(AmdRegisters, Scalars) {
  EXPECT_EQ(registers("s_load_dwordx2 s[4:5], s[0:1], 0x18"), "u0-1 > u4-5");
  EXPECT_EQ(registers("s_and_b32 s3, s3, 0xffff"), "u3 > u3 f0");
  EXPECT_EQ(registers("s_mul_i32 s2, s2, s3"), "u2 u3 > u2");
  EXPECT_EQ(registers("s_cmp_gt_i32 s5, 0"), "u5 > f0");
  EXPECT_EQ(registers("s_addc_u32 s1, s2, s3"), "u2 u3 f0 > u1 f0");
  EXPECT_EQ(registers("s_cselect_b64 s[2:3], -1, 0"), "f0 > u2-3");
  EXPECT_EQ(registers("s_and_saveexec_b64 s[6:7], s[2:3]"), "u2-3 u126-127 > u6-7 u126-127 f0");
  EXPECT_EQ(registers("s_or_b64 exec, exec, s[6:7]"), "u126-127 u6-7 > u126-127 f0");
  EXPECT_EQ(registers("s_mov_b32 m0, s3"), "u3 > u124");
  EXPECT_EQ(registers("s_cbranch_execz 0x128"), "u126-127 >");
  EXPECT_EQ(registers("s_cbranch_scc1 65530"), "f0 >");
  EXPECT_EQ(registers("s_waitcnt vmcnt(0)"), ">");
  EXPECT_EQ(registers("s_swappc_b64 s[30:31], s[4:5]"), "u4-5 > u30-31");
  EXPECT_EQ(registers("s_setpc_b64 s[30:31]"), "u30-31 >");
  EXPECT_EQ(registers("s_endpgm"), ">");
}

TEST(AmdRegisters, Memory) {
  EXPECT_EQ(registers("global_load_dwordx2 v[2:3], v[0:1], off"), "r0-1 > r2-3");
  EXPECT_EQ(registers("global_load_short_d16_hi v2, v0, s[0:1]"), "c r0 u0-1 > r2");
  EXPECT_EQ(registers("global_store_dword v0, v1, s[2:3] offset:16"), "r0 r1 u2-3 >");
  EXPECT_EQ(registers("global_atomic_add v0, v1, s[2:3]"), "r0 r1 u2-3 >");
  EXPECT_EQ(registers("global_atomic_add v4, v0, v1, s[2:3] sc0"), "r0 r1 u2-3 > r4");
  EXPECT_EQ(registers("buffer_load_dword v1, v0, s[0:3], 0 offen"), "r0 u0-3 > r1");
  EXPECT_EQ(registers("buffer_load_dword v1, s[0:3], 0 offen lds"), "r1 u0-3 >");
  EXPECT_EQ(registers("buffer_store_dword v1, v0, s[0:3], 0 offen"), "r1 r0 u0-3 >");
  EXPECT_EQ(registers("ds_read2_b32 v[0:1], v2 offset0:1 offset1:2"), "r2 > r0-1");
  EXPECT_EQ(registers("ds_write_b64 v0, v[2:3]"), "r0 r2-3 >");
  EXPECT_EQ(registers("ds_add_u32 v2, v3"), "r2 r3 >");
  EXPECT_EQ(registers("ds_add_rtn_u32 v1, v2, v3"), "r2 r3 > r1");
  EXPECT_EQ(registers("ds_bpermute_b32 v1, v2, v3"), "r2 r3 > r1");
  EXPECT_EQ(registers("image_sample v[0:3], [v4, v5], s[0:7], s[8:11] dmask:0xf"),
            "r4 r5 u0-7 u8-11 > r0-3");
  EXPECT_EQ(registers("buffer_gl0_inv"), ">");
  EXPECT_EQ(registers("exp mrt0 v0, v1, v2, v3 done vm"), "r0 r1 r2 r3 >");
  EXPECT_EQ(registers("<unknown> v0, v1"), "? >");
}

TEST(AmdRegisters, Operations) {
  EXPECT_EQ(operation("v_add_u32_e32 v4, s2, v0"), Operation::arithmetic);
  EXPECT_EQ(operation("v_rcp_f64_e32 v[14:15], v[12:13]"), Operation::slow_arithmetic);
  EXPECT_EQ(operation("v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]"),
            Operation::slow_arithmetic);
  EXPECT_EQ(operation("global_load_dwordx2 v[2:3], v[0:1], off"), Operation::load);
  EXPECT_EQ(operation("ds_read2_b32 v[0:1], v2"), Operation::local_load);
  EXPECT_EQ(operation("s_load_dword s3, s[0:1], 0x2c"), Operation::constant_load);
  EXPECT_EQ(operation("global_store_dword v0, v1, s[2:3]"), Operation::store);
  EXPECT_EQ(operation("ds_write_b64 v0, v[2:3]"), Operation::store);
  EXPECT_EQ(operation("global_atomic_add v0, v1, s[2:3]"), Operation::atomic);
  EXPECT_EQ(operation("ds_add_u32 v2, v3"), Operation::atomic);
  EXPECT_EQ(operation("s_barrier"), Operation::barrier);
  EXPECT_EQ(operation("buffer_gl0_inv"), Operation::barrier);
  EXPECT_EQ(operation("s_waitcnt vmcnt(0)"), Operation::control);
  EXPECT_EQ(operation("s_cbranch_execz 0x128"), Operation::control);
  EXPECT_EQ(amd_operation(""), Operation::unknown);
}

void check(const std::string& path, size_t& instructions) {
  const auto opener = hsaco_format();
  const ElfFile elf(path);
  const auto object = opener->open(ElfFile(path));
  for (const ElfFunction& function : elf.functions()) {
    const uint64_t start = elf.offset_of_vaddr(function.start).value_or(0);
    const CodeFlow code = object->code_flow_at(start);
    const CodeListing listing = object->listing_at(start);
    if (listing.unnamed != Unnamed::no) GTEST_SKIP() << "libLLVM does not know the processor";
    instructions += code.offsets.size();
    const RegisterFlow flow(code);
    const auto text = [&](uint32_t index) {
      return path + ": " + listing.code[index].mnemonic + " " + listing.code[index].operands;
    };
    EXPECT_TRUE(flow.known());
    // arguments and numbers of the work-group and the work-item, exec
    for (const uint32_t index : flow.reads_nothing([](RegisterKind kind, uint32_t unit) {
           return (kind == RegisterKind::uniform && (unit < 32 || unit >= 126)) ||
                  (kind == RegisterKind::general && unit < 3);
         }))
      ADD_FAILURE() << "reads what nothing wrote: " << text(index);
    // SCC is written along the way
    for (const uint32_t index : flow.writes_in_vain())
      if (code.registers[index].writes.front().kind != RegisterKind::uniform)
        ADD_FAILURE() << "writes in vain: " << text(index);
  }
}

// The code objects of an MI300, if ../shared/data/hpctoolkit lies beside the repository.
TEST(AmdRegisters, OfGenuineKernels) {
  namespace fs = std::filesystem;
  const fs::path folder = "../shared/data/hpctoolkit/amd";
  if (!fs::exists(folder)) GTEST_SKIP() << "no ../shared/data/hpctoolkit";
  size_t instructions = 0;
  for (const auto& each : fs::directory_iterator(folder))
    if (each.path().extension() == ".gpubin") check(each.path().string(), instructions);
  EXPECT_GT(instructions, 100u);
}

TEST(AmdRegisters, OfCompiledKernels) {
  namespace fs = std::filesystem;
  const std::string out = fs::path(testing::TempDir()) / "amd_registers_test.co";
  size_t instructions = 0;
  for (const char* processor : {"gfx906", "gfx90a", "gfx1030"}) {
    const std::string command = std::string("clang -x cl -cl-std=CL2.0 -target ") +
                                "amdgcn-amd-amdhsa -nogpulib -O2 -mcpu=" + processor + " -o '" +
                                out + "' tests/data/hsaco/waits.cl > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no clang for AMD GPUs";
    check(out, instructions);
  }
  EXPECT_GT(instructions, 100u);
}

}  // namespace
}  // namespace aiflame
