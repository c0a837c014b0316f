// SPDX-License-Identifier: MIT
#include "tools/aiflame/pipeline.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/program.h"
#include "libcommon/process/find_program.h"
#include "libcommon/process/installation.h"

namespace aiflame::front {
namespace {

constexpr int kCannotRun = 127;  // as a shell has it

// Descriptors are closed with their owner: a program that waits for the other end of a pipe must
// not wait for ever.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(format("cannot make a pipe: %s", std::strerror(errno)));
    reads.reset(ends[0]);
    writes.reset(ends[1]);
  }
  Descriptor reads, writes;
};

std::string program_file(const std::string& name) {
  std::string beside = installed("bin/" + name);
  if (access(beside.c_str(), X_OK) == 0) return beside;
  std::string found = find_program(name);
  if (found.empty()) throw Error("there is no program " + name);
  return found;
}

// A program that runs. What is left running is waited for.
class Running {
 public:
  // `in`, `out`: its standard input and output. `kept`: descriptors that it opens as /dev/fd/N.
  Running(const Command& words, int in, int out, const std::vector<int>& kept)
      : name_(words.front()) {
    const std::string file = program_file(name_);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    // onto itself: it stays open
    for (const int descriptor : kept)
      posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // this program waits through Ctrl-C, which is meant for the recorder
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int error =
        posix_spawn(&pid_, file.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw Error(format("cannot run %s: %s", file.c_str(), std::strerror(error)));
  }
  Running(Running&& other) noexcept : name_(std::move(other.name_)), pid_(other.pid_) {
    other.pid_ = -1;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  Running& operator=(Running&&) = delete;
  ~Running() { wait(); }

  // Its exit status, as a shell has it.
  int wait() {
    if (pid_ < 0) return kCannotRun;
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0)
      if (errno != EINTR) return kCannotRun;
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  pid_t pid_ = -1;
};

// Every program of a pipeline, in the order of their start.
std::vector<Running> start(const Pipeline& pipeline, int output) {
  std::vector<Running> running;
  std::vector<Descriptor> inputs;
  std::vector<int> kept;
  std::vector<Command> stages = pipeline.stages;
  for (const Pipeline::Input& input : pipeline.inputs) {
    if (input.reader.empty()) {
      stages.front().push_back(input.path);
      continue;
    }
    Pipe pipe;
    running.emplace_back(input.reader, STDIN_FILENO, pipe.writes.get(), std::vector<int>{});
    kept.push_back(pipe.reads.get());
    inputs.push_back(std::move(pipe.reads));
    stages.front().push_back(format("/dev/fd/%d", kept.back()));
  }
  Descriptor before;  // what the stage before writes
  for (const Command& stage : stages) {
    const int in = before.get() < 0 ? STDIN_FILENO : before.get();
    if (&stage == &stages.back()) {
      running.emplace_back(stage, in, output, kept);
      break;
    }
    Pipe pipe;
    running.emplace_back(stage, in, pipe.writes.get(), kept);
    before = std::move(pipe.reads);
    kept.clear();
    inputs.clear();
  }
  return running;
}

// ---- for people --------------------------------------------------------------------------------

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string joined(const Command& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quoted(word);
  return out;
}

}  // namespace

std::string shell_text(const Pipeline& pipeline, const std::string& output) {
  std::string out;
  for (const Command& stage : pipeline.stages) {
    if (!out.empty()) out += " | ";
    out += joined(stage);
    if (&stage != &pipeline.stages.front()) continue;
    for (const Pipeline::Input& input : pipeline.inputs)
      out += input.reader.empty() ? " " + quoted(input.path) : " <(" + joined(input.reader) + ")";
  }
  return output == "-" ? out : out + " > " + quoted(output);
}

Outcome run(const Pipeline& pipeline, int output) {
  // Ctrl-C ends the recorder, and the others draw what it recorded
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  std::vector<Running> running = start(pipeline, output);
  Outcome out;
  for (Running& one : running) {
    const int status = one.wait();
    if (pipeline.begins_with_recorder && &one == &running.front())
      out.status = status;
    else if (status != 0 && out.failure.empty())
      out.failure = format("%s failed with exit status %d", one.name().c_str(), status);
  }
  if (out.failure.empty()) return out;
  // without a recording the others fail as well
  if (out.status != 0)
    out.failure =
        format("%s ended with exit status %d", running.front().name().c_str(), out.status);
  else
    out.status = EXIT_FAILURE;
  return out;
}

}  // namespace aiflame::front
