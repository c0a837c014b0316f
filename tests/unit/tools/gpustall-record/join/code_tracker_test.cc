// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/code_tracker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "tests/unit/tools/gpustall-record/code/some_elf.h"

namespace aiflame::record {
namespace {

constexpr uint64_t kMs = 1000000;

// As an agent sends it: in a memfd that nobody can change.
ObjectContent sealed(const std::string& bytes) {
  const int fd = memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
  return {fd, bytes.size()};
}

agent_code code_with(uint64_t id, uint64_t base = 0) {
  agent_code code{};
  code.id = id;
  code.base = base;
  return code;
}

class CodeTrackerTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // The source reports kernel `name` at an address of a device.
  void load(uint32_t pid, uint32_t device, uint64_t address, const char* name, uint64_t time) {
    gpustall_function function{address, 0x100, name, name};
    gpustall_event event = at(pid, device, address, time);
    event.u.object.bytes = 0x100;
    event.u.object.path = "";
    event.u.object.saved = "objects/a.zebin";
    event.u.object.functions = &function;
    event.u.object.function_count = 1;
    code_.load(event);
  }
  static gpustall_event at(uint32_t pid, uint32_t device, uint64_t address, uint64_t time) {
    gpustall_event event{};
    event.pid = pid;
    event.device = device;
    event.time = time;
    event.u.object.address = address;
    return event;
  }

  // "load 1000, unload 1000": the events of all slices, by the address of their object.
  std::string events() {
    std::string out;
    Slice slice;
    while (joiner_.take_next(UINT64_MAX, true, slice))
      for (const Slice::Part& part : slice.parts)
        for (const SliceEvent& event : part.events)
          out += format("%s%s %llx", out.empty() ? "" : ", ",
                        event.kind == SliceEvent::Kind::load ? "load" : "unload",
                        static_cast<unsigned long long>(event.object->address));
    return out;
  }
  std::string kernel_at(uint32_t device, uint32_t pid, uint64_t address) const {
    const auto object = code_.find(device, pid, address);
    const CodeObject::Function* function =
        object == nullptr ? nullptr : object->function_at(address);
    return function == nullptr ? "" : function->name;
  }

  const std::string directory_ =
      testing::TempDir() + "code_tracker_test." + std::to_string(getpid());
  Budgets budgets_;
  SampleLedger ledger_{budgets_};
  NameTable kernels_;
  SliceJoiner joiner_{0, 10 * kMs, budgets_, ledger_};
  CodeTracker code_{directory_, kernels_, joiner_, budgets_};
};

TEST_F(CodeTrackerTest, ASampleHasTheCodeThatIsLoadedOnItsDevice) {
  load(7, 0, 0x1000, "first", 1 * kMs);
  load(7, 1, 0x1000, "second", 1 * kMs);
  EXPECT_EQ(kernel_at(0, 7, 0x1010), "first");
  EXPECT_EQ(kernel_at(1, 7, 0x1010), "second");
  EXPECT_EQ(kernel_at(0, 8, 0x1010), "");  // another process
  EXPECT_EQ(kernel_at(2, 7, 0x1010), "");
  EXPECT_EQ(kernel_at(0, 7, 0x1100), "");  // behind it
  load(7, 0, 0x1000, "third", 2 * kMs);
  EXPECT_EQ(kernel_at(0, 7, 0x1010), "third");
  code_.unload(at(7, 0, 0x1000, 3 * kMs));
  EXPECT_EQ(kernel_at(0, 7, 0x1010), "");
  EXPECT_EQ(kernel_at(1, 7, 0x1010), "second");
  // what is not there cannot go
  code_.unload(at(7, 0, 0x1000, 3 * kMs));
  EXPECT_EQ(events(), "load 1000, load 1000, load 1000, unload 1000");
}

TEST_F(CodeTrackerTest, AnAgentsCodeStaysAWhileAfterItsUnload) {
  code_.load(7, code_with(1), sealed(some_elf()), 1 * kMs, {0, 2});
  EXPECT_EQ(kernel_at(0, 7, 0x8000fffe0000), "a");
  EXPECT_EQ(kernel_at(2, 7, 0x1000), "first");
  EXPECT_EQ(kernel_at(1, 7, 0x1000), "");
  const uint32_t kernel = kernels_.intern("a");
  const CodeTracker::KernelPlace place = code_.find_kernel(7, 1, kernel);
  EXPECT_EQ(place.address, 0x8000fffe0000u);
  EXPECT_TRUE(place.object.starts_with(directory_)) << place.object;
  EXPECT_EQ(code_.find_kernel(8, 1, kernel).address, 0u);
  EXPECT_EQ(code_.find_kernel(7, 2, kernel).address, 0u);

  code_.unload(7, 1, 2 * kMs);
  EXPECT_EQ(code_.find_kernel(7, 1, kernel).address, 0u);  // no launch can be of it any more
  code_.place_unloads(52 * kMs - 1);
  EXPECT_EQ(kernel_at(0, 7, 0x1000), "first");
  code_.place_unloads(52 * kMs);
  EXPECT_EQ(kernel_at(0, 7, 0x1000), "");
  EXPECT_EQ(kernel_at(2, 7, 0x8000fffe0000), "");
  EXPECT_EQ(events(),
            "load 1000, load 1000, load 8000fffe0000, load 8000fffe0000, unload 1000, unload 1000, "
            "unload 8000fffe0000, unload 8000fffe0000");
  EXPECT_EQ(budgets_.used(Kept::code), 0u);
}

TEST_F(CodeTrackerTest, ANewObjectEndsTheOneAtItsPlace) {
  code_.load(7, code_with(1), sealed(some_elf()), 1 * kMs, {0});
  code_.unload(7, 1, 2 * kMs);
  code_.load(7, code_with(2), sealed(some_elf()), 3 * kMs, {0});
  EXPECT_EQ(kernel_at(0, 7, 0x1000), "first");
  // the delayed unload is of the old object alone
  code_.place_unloads(1000 * kMs);
  EXPECT_EQ(kernel_at(0, 7, 0x1000), "first");
  EXPECT_EQ(events(),
            "load 1000, load 8000fffe0000, unload 1000, load 1000, unload 8000fffe0000, "
            "load 8000fffe0000");
}

TEST_F(CodeTrackerTest, WhatAProcessLoadedGoesWithIt) {
  code_.load(7, code_with(1), sealed(some_elf()), 1 * kMs, {0});
  code_.load(8, code_with(1), sealed(some_elf()), 1 * kMs, {0});
  code_.forget(7, 2 * kMs);
  code_.place_unloads(1000 * kMs);
  EXPECT_EQ(kernel_at(0, 7, 0x1000), "");
  EXPECT_EQ(kernel_at(0, 8, 0x1000), "first");
}

TEST_F(CodeTrackerTest, WhatCannotBeCodeIsLeftOut) {
  // its bytes did not arrive
  code_.load(7, code_with(1), ObjectContent(), 1 * kMs, {0});
  EXPECT_EQ(budgets_.report().size(), 1u);
  code_.load(7, code_with(2), sealed("no ELF"), 1 * kMs, {0});
  // it would go past the last address
  code_.load(7, code_with(3, UINT64_MAX - 10), sealed(some_elf()), 1 * kMs, {0});
  EXPECT_EQ(events(), "");
  EXPECT_EQ(budgets_.used(Kept::code), 0u);
}

TEST_F(CodeTrackerTest, AProcessHasNoMoreCodeThanItsBudget) {
  uint64_t loaded = 0;
  for (uint64_t i = 1; i < (1 << 20) && budgets_.report().empty(); ++i) {
    load(7, 0, i << 12, "kernel", 1 * kMs);
    loaded += code_.find(0, 7, i << 12) != nullptr ? 1 : 0;
  }
  EXPECT_GT(loaded, 1000u);
  EXPECT_EQ(budgets_.report().size(), 1u);
  EXPECT_LE(budgets_.used(Kept::code), Budgets::total(Kept::code));
  // another process has room
  load(8, 0, 0x1000, "kernel", 1 * kMs);
  EXPECT_EQ(kernel_at(0, 8, 0x1000), "kernel");
}

}  // namespace
}  // namespace aiflame::record
