// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/nvdisasm.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aiflame {
namespace {

using namespace std::string_literals;
using Failure = DisassemblyFailure;

// Sets a variable of the environment for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (had_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

// Makes a toolkit with an nvdisasm of its own.
class Toolkit {
 public:
  explicit Toolkit(const std::string& program)
      : directory_(testing::TempDir() + "nvdisasm_test." + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/bin");
    const std::string path = directory_ + "/bin/nvdisasm";
    std::ofstream(path) << program;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  ~Toolkit() { std::filesystem::remove_all(directory_); }
  Toolkit(const Toolkit&) = delete;
  Toolkit& operator=(const Toolkit&) = delete;
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

constexpr const char* kPath = "/usr/bin:/bin";
const std::string kCode(32, '\7');

TEST(Nvdisasm, NotInstalled) {
  const Environment path("PATH", "/nonexistent"), home("CUDA_HOME", "/nonexistent");
  Nvdisasm nvdisasm;
  EXPECT_EQ(nvdisasm.disassemble(90, kCode).failure, Failure::not_installed);
  EXPECT_EQ(nvdisasm.disassemble(90, kCode).failure, Failure::not_installed);
}

TEST(Nvdisasm, IsFoundInTheToolkitOrOnPath) {
  const Toolkit toolkit(
      "#!/bin/sh\necho \"/*0000*/ LDC ; /*$1 $2 $3*/\"\necho '/*0010*/ EXIT ;'\n");
  const std::vector<SassInstruction> expected = {{"LDC", "", ""}, {"EXIT", "", ""}};
  {
    const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
    const Nvdisasm::Listing listing = Nvdisasm().disassemble(90, kCode);
    EXPECT_EQ(listing.failure, Failure::none);
    EXPECT_EQ(listing.code, expected);
  }
  const Environment path("PATH", toolkit.directory() + "/bin:" + kPath);
  const Environment home("CUDA_HOME", "/nonexistent");
  EXPECT_EQ(Nvdisasm().disassemble(90, kCode).code, expected);
}

TEST(Nvdisasm, ItsArgumentsAndInput) {
  const Toolkit toolkit(
      "#!/bin/sh\n"
      "[ \"$*\" = '-b SM90 /dev/fd/3' ] && [ \"$(wc -c < /dev/fd/3)\" -eq 32 ] && "
      "echo '/*0000*/ LDC ;'\n");
  const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
  EXPECT_EQ(Nvdisasm().disassemble(90, kCode).failure, Failure::none);
}

TEST(Nvdisasm, AnArchitectureThatItDoesNotKnow) {
  const Toolkit toolkit("#!/bin/sh\n[ $2 = SM75 ] && echo '/*0000*/ NOP ;'\nexit 1\n");
  const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
  Nvdisasm nvdisasm;
  EXPECT_EQ(nvdisasm.disassemble(121, kCode).failure, Failure::unknown_gpu);
  EXPECT_EQ(nvdisasm.disassemble(121, kCode).failure, Failure::unknown_gpu);
  EXPECT_EQ(nvdisasm.disassemble(75, kCode).failure, Failure::none);
}

TEST(Nvdisasm, CodeThatItFailsOn) {
  // it accepts only sixteen bytes: a NOP
  const Toolkit toolkit(
      "#!/bin/sh\n[ \"$(wc -c < /dev/fd/3)\" -eq 16 ] && echo '/*0000*/ NOP ;'\n");
  const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
  Nvdisasm nvdisasm;
  EXPECT_EQ(nvdisasm.disassemble(90, kCode).failure, Failure::failed);
  EXPECT_EQ(nvdisasm.disassemble(90, std::string(16, '\7')).failure, Failure::none);
  EXPECT_EQ(nvdisasm.disassemble(90, "").failure, Failure::failed);
  EXPECT_EQ(nvdisasm.disassemble(90, std::string(Nvdisasm::kMaxCode + 1, '\0')).failure,
            Failure::failed);
}

TEST(Nvdisasm, AProgramThatReachesALimitIsNotRunAgain) {
  const Toolkit toolkit("#!/bin/sh\nwhile :; do echo; done\n");
  const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
  Nvdisasm nvdisasm;
  EXPECT_EQ(nvdisasm.disassemble(90, kCode).failure, Failure::too_long);
  EXPECT_EQ(nvdisasm.disassemble(90, kCode).failure, Failure::too_long);
}

TEST(Nvdisasm, WhatItPrintedUpToALimitIsUsed) {
  const Toolkit toolkit("#!/bin/sh\necho '/*0000*/ LDC ;'\nwhile :; do echo; done\n");
  const Environment path("PATH", kPath), home("CUDA_HOME", toolkit.directory());
  const Nvdisasm::Listing listing = Nvdisasm().disassemble(90, kCode);
  EXPECT_EQ(listing.failure, Failure::too_long);
  EXPECT_EQ(listing.code, (std::vector<SassInstruction>{{"LDC", "", ""}, {}}));
}

}  // namespace
}  // namespace aiflame
