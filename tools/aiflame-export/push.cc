// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/push.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/process/installation.h"
#include "tools/aiflame-export/push_target.h"

namespace aiflame::exporter {
namespace {

constexpr const char* kSender = "libexec/aiflame/push-profile";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail(const char* what) {
  throw Error(format("cannot %s a temporary file in " P_tmpdir ": %s", what, std::strerror(errno)));
}

// In the order of tools/push-profile/job.h.
std::vector<std::string> sender_arguments(const PushSettings& push, const PushTarget& target) {
  return {"push-profile",
          push.url,
          door_name(push.door),
          target.path,
          target.type,
          target.encoding,
          push.token_file,
          push.spool,
          std::to_string(push.spool_bytes),
          std::to_string(push.retries),
          std::to_string(push.timeout_s)};
}

// Returns only by an exception. `body` becomes its standard input; null: there is no profile.
[[noreturn]] void become_sender(const ExportSettings& settings, std::FILE* body) {
  const std::string path = installed(kSender);
  std::vector<std::string> arguments = sender_arguments(*settings.push, push_target(settings));
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  const int input = body != nullptr ? fileno(body) : open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  execv(path.c_str(), words.data());
  throw Error(format("cannot start '%s': %s", path.c_str(), std::strerror(errno)));
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Error(format("waitpid: %s", std::strerror(errno)));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw Error(format("the process that made the profile was ended by signal %d", WTERMSIG(status)));
}

}  // namespace

int push_profile(const ExportSettings& settings, Export export_profile) {
  if (settings.paths.empty()) become_sender(settings, nullptr);
  const File body(std::tmpfile());
  if (!body) fail("make");
  outlive_interrupt();
  const pid_t child = fork();
  if (child < 0) throw Error(format("fork: %s", std::strerror(errno)));
  if (child == 0) {
    export_profile(settings, [&](std::string_view bytes) {
      if (std::fwrite(bytes.data(), 1, bytes.size(), body.get()) != bytes.size()) fail("write");
    });
    if (std::fflush(body.get()) != 0) fail("write");
    return 0;
  }
  const int status = status_of(child);
  if (status != 0) return status;  // it has said why
  become_sender(settings, body.get());
}

}  // namespace aiflame::exporter
