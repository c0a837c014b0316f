// SPDX-License-Identifier: MIT
// The two sides of the agent channel, in one process; and what the recorder's side does with an
// agent that lies.
#include "tools/gpustall-record/capture/agent_host.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <map>

#include "plugins/agents/common/channel.h"

namespace aiflame::record {
namespace {

struct Told : AgentListener {
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
  void on_python(uint32_t, uint32_t version) override { python = version; }
  void on_launch(uint32_t pid, const agent_launch&) override {
    ++launches;
    ++launches_of[pid];
  }
  void on_done(uint32_t, const agent_done&) override { ++dones; }
  void on_launches(uint32_t, const agent_launches& told) override {
    const bool failed = (told.record.flags & AGENT_FAILED) != 0;
    counted += failed ? 0 - told.count : told.count;
  }
  void on_load(uint32_t, const agent_code& code, const std::string& content) override {
    loaded[code.id] = content;
    loaded_on[code.id] = code.device;
  }
  void on_unload(uint32_t, const agent_code& code) override { loaded.erase(code.id); }
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

// Connects this process's agent to `host` anew.
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
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 1u);
  EXPECT_GT(told.maps, 0u);
  EXPECT_EQ(told.stacks, 1u);
  EXPECT_EQ(told.launches, 1u);
  EXPECT_EQ(told.dones, 1u);
  EXPECT_EQ(told.lost, 0u);
  EXPECT_EQ(told.last_kernel, "scale");
  EXPECT_FALSE(told.last_comm.empty());
  // the agent is part of this program, whose frames it takes for its own: tests/cli has real ones
  ASSERT_GE(told.last_stack.frames.size(), 1u);
  EXPECT_EQ(told.last_stack.frames[0], reinterpret_cast<uint64_t>(&getenv));
}

TEST(AgentChannel, AStackIsToldOnce) {
  AgentHost host;
  connect_to(host);
  Told told;
  for (int i = 0; i < 1000; ++i) agent::report_launch(some_launch());
  host.drain(told);
  EXPECT_EQ(told.stacks, 1u);
  EXPECT_EQ(told.launches, 1000u);
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
  Told told;
  host.drain(told);
  host.drain(told);
  EXPECT_GT(told.lost, 0u);
  EXPECT_EQ(told.launches + told.lost, made);
  // the reader is back: so are the launches
  EXPECT_TRUE(agent::begin_report());
  EXPECT_NE(agent::report_launch(some_launch()).instance, 0u);
}

// Launches give way: whatever was launched is told to have ended, however full the ring is.
TEST(AgentChannel, EndsAreNotLost) {
  AgentHost host;
  connect_to(host);
  std::vector<uint64_t> launched;
  for (int i = 0; i < 300000; ++i)
    if (const uint64_t instance = agent::report_launch(some_launch()).instance; instance != 0)
      launched.push_back(instance);
  EXPECT_LT(launched.size(), 300000u);
  for (const uint64_t instance : launched) agent::report_done(instance, 1, 2, 0);
  Told told;
  host.drain(told);
  host.drain(told);
  EXPECT_EQ(told.launches, launched.size());
  EXPECT_EQ(told.dones, launched.size());
  EXPECT_EQ(told.lost, 300000u - launched.size());
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
  Told told;
  host.drain(told);
  EXPECT_EQ(told.stacks, 2u);
  EXPECT_EQ(told.counted, 601u);
  EXPECT_EQ(told.lost, 3u);
  EXPECT_EQ(told.last_stack.object, 7u);
  EXPECT_EQ(told.last_stack.frames[0], reinterpret_cast<uint64_t>(&getenv));
  EXPECT_EQ(told.last_kernel, "scale");
}

TEST(AgentChannel, AnObjectArrivesWithItsBytes) {
  AgentHost host;
  connect_to(host);
  Told told;
  host.drain(told);
  // larger than the ring
  const std::string large(AGENT_CAPACITY + 12345, 'x');
  const uint64_t first = agent::report_load("abc", 3, 5, 0);
  const uint64_t second = agent::report_load(large.data(), large.size(), 0, 0);
  ASSERT_NE(first, 0u);
  ASSERT_NE(second, first);
  host.drain(told);
  EXPECT_EQ(told.loaded[first], "abc");
  EXPECT_EQ(told.loaded_on[first], 5u);
  EXPECT_TRUE(told.loaded[second] == large);
  agent::report_unload(first);
  EXPECT_EQ(agent::report_load("abcd", 4, 0, second), second);
  host.drain(told);
  EXPECT_EQ(told.loaded.count(first), 0u);
  EXPECT_EQ(told.loaded[second], "abcd");
}

TEST(AgentChannel, ADeviceArrivesWithItsPlace) {
  AgentHost host;
  connect_to(host);
  Told told;
  host.drain(told);
  agent::report_device(1, "0000:3a:00.0 tile 1");
  agent::report_device(2, "");
  agent::report_device(3, std::string(100, 'x').c_str());
  host.drain(told);
  ASSERT_EQ(told.devices.size(), 3u);
  EXPECT_EQ(told.devices[0], std::make_pair(1u, std::string("0000:3a:00.0 tile 1")));
  EXPECT_EQ(told.devices[1], std::make_pair(2u, std::string()));
  EXPECT_EQ(told.devices[2].second, std::string(47, 'x'));
}

// A program that unloads and loads the API's library loads the agent again, which is there already.
TEST(AgentChannel, ConnectsOnce) {
  AgentHost host;
  connect_to(host);
  connect_to(host);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 1u);
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
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 2u);
  EXPECT_EQ(told.launches_of[static_cast<uint32_t>(child)], 5u);
  EXPECT_EQ(told.launches_of[static_cast<uint32_t>(getpid())], 2u);
  EXPECT_EQ(told.gone, 1u);
}

TEST(AgentChannel, TheRecordingMayEndBeforeTheProcess) {
  AgentHost host;
  connect_to(host);
  agent::report_launch(some_launch());
  EXPECT_FALSE(agent::has_recording_ended());
  host.end();  // it has not even been accepted so far
  EXPECT_TRUE(agent::has_recording_ended());
  EXPECT_FALSE(agent::begin_report());
  // what goes on all the same is neither told nor lost, and fills nothing
  for (int i = 0; i < 300000; ++i) EXPECT_EQ(agent::report_launch(some_launch()).instance, 0u);
  agent::report_done(1, 10, 20, 0);
  agent::count_lost_launches(7);
  agent::report_sample(agent::Sample{});
  EXPECT_EQ(agent::report_load("code", 4, 0, 0), 0u);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 1u);
  EXPECT_EQ(told.launches, 1u);
  EXPECT_EQ(told.dones, 0u);
  EXPECT_EQ(told.lost, 0u);
}

TEST(AgentChannel, WhoComesBehindTheEndFindsNobody) {
  AgentHost host;
  host.end();
  setenv(AGENT_ENVIRONMENT, host.address().c_str(), 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  EXPECT_FALSE(agent::begin_report());
}

TEST(AgentChannel, AChildForkedBehindTheEndFindsNobody) {
  AgentHost host;
  connect_to(host);
  Told told;
  host.drain(told);
  host.end();
  const pid_t child = fork();
  if (child == 0) _exit(agent::begin_report() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  host.drain(told);
  EXPECT_EQ(told.connections, 1u);
}

TEST(AgentChannel, NobodyListens) {
  setenv(AGENT_ENVIRONMENT, "@nobody-listens-here", 1);
  EXPECT_FALSE(agent::connect("test", nullptr));
  EXPECT_FALSE(agent::begin_report());
}

// A hand-made agent: sends a memfd whose first record is `record`.
class LyingAgent {
 public:
  LyingAgent(const AgentHost& host, uint64_t size, int seals, uint32_t magic = AGENT_MAGIC,
             uint64_t program = 0) {
    const int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
    if (seals != 0) {
      EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
    }
    size_ = size;
    base_ = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, host.address().data(), host.address().size());
    address.sun_path[0] = '\0';
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + host.address().size());
    EXPECT_EQ(::connect(connection, reinterpret_cast<sockaddr*>(&address), length), 0);
    agent_hello hello{magic, AGENT_VERSION, size - AGENT_HEADER_BYTES, "lie", program};
    iovec part{&hello, sizeof hello};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    EXPECT_EQ(sendmsg(connection, &message, 0), static_cast<ssize_t>(sizeof hello));
    close(connection);
    close(fd);
  }
  ~LyingAgent() { munmap(base_, size_); }
  char* data() { return base_ + AGENT_HEADER_BYTES; }

 private:
  char* base_ = nullptr;
  uint64_t size_ = 0;
};

constexpr uint64_t kRightSize = AGENT_HEADER_BYTES + AGENT_CAPACITY;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

TEST(AgentHost, RefusesWhatCouldFaultItself) {
  AgentHost host;
  const LyingAgent unsealed(host, kRightSize, 0);
  const LyingAgent small(host, 8192, kSeals);
  const LyingAgent stranger(host, kRightSize, kSeals, 12345);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 0u);
}

TEST(AgentHost, TellsASecondAgentFromAnotherProgram) {
  AgentHost host;
  const LyingAgent opencl(host, kRightSize, kSeals, AGENT_MAGIC, 1);
  const LyingAgent level_zero(host, kRightSize, kSeals, AGENT_MAGIC, 1);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.connections, 1u);
  const LyingAgent behind_exec(host, kRightSize, kSeals, AGENT_MAGIC, 2);
  const LyingAgent second_behind_exec(host, kRightSize, kSeals, AGENT_MAGIC, 2);
  host.drain(told);
  EXPECT_EQ(told.connections, 2u);
}

TEST(AgentHost, IgnoresRecordsThatMakeNoSense) {
  // bytes, type of records that each must end the reading, whatever stands behind them
  const agent_record bad[] = {
      {4, AGENT_LAUNCH, 0},              // not a multiple of 8
      {8, AGENT_LAUNCH, 0},              // too short for its type
      {1 << 20, AGENT_STACK, 0},         // longer than any
      {0xfffffff8, AGENT_MAP, 0},        // much longer
      {sizeof(agent_map), AGENT_MAP, 0}  // without a path
  };
  for (const agent_record& record : bad) {
    AgentHost host;
    LyingAgent liar(host, kRightSize, kSeals);
    std::memcpy(liar.data(), &record, sizeof record);
    Told told;
    host.drain(told);
    EXPECT_EQ(told.launches + told.stacks + told.maps, 0u) << record.bytes;
    EXPECT_EQ(told.gone, 1u);
  }
}

TEST(AgentHost, CountsInARecordCannotReachBeyondIt) {
  AgentHost host;
  LyingAgent liar(host, kRightSize, kSeals);
  agent_stack stack{};
  stack.record = {sizeof stack, AGENT_STACK, 0};
  stack.frame_count = 200;
  stack.name_bytes = 4000;
  std::memcpy(liar.data(), &stack, sizeof stack);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.stacks, 0u);
}

// A text, with what it says of its lengths.
void write_text(LyingAgent& agent, uint64_t id, uint16_t name_bytes, uint16_t file_bytes,
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
  LyingAgent agent(host, kRightSize, kSeals);
  write_text(agent, AGENT_TEXT_FRAME | 5, 5, 5, "trainx.py\n");
  agent_python python{};
  python.record = {sizeof python, AGENT_PYTHON, 0};
  python.version = 0x030e00f0;
  std::memcpy(agent.data() + sizeof(agent_text) + 16, &python, sizeof python);
  Told told;
  host.drain(told);
  ASSERT_EQ(told.texts.size(), 1u);
  EXPECT_EQ(told.texts.at(AGENT_TEXT_FRAME | 5), "train|x.py\n|7");
  EXPECT_EQ(told.python, 0x030e00f0u);
}

TEST(AgentHost, TextsThatMakeNoSenseEndTheReading) {
  struct Bad {
    uint64_t id;
    uint16_t name_bytes, file_bytes;
  };
  for (const Bad& bad : {Bad{5, 5, 4},                          // an address's number
                         Bad{AGENT_TEXT_FRAME | 5, 5, 5},       // beyond the record
                         Bad{AGENT_TEXT_FRAME | 5, 0xffff, 0},  // far beyond
                         Bad{AGENT_TEXT_FRAME | 5, 0, 0xffff}}) {
    AgentHost host;
    LyingAgent agent(host, kRightSize, kSeals);
    write_text(agent, bad.id, bad.name_bytes, bad.file_bytes, "12345678");
    Told told;
    host.drain(told);
    EXPECT_TRUE(told.texts.empty()) << bad.name_bytes;
    EXPECT_EQ(told.gone, 1u);
  }
}

TEST(AgentHost, SkipsRecordsOfANewerAgent) {
  AgentHost host;
  LyingAgent liar(host, kRightSize, kSeals);
  const agent_record newer{16, 999, 0};
  std::memcpy(liar.data(), &newer, sizeof newer);
  agent_done done{};
  done.record = {sizeof done, AGENT_DONE, 0};
  std::memcpy(liar.data() + 16, &done, sizeof done);
  Told told;
  host.drain(told);
  EXPECT_EQ(told.dones, 1u);
}

}  // namespace
}  // namespace aiflame::record
