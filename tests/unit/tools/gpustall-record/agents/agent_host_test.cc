// SPDX-License-Identifier: MIT
// Both sides of the agent channel in one process, and the recorder's side with an agent that lies.
#include "tools/gpustall-record/agents/agent_host.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "plugins/agents/common/channel.h"
#include "tests/fakes/agent_ring.h"

namespace aiflame::record {
namespace {

struct Reports : AgentListener {
  uint64_t connections = 0, maps = 0, stacks = 0, launches = 0, dones = 0, lost = 0, gone = 0;
  std::map<uint32_t, uint64_t> launches_of;
  Stack last_stack;
  std::string last_kernel, last_comm;
  uint64_t counted = 0;
  std::map<uint64_t, std::string> loaded;
  std::map<uint64_t, uint32_t> loaded_on;
  std::vector<std::pair<uint32_t, std::string>> devices;
  std::map<uint64_t, std::string> texts;
  uint32_t python = 0;
  void on_connected(uint32_t) override { ++connections; }
  void on_device(uint32_t, uint32_t number, std::string_view place) override {
    devices.emplace_back(number, place);
  }
  void on_map(uint32_t, uint64_t, uint64_t, uint64_t, std::string_view, bool) override { ++maps; }
  void on_stack(uint32_t, const Stack& stack) override {
    ++stacks;
    last_stack = stack;
    last_kernel = stack.kernel;
    last_comm = stack.comm;
  }
  void on_text(uint32_t, uint64_t id, std::string_view function, std::string_view file,
               uint32_t line) override {
    texts[id] = std::string(function) + "|" + std::string(file) + "|" + std::to_string(line);
  }
  void on_python(uint32_t, uint32_t version, bool) override { python = version; }
  void on_launch(uint32_t pid, const agent_launch&) override {
    ++launches;
    ++launches_of[pid];
  }
  void on_done(uint32_t, const agent_done&) override { ++dones; }
  void on_launches(uint32_t, const agent_launches& launched) override {
    const bool failed = (launched.record.flags & AGENT_FAILED) != 0;
    counted += failed ? 0 - launched.count : launched.count;
  }
  void on_load(uint32_t, const agent_code& code, const ObjectContent& content) override {
    loaded[code.id] = content.view();
    loaded_on[code.id] = code.device;
  }
  void on_unload(uint32_t, const agent_code& code) override { loaded.erase(code.id); }
  std::vector<agent_allocated> allocated;
  std::vector<agent_freed> freed;
  uint64_t memory_bytes = 0, lost_memory = 0;
  void on_allocated(uint32_t, const agent_allocated& made) override { allocated.push_back(made); }
  void on_freed(uint32_t, const agent_freed& gone_memory) override { freed.push_back(gone_memory); }
  void on_memory(uint32_t, uint32_t, uint64_t bytes) override { memory_bytes = bytes; }
  void on_lost_memory(uint32_t, uint64_t count) override { lost_memory += count; }
  void on_lost(uint32_t, uint64_t count) override { lost += count; }
  void on_gone(uint32_t) override { ++gone; }
};

agent::Launch some_launch() {
  agent::Launch launch{};
  launch.kernel_name = "scale";
  launch.kernel_name_bytes = 5;
  launch.api_function = reinterpret_cast<const void*>(&getenv);
  launch.queue = 1;
  return launch;
}

// Connects this process's agent to `host`.
void connect_to(const AgentHost& host) {
  setenv(AGENT_ENVIRONMENT, host.address().c_str(), 1);
  ASSERT_TRUE(agent::connect("test", reinterpret_cast<const void*>(&getenv)));
}

TEST(AgentChannel, ALaunchArrivesWhole) {
  AgentHost host;
  connect_to(host);
  ASSERT_TRUE(agent::begin_report());
  const auto first = agent::report_launch(some_launch());
  agent::report_done(first.instance, 10, 20, 0);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  EXPECT_GT(got.maps, 0u);
  EXPECT_EQ(got.stacks, 1u);
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.dones, 1u);
  EXPECT_EQ(got.lost, 0u);
  EXPECT_EQ(got.last_kernel, "scale");
  EXPECT_FALSE(got.last_comm.empty());
  // The agent is linked into this test, so it takes the test's frames for its own and drops them.
  // tests/cli has real stacks.
  ASSERT_GE(got.last_stack.frames.size(), 1u);
  EXPECT_EQ(got.last_stack.frames[0], reinterpret_cast<uint64_t>(&getenv));
}

TEST(AgentChannel, AStackIsReportedOnce) {
  AgentHost host;
  connect_to(host);
  Reports got;
  for (int i = 0; i < 1000; ++i) agent::report_launch(some_launch());
  host.drain(got);
  EXPECT_EQ(got.stacks, 1u);
  EXPECT_EQ(got.launches, 1000u);
}

agent::Allocation some_memory() {
  agent::Allocation made{};
  made.api_function = reinterpret_cast<const void*>(&getenv);
  made.address = 0x7f10;
  made.bytes = 1024;
  return made;
}

TEST(AgentChannel, MemoryArrivesWhole) {
  AgentHost host;
  unsetenv(AGENT_MEMORY_ENVIRONMENT);
  connect_to(host);
  EXPECT_FALSE(agent::is_memory_wanted());
  setenv(AGENT_MEMORY_ENVIRONMENT, "1", 1);
  connect_to(host);
  unsetenv(AGENT_MEMORY_ENVIRONMENT);
  EXPECT_TRUE(agent::is_memory_wanted());
  ASSERT_TRUE(agent::begin_memory_report());
  EXPECT_TRUE(agent::report_memory_size(2, 4096));
  agent::report_allocation(some_memory());
  agent::report_allocation(some_memory());
  agent::report_free(2, 0x7f10, 1024);
  agent::count_lost_memory(3);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.memory_bytes, 4096u);
  EXPECT_EQ(got.stacks, 1u);
  EXPECT_EQ(got.last_stack.flags & AGENT_ALLOCATION, AGENT_ALLOCATION);
  ASSERT_EQ(got.allocated.size(), 2u);
  EXPECT_EQ(got.allocated[0].id, got.last_stack.id);
  EXPECT_EQ(got.allocated[0].address, 0x7f10u);
  EXPECT_EQ(got.allocated[0].bytes, 1024u);
  ASSERT_EQ(got.freed.size(), 1u);
  EXPECT_EQ(got.freed[0].device, 2u);
  EXPECT_EQ(got.freed[0].address, 0x7f10u);
  EXPECT_EQ(got.freed[0].bytes, 1024u);
  EXPECT_GE(got.freed[0].time, got.allocated[1].time);
  EXPECT_EQ(got.lost_memory, 3u);
}

TEST(AgentChannel, AFullRingLosesMemoryWithACount) {
  AgentHost host;
  connect_to(host);
  constexpr uint64_t kPairs = 300000;
  for (uint64_t i = 0; i < kPairs; ++i) {
    if (agent::begin_memory_report()) agent::report_allocation(some_memory());
    if (agent::begin_memory_report()) agent::report_free(0, 0x7f10, 0);
  }
  Reports got;
  host.drain(got);
  host.drain(got);
  EXPECT_GT(got.lost_memory, 0u);
  EXPECT_EQ(got.allocated.size() + got.freed.size() + got.lost_memory, 2 * kPairs);
  EXPECT_EQ(got.lost, 0u);
}

TEST(AgentChannel, AFullRingLosesWithACount) {
  AgentHost host;
  connect_to(host);
  uint64_t made = 0;
  for (int i = 0; i < 300000; ++i) {
    if (!agent::begin_report()) continue;
    agent::report_launch(some_launch());
  }
  made = 300000;
  Reports got;
  host.drain(got);
  host.drain(got);
  EXPECT_GT(got.lost, 0u);
  EXPECT_EQ(got.launches + got.lost, made);
  // there is room again, so launches are reported again
  EXPECT_TRUE(agent::begin_report());
  EXPECT_NE(agent::report_launch(some_launch()).instance, 0u);
}

// The agent drops launches rather than ends: each launch that is reported also ends, however full
// the ring is.
TEST(AgentChannel, EndsAreNotLost) {
  AgentHost host;
  connect_to(host);
  std::vector<uint64_t> launched;
  for (int i = 0; i < 300000; ++i)
    if (const uint64_t instance = agent::report_launch(some_launch()).instance; instance != 0)
      launched.push_back(instance);
  EXPECT_LT(launched.size(), 300000u);
  for (const uint64_t instance : launched) agent::report_done(instance, 1, 2, 0);
  Reports got;
  host.drain(got);
  host.drain(got);
  EXPECT_EQ(got.launches, launched.size());
  EXPECT_EQ(got.dones, launched.size());
  EXPECT_EQ(got.lost, 300000u - launched.size());
}

TEST(AgentChannel, CountsOfLaunchesArrive) {
  AgentHost host;
  connect_to(host);
  agent::Stack stack, appended;
  agent::take_stack(reinterpret_cast<const void*>(&getenv), stack);
  agent::take_stack(reinterpret_cast<const void*>(&setenv), appended);
  agent::Launch launch = some_launch();
  launch.object = 7;
  agent::report_launches(launch, stack, &appended, 1000, 5, false);
  agent::report_launches(launch, stack, &appended, 400, 5, true);
  agent::report_launches(launch, stack, nullptr, 1, 6, false);
  agent::count_lost_launches(3);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.stacks, 2u);
  EXPECT_EQ(got.counted, 601u);
  EXPECT_EQ(got.lost, 3u);
  EXPECT_EQ(got.last_stack.object, 7u);
  EXPECT_EQ(got.last_stack.frames[0], reinterpret_cast<uint64_t>(&getenv));
  EXPECT_EQ(got.last_kernel, "scale");
}

TEST(AgentChannel, AnObjectArrivesWithItsBytes) {
  AgentHost host;
  connect_to(host);
  Reports got;
  host.drain(got);
  // larger than the ring
  const std::string large(AGENT_CAPACITY + 12345, 'x');
  const uint64_t first = agent::report_load("abc", 3, 5, 0);
  const uint64_t second = agent::report_load(large.data(), large.size(), 0, 0);
  ASSERT_NE(first, 0u);
  ASSERT_NE(second, first);
  host.drain(got);
  EXPECT_EQ(got.loaded[first], "abc");
  EXPECT_EQ(got.loaded_on[first], 5u);
  EXPECT_TRUE(got.loaded[second] == large);
  agent::report_unload(first);
  EXPECT_EQ(agent::report_load("abcd", 4, 0, second), second);
  host.drain(got);
  EXPECT_EQ(got.loaded.count(first), 0u);
  EXPECT_EQ(got.loaded[second], "abcd");
}

TEST(AgentChannel, ADeviceArrivesWithItsPlace) {
  AgentHost host;
  connect_to(host);
  Reports got;
  host.drain(got);
  agent::report_device(1, "0000:3a:00.0 tile 1");
  agent::report_device(2, "");
  agent::report_device(3, std::string(100, 'x').c_str());
  host.drain(got);
  ASSERT_EQ(got.devices.size(), 3u);
  EXPECT_EQ(got.devices[0], std::make_pair(1u, std::string("0000:3a:00.0 tile 1")));
  EXPECT_EQ(got.devices[1], std::make_pair(2u, std::string()));
  EXPECT_EQ(got.devices[2].second, std::string(47, 'x'));
}

// A program that unloads and reloads the API's library loads the agent again, though it is still
// there.
TEST(AgentChannel, ConnectsOnce) {
  AgentHost host;
  connect_to(host);
  connect_to(host);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
}

TEST(AgentChannel, AForkedChildHasItsOwn) {
  AgentHost host;
  connect_to(host);
  agent::report_launch(some_launch());
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i)
      if (agent::begin_report()) agent::report_launch(some_launch());
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  agent::report_launch(some_launch());
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 2u);
  EXPECT_EQ(got.launches_of[static_cast<uint32_t>(child)], 5u);
  EXPECT_EQ(got.launches_of[static_cast<uint32_t>(getpid())], 2u);
  EXPECT_EQ(got.gone, 1u);
}

TEST(AgentChannel, TheRecordingMayEndBeforeTheProcess) {
  AgentHost host;
  connect_to(host);
  agent::report_launch(some_launch());
  EXPECT_FALSE(agent::has_recording_ended());
  host.end();  // before the ring was even accepted
  EXPECT_TRUE(agent::has_recording_ended());
  EXPECT_FALSE(agent::begin_report());
  // what the program still does is neither reported nor counted as lost
  for (int i = 0; i < 300000; ++i) EXPECT_EQ(agent::report_launch(some_launch()).instance, 0u);
  agent::report_done(1, 10, 20, 0);
  agent::count_lost_launches(7);
  agent::report_sample(agent::Sample{});
  EXPECT_EQ(agent::report_load("code", 4, 0, 0), 0u);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.dones, 0u);
  EXPECT_EQ(got.lost, 0u);
}

TEST(AgentChannel, WhatIsHeldBackIsWaitedFor) {
  AgentHost host;
  connect_to(host);
  Reports got;
  const agent::Launched early = agent::report_launch(some_launch());
  host.drain(got);
  EXPECT_FALSE(host.is_rest_missing());
  EXPECT_FALSE(host.ask_for_rest());  // nobody keeps anything
  EXPECT_FALSE(agent::is_rest_awaited());

  agent::hold_back();
  EXPECT_TRUE(host.ask_for_rest());
  EXPECT_TRUE(agent::is_rest_awaited());
  EXPECT_FALSE(agent::has_recording_ended());
  agent::report_done(early.instance, 10, 20, 0);
  EXPECT_TRUE(host.is_rest_missing());
  agent::end_holding_back();
  EXPECT_FALSE(host.is_rest_missing());
  host.end();
  host.drain(got);
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.dones, 1u);
  EXPECT_EQ(got.lost, 0u);
}

TEST(AgentChannel, NothingIsHeldBackByAProcessThatHasEnded) {
  AgentHost host;
  connect_to(host);
  const pid_t child = fork();
  if (child == 0) {
    if (agent::begin_report()) agent::report_launch(some_launch());
    agent::hold_back();
    for (;;) pause();
  }
  Reports got;
  while (!host.ask_for_rest()) host.drain(got);
  EXPECT_TRUE(host.is_rest_missing());
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(host.is_rest_missing());
  host.drain(got);
  EXPECT_EQ(got.launches_of[static_cast<uint32_t>(child)], 1u);
}

TEST(AgentChannel, AnAgentCannotConnectAfterTheEnd) {
  AgentHost host;
  host.end();
  setenv(AGENT_ENVIRONMENT, host.address().c_str(), 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  EXPECT_FALSE(agent::begin_report());
}

TEST(AgentChannel, AChildForkedAfterTheEndHasNoAgent) {
  AgentHost host;
  connect_to(host);
  Reports got;
  host.drain(got);
  host.end();
  const pid_t child = fork();
  if (child == 0) _exit(agent::begin_report() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
}

TEST(AgentChannel, ARecorderThatIsGone) {
  std::string address;
  {
    AgentHost host;
    address = host.address();
  }
  setenv(AGENT_ENVIRONMENT, address.c_str(), 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  EXPECT_FALSE(agent::begin_report());
}

// As a program sees it that has closed what it inherited.
std::string without_descriptor(const AgentHost& host) {
  std::string address = host.address();
  const std::string number = ":" + std::to_string(host.descriptor()) + ":";
  return address.replace(address.find(number), number.size(), ":999999:");
}

// As a container sees it in which the directory is hidden.
std::string without_directory(const AgentHost& host) {
  return host.address().substr(0, host.address().find('/'));
}

// The same where nothing listens in the directory.
std::string without_connections(const AgentHost& host) {
  unlink((fakes::Address(host.address()).directory + "/" AGENT_SOCKET_NAME).c_str());
  return host.address();
}

TEST(AgentChannel, EitherWaySuffices) {
  for (const bool by_directory : {false, true}) {
    AgentHost host;
    const std::string address = by_directory ? without_descriptor(host) : without_directory(host);
    setenv(AGENT_ENVIRONMENT, address.c_str(), 1);
    ASSERT_TRUE(agent::connect("test", nullptr)) << address;
    agent::report_launch(some_launch());
    EXPECT_NE(agent::report_load("abc", 3, 0, 0), 0u);
    Reports got;
    host.drain(got);
    EXPECT_EQ(got.launches, 1u);
    ASSERT_EQ(got.loaded.size(), 1u);
    EXPECT_EQ(got.loaded.begin()->second, "abc");
    EXPECT_EQ(host.turned_away().agents(), 0u);
  }
}

// The number may belong to a file or socket of the program's own by now.
TEST(AgentChannel, NothingIsSentToAnotherSocket) {
  AgentHost host, other;
  std::string address = without_directory(host);
  const std::string number = ":" + std::to_string(host.descriptor()) + ":";
  address.replace(address.find(number), number.size(),
                  ":" + std::to_string(other.descriptor()) + ":");
  setenv(AGENT_ENVIRONMENT, address.c_str(), 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  Reports got;
  other.drain(got);
  EXPECT_EQ(got.connections, 0u);
  EXPECT_TRUE(other.turned_away().lines().empty());
}

// A process of the command fills the inherited socket, or the recorder is stopped while many start.
TEST(AgentChannel, TakesTheOtherWayWhenOneIsFull) {
  AgentHost host;
  const fakes::Address to(host.address());
  const int fd = memfd_create("ring", 0);
  agent_hello noise{};
  uint64_t sent = 0;
  while (fakes::send_with_descriptor(to.descriptor, &noise, sizeof noise, fd)) ++sent;
  close(fd);
  connect_to(host);
  agent::report_launch(some_launch());
  Reports got;
  host.end();  // takes all that is there
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(host.turned_away().agents(), 0u);
  const std::string expected =
      std::to_string(sent) + " greetings were refused: they are not agents'";
  EXPECT_TRUE(host.turned_away().lines().front().starts_with(expected));
}

// The agent waits a second, then the program goes on without it, and the recorder learns of it.
TEST(AgentChannel, GivesUpWhenThereIsNoRoom) {
  AgentHost host;
  const fakes::Address to(host.address());
  const int fd = memfd_create("ring", 0);
  agent_hello noise{};
  while (fakes::send_with_descriptor(to.descriptor, &noise, sizeof noise, fd)) {
  }
  close(fd);
  setenv(AGENT_ENVIRONMENT, without_connections(host).c_str(), 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  EXPECT_FALSE(agent::begin_report());
  EXPECT_EQ(agent::report_load("abc", 3, 0, 0), 0u);
  host.end();
  EXPECT_EQ(host.turned_away().agents(), 1u);
  EXPECT_NE(host.turned_away().lines().back().find("1 agent could not report: "),
            std::string::npos);
}

using fakes::AgentRing;

// This process's name and number, as messages show them.
std::string self() {
  std::ifstream file("/proc/self/comm");
  std::string comm;
  std::getline(file, comm);
  return comm + " (" + std::to_string(getpid()) + ")";
}

TEST(AgentHost, RefusesRingsThatCouldCrashIt) {
  AgentHost host;
  const AgentRing unsealed(host.address(), {.seals = 0});
  const AgentRing small(host.address(), {.bytes = 8192});
  const AgentRing stranger(host.address(), {.magic = 12345});
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 0u);
  EXPECT_EQ(host.turned_away().agents(), 2u);
  const std::vector<std::string> expected{
      "1 greeting was refused: it is not an agent's: " + self(),
      "2 agents were refused: their shared memory is not as it must be: " + self()};
  EXPECT_EQ(host.turned_away().lines(), expected);
}

TEST(AgentHost, RefusesWhoeverDoesNotKnowTheSecret) {
  for (const bool connects : {false, true}) {
    AgentHost host;
    const AgentRing stranger(host.address(), {.knows_secret = false, .connects = connects});
    const AgentRing older(host.address(), {.version = AGENT_VERSION - 1, .connects = connects});
    Reports got;
    host.drain(got);
    EXPECT_EQ(got.connections, 0u);
    const std::vector<std::string> expected{
        "1 agent was refused: it is of another version: " + self(),
        "1 greeting was refused: it is not an agent's: " + self()};
    EXPECT_EQ(host.turned_away().lines(), expected);
  }
}

TEST(AgentHost, AConnectionMayGreetLater) {
  AgentHost host;
  const fakes::Address to(host.address());
  const int early = fakes::connect_to_path(to.directory + "/" AGENT_SOCKET_NAME);
  const int silent = fakes::connect_to_path(to.directory + "/" AGENT_SOCKET_NAME);
  const int ended = fakes::connect_to_path(to.directory + "/" AGENT_SOCKET_NAME);
  Reports got;
  host.drain(got);
  close(ended);
  host.drain(got);
  EXPECT_EQ(got.connections, 0u);
  EXPECT_EQ(host.turned_away().agents(), 1u);
  const int fd = memfd_create("object", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(fd, AGENT_HEADER_BYTES + AGENT_CAPACITY), 0);
  ASSERT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, {}, AGENT_CAPACITY, "fake", 1};
  std::memcpy(hello.secret, to.secret, sizeof hello.secret);
  ASSERT_TRUE(fakes::send_with_descriptor(early, &hello, sizeof hello, fd));
  close(fd);
  close(early);
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  host.end();
  EXPECT_EQ(host.turned_away().agents(), 2u);
  EXPECT_EQ(host.turned_away().lines().front(), "2 agents connected and sent nothing: " + self());
  close(silent);
}

// One process may not use up the rings of the others.
TEST(AgentHost, RefusesTheRingsThatAreTooMany) {
  AgentHost host;
  std::vector<std::unique_ptr<AgentRing>> rings;
  for (int i = 0; i < 100; ++i) rings.push_back(std::make_unique<AgentRing>(host.address()));
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  EXPECT_EQ(host.turned_away().agents(), 36u);
  EXPECT_EQ(host.turned_away().lines().front(),
            "36 agents were refused: too many at a time: " + self());
}

TEST(AgentHost, ItsDirectoryIsItsOwnAndIsRemoved) {
  std::string directory;
  {
    AgentHost host;
    directory = fakes::Address(host.address()).directory;
    struct stat status {};
    ASSERT_EQ(stat(directory.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    EXPECT_EQ(status.st_uid, geteuid());
  }
  EXPECT_NE(access(directory.c_str(), F_OK), 0);
}

TEST(AgentHost, WhatAgentsCouldNotSendIsCounted) {
  AgentHost host;
  const std::string path = fakes::Address(host.address()).directory + "/" AGENT_MISSED_NAME;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  for (uint32_t i = 0; i < 100; ++i) {
    const agent_missed missed{i < 99 ? AGENT_MAGIC : AGENT_OBJECT_MAGIC, 1000 + i % 2, "app\x1b"};
    file.write(reinterpret_cast<const char*>(&missed), sizeof missed);
  }
  file.close();
  host.end();
  EXPECT_EQ(host.turned_away().agents(), 100u);
  const std::vector<std::string> lines = host.turned_away().lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(
      lines.front().starts_with("100 agents could not report: app\\033 (1000), app\\033 (1001)"))
      << lines.front();
}

TEST(AgentHost, DistinguishesASecondAgentFromAnotherProgram) {
  AgentHost host;
  const AgentRing opencl(host.address(), {.program = 1});
  const AgentRing level_zero(host.address(), {.program = 1});
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.connections, 1u);
  const AgentRing after_exec(host.address(), {.program = 2});
  const AgentRing second_after_exec(host.address(), {.program = 2});
  host.drain(got);
  EXPECT_EQ(got.connections, 2u);
}

TEST(AgentHost, IgnoresRecordsThatMakeNoSense) {
  // each of these records must end the reading, whatever follows it
  const agent_record bad[] = {{4, AGENT_LAUNCH, 0},               // not a multiple of 8
                              {8, AGENT_LAUNCH, 0},               // too short for its type
                              {1 << 20, AGENT_STACK, 0},          // longer than any record may be
                              {0xfffffff8, AGENT_MAP, 0},         // much longer
                              {sizeof(agent_map), AGENT_MAP, 0},  // without a path
                              {32, AGENT_ALLOCATED, 0},           // too short
                              {32, AGENT_FREED, 0},
                              {16, AGENT_MEMORY, 0}};
  for (const agent_record& record : bad) {
    AgentHost host;
    AgentRing liar(host.address());
    std::memcpy(liar.data(), &record, sizeof record);
    Reports got;
    host.drain(got);
    EXPECT_EQ(got.launches + got.stacks + got.maps, 0u) << record.bytes;
    EXPECT_EQ(got.gone, 1u);
  }
}

// More bytes than a device can have.
TEST(AgentHost, AllocationsThatCannotBeEndTheReading) {
  agent_allocated allocated{
      {sizeof(agent_allocated), AGENT_ALLOCATED, 0}, 1, 2, 3, UINT64_C(1) << 49};
  AgentHost host;
  AgentRing liar(host.address());
  std::memcpy(liar.data(), &allocated, sizeof allocated);
  Reports got;
  host.drain(got);
  EXPECT_TRUE(got.allocated.empty());
  EXPECT_EQ(got.gone, 1u);
}

TEST(AgentHost, CountsInARecordCannotReachBeyondIt) {
  AgentHost host;
  AgentRing liar(host.address());
  agent_stack stack{};
  stack.record = {sizeof stack, AGENT_STACK, 0};
  stack.frame_count = 200;
  stack.name_bytes = 4000;
  std::memcpy(liar.data(), &stack, sizeof stack);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.stacks, 0u);
}

// Writes a text record that claims these lengths, which may be false.
void write_text(AgentRing& agent, uint64_t id, uint16_t name_bytes, uint16_t file_bytes,
                const std::string& bytes) {
  agent_text text{};
  text.record = {static_cast<uint32_t>(sizeof text + (bytes.size() + 7) / 8 * 8), AGENT_TEXT, 0};
  text.id = id;
  text.line = 7;
  text.name_bytes = name_bytes;
  text.file_bytes = file_bytes;
  std::memcpy(agent.data(), &text, sizeof text);
  std::memcpy(agent.data() + sizeof text, bytes.data(), bytes.size());
}

TEST(AgentHost, ATextArrivesWhole) {
  AgentHost host;
  AgentRing agent(host.address());
  write_text(agent, AGENT_TEXT_FRAME | 5, 5, 5, "trainx.py\n");
  agent_python python{};
  python.record = {sizeof python, AGENT_PYTHON, 0};
  python.version = 0x030e00f0;
  std::memcpy(agent.data() + sizeof(agent_text) + 16, &python, sizeof python);
  Reports got;
  host.drain(got);
  ASSERT_EQ(got.texts.size(), 1u);
  EXPECT_EQ(got.texts.at(AGENT_TEXT_FRAME | 5), "train|x.py\n|7");
  EXPECT_EQ(got.python, 0x030e00f0u);
}

TEST(AgentHost, TextsThatMakeNoSenseEndTheReading) {
  struct Bad {
    uint64_t id;
    uint16_t name_bytes, file_bytes;
  };
  for (const Bad& bad : {Bad{5, 5, 4},                          // a number without AGENT_TEXT_FRAME
                         Bad{AGENT_TEXT_FRAME | 5, 5, 5},       // beyond the record
                         Bad{AGENT_TEXT_FRAME | 5, 0xffff, 0},  // far beyond
                         Bad{AGENT_TEXT_FRAME | 5, 0, 0xffff}}) {
    AgentHost host;
    AgentRing agent(host.address());
    write_text(agent, bad.id, bad.name_bytes, bad.file_bytes, "12345678");
    Reports got;
    host.drain(got);
    EXPECT_TRUE(got.texts.empty()) << bad.name_bytes;
    EXPECT_EQ(got.gone, 1u);
  }
}

TEST(AgentHost, SkipsRecordsOfANewerAgent) {
  AgentHost host;
  AgentRing liar(host.address());
  const agent_record newer{16, 999, 0};
  std::memcpy(liar.data(), &newer, sizeof newer);
  agent_done done{};
  done.record = {sizeof done, AGENT_DONE, 0};
  std::memcpy(liar.data() + 16, &done, sizeof done);
  Reports got;
  host.drain(got);
  EXPECT_EQ(got.dones, 1u);
}

}  // namespace
}  // namespace aiflame::record
