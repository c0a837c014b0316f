// SPDX-License-Identifier: MIT
#include "libcommon/device/function_name.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(DeviceFunctionName, WithAndWithoutParameters) {
  EXPECT_EQ(device_function_name("_Z9templatedIfEvPT_PKS0_i", false), "templated<float>");
  EXPECT_EQ(device_function_name("_Z9templatedIfEvPT_PKS0_i", true),
            "void templated<float>(float*, float const*, int)");
  EXPECT_EQ(device_function_name("copy(float*, int)", false), "copy");
  EXPECT_EQ(device_function_name("copy(float*, int)", true), "copy(float*, int)");
  EXPECT_EQ(device_function_name("plain", true), "plain");
}

TEST(DeviceFunctionName, ParametersOfALambdaArePartOfItsName) {
  EXPECT_EQ(device_function_name("_ZZ4mainENKUlfE_clEf", false), "main::{lambda(float)#1}");
  EXPECT_EQ(device_function_name("_ZZ4mainENKUlfE_clEf", true),
            "main::{lambda(float)#1}::operator()(float) const");
  EXPECT_EQ(device_function_name("_ZTSZ4mainEUlvE_", false), "main::{lambda()#1}");
}

TEST(DeviceFunctionName, DeviceFunctionsInAKernel) {
  EXPECT_EQ(device_function_name("$plain$_Z7poweredIfET_S0_i", false), "powered<float>");
  EXPECT_EQ(device_function_name("$_Z4usesPf$__internal_0_$__cuda_sm3x_div_rn_slowpath", false),
            "__cuda_sm3x_div_rn_slowpath");
  EXPECT_EQ(device_function_name("$", false), "$");
  EXPECT_EQ(device_function_name("$plain$", false), "$plain$");
}

TEST(DeviceFunctionName, OneNameHoweverItIsWritten) {
  const char* kShort = "twork::{lambda(handler&)#1}::{lambda(auto:1)#1}";
  for (const char* name :
       {"_ZTSZZ5tworkiiENKUlRN4sycl3_V17handlerEE_clES2_EUlT_E_",
        "typeinfo name for twork(int, int)::{lambda(sycl::_V1::handler&)#1}::operator()"
        "(sycl::_V1::handler&) const::{lambda(auto:1)#1}"})
    EXPECT_EQ(device_function_name(name, false), kShort);
}

TEST(DeviceFunctionName, DescriptorsOfAmdsKernels) {
  EXPECT_EQ(device_function_name("__amd_rocclr_copyBuffer.kd", false), "__amd_rocclr_copyBuffer");
  EXPECT_EQ(device_function_name("_Z4copyPfi.kd", false), "copy");
}

// nvcc makes static names unique by a hash of the source; it is removed.
TEST(DeviceFunctionName, WithoutHashes) {
  EXPECT_EQ(device_function_name("_ZN37_GLOBAL__N__a9ca3b7f_8_multi_cu_plain6hiddenEPfPKf", true),
            "(anonymous namespace)::hidden(float*, float const*)");
  EXPECT_EQ(device_function_name("_ZN34_INTERNAL_b6d9eb62_4_a_cu_354b916b5localEfi", false),
            "local");
  // a name that the source itself has
  EXPECT_EQ(device_function_name("_ZN14_INTERNAL_mine1fEv", false), "_INTERNAL_mine::f");
  EXPECT_EQ(device_function_name("_INTERNAL_b6d9eb62_4_a_cu_354b916b", false),
            "_INTERNAL_b6d9eb62_4_a_cu_354b916b");
}

// clang's hash of a file, on static kernels of HIP
TEST(DeviceFunctionName, WithoutTheHashOfAStaticKernel) {
  EXPECT_EQ(device_function_name("_ZN12_GLOBAL__N_14copyEPf.intern.0a1b2c3d", false), "copy");
  EXPECT_EQ(device_function_name("_ZL4copyPf.static.0a1b2c3d4e5f6071", true), "copy(float*)");
  EXPECT_EQ(device_function_name("plain.static.0a1b2c3d", false), "plain.static.0a1b2c3d");
}

// libiberty does not demangle it, since it could recurse too deep.
TEST(DeviceFunctionName, TheBeginningOfANameThatIsTooLong) {
  std::string symbol = "_ZN2ck6device4gemmI";
  for (int i = 0; i < 500; ++i) symbol += "N2ab4TypeE";
  symbol += "EEvT_";
  const std::string name = device_function_name(symbol, false);
  EXPECT_TRUE(name.starts_with("ck::device::gemm<")) << name;
  EXPECT_LE(name.size(), 120U);
  std::string other = symbol;
  other.replace(other.size() - 15, 10, "N2ab4KindE");
  EXPECT_NE(device_function_name(other, false), name);
  EXPECT_EQ(device_function_name(symbol, true), symbol);
}

}  // namespace
}  // namespace aiflame
