// SPDX-License-Identifier: MIT
// The protocol. Requests are packets: a number of questions, or one question that comes with a
// descriptor, which is the file of its number. Answers are a stream, without one for a file: a
// Header and then the name. A child that does not keep to it is ended.
#include "tools/gpustall-record/names/symbol_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/base/write_all.h"
#include "libcommon/process/descriptor_message.h"
#include "libcommon/process/limited_fork.h"
#include "libcommon/process/sandbox.h"
#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/elf.h"
#include "libcommon/symbols/elf_bounds.h"
#include "libcommon/symbols/find_object.h"
#include "tools/gpustall-record/names/perf_map_file.h"

namespace aiflame::record {
namespace {

using Clock = std::chrono::steady_clock;
using Question = SymbolChild::Question;
using Kind = SymbolChild::Kind;

struct Header {
  uint64_t offset = 0;
  uint32_t length = 0;  // of the name, or one of these two
  uint32_t unused = 0;
};
constexpr uint32_t kNone = UINT32_MAX;        // there is no function
constexpr uint32_t kBeyond = UINT32_MAX - 1;  // see SymbolChild::Answer

// The most questions in a packet.
constexpr size_t kMaxQuestions = 512;
// Longer names do not come from a compiler.
constexpr size_t kMaxName = size_t{1} << 20;

// ---- the child ---------------------------------------------------------------------------------

void append(std::string& out, const Header& header, std::string_view name) {
  out.append(reinterpret_cast<const char*>(&header), sizeof header).append(name);
}

// The child's side. Its memory ends at a limit, so anything here may throw std::bad_alloc.
class Reader {
 public:
  void add(const Question& which, int descriptor) {
    File& file = files_[which.file];
    file = File();
    if (which.kind == Kind::jitted) {
      file.map = std::make_unique<PerfMapFile>(descriptor);
      return;
    }
    if (excess_of_elf(descriptor) != nullptr) {
      file.is_beyond = true;
      ::close(descriptor);
      return;
    }
    try {
      file.elf = std::make_unique<ElfFile>(descriptor, "");
    } catch (const std::bad_alloc&) {
      file.is_beyond = true;
    } catch (const Error&) {
      // not ELF
    }
  }

  void answer(const Question& question, std::string& out) {
    File& file = files_[question.file];
    std::string name;
    Header header;
    header.length = kNone;
    errno = 0;
    try {
      uint64_t offset = 0;
      if (find(file, question, name, offset))
        header = {offset, static_cast<uint32_t>(name.size()), 0};
    } catch (const std::bad_alloc&) {
      file.give_up();
    }
    // libelf gives no symbols where memory does not suffice
    if (header.length == kNone && errno == ENOMEM) file.give_up();
    if (file.map && file.map->is_beyond()) file.give_up();
    if (file.is_beyond || name.size() > kMaxName) {
      name.clear();
      header = {0, kBeyond, 0};
    }
    append(out, header, name);
  }

 private:
  struct File {
    std::unique_ptr<ElfFile> elf;  // null when it is not ELF
    bool is_beyond = false;
    bool has_looked = false;         // for the debug file
    std::unique_ptr<ElfFile> debug;  // that the distribution installs for a stripped object
    std::unique_ptr<PerfMapFile> map;

    void give_up() {
      *this = File();
      is_beyond = true;
    }
  };

  // False when the file has no answer.
  static bool find(File& file, const Question& question, std::string& name, uint64_t& offset) {
    if (question.kind == Kind::jitted)
      return file.map && file.map->find(question.offset, name, offset);
    if (!file.elf) return false;
    if (question.kind == Kind::build_id) {
      name = file.elf->build_id();
      return !name.empty();
    }
    const auto vaddr = file.elf->vaddr_of_offset(question.offset);
    auto function = vaddr ? file.elf->function_at(*vaddr) : std::nullopt;
    if (vaddr && !function) function = in_debug_file(file, *vaddr);
    if (!function) return false;
    name = demangle(function->name, false);
    offset = *vaddr - function->start;
    return true;
  }

  // The functions that a library keeps to itself have names only there.
  static std::optional<ElfFunction> in_debug_file(File& file, uint64_t vaddr) {
    if (!std::exchange(file.has_looked, true) && !file.elf->has_symbols()) {
      const std::string build_id = file.elf->build_id();
      try {
        auto debug = std::make_unique<ElfFile>(debug_file_of(build_id));
        if (debug->build_id() == build_id) file.debug = std::move(debug);
      } catch (const Error&) {
        // not installed
      } catch (const std::bad_alloc&) {
        // the object's own names do
      }
    }
    return file.debug ? file.debug->function_at(vaddr) : std::nullopt;
  }

  std::map<uint64_t, File> files_;
};

void serve(int requests, int answers) {
  Reader reader;
  std::array<Question, kMaxQuestions> questions;
  std::string out;
  for (;;) {
    int file[1];
    const ssize_t n = receive_with_descriptors(requests, questions.data(), sizeof questions, file);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (file[0] >= 0) {
      reader.add(questions[0], file[0]);
      continue;
    }
    out.clear();
    for (size_t i = 0; i < static_cast<size_t>(n) / sizeof(Question); ++i)
      reader.answer(questions[i], out);
    if (!write_all(answers, out)) return;
  }
}

[[noreturn]] void be_child(int requests, int answers, bool sandboxed) {
  // an interrupt ends the recording, whose last stacks still need names
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  // whatever the recorder has open is none of its business
  const int null = ::open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const int first = fcntl(requests, F_DUPFD_CLOEXEC, 64),
            second = fcntl(answers, F_DUPFD_CLOEXEC, 64);
  requests = dup3(first, STDERR_FILENO + 1, O_CLOEXEC);
  answers = dup3(second, STDERR_FILENO + 2, O_CLOEXEC);
  close_range(static_cast<unsigned>(answers) + 1, ~0U, 0);
  if (sandboxed) become_nobody();
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of user, which clears it
  limit_memory(SymbolChild::kMemory);
  Rights rights;
  rights.files.emplace();
  rights.tree = kDebugFiles;
  rights.messages = true;
  if (sandboxed) drop_rights(rights);
  try {
    serve(requests, answers);
  } catch (...) {  // std::bad_alloc: the child must not return into the recorder's code
  }
  _exit(0);
}

// ---- the recorder ------------------------------------------------------------------------------

// Reads exactly `size` bytes; false at `end`, or when the child has ended.
bool read_all(int fd, char* data, size_t size, Clock::time_point end) {
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait = {fd, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

bool SymbolChild::start() {
  if (process_ > 0) return true;
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return false;
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    ::close(sockets[0]);
    ::close(sockets[1]);
    return false;
  }
  process_ = fork();
  if (process_ == 0) be_child(sockets[1], pipes[1], sandboxed_);
  ::close(sockets[1]);
  ::close(pipes[1]);
  requests_ = sockets[0];
  answers_ = pipes[0];
  // a child that reads nothing must not stop the recorder
  const timeval patience = {kSeconds, 0};
  setsockopt(requests_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return process_ > 0;
}

void SymbolChild::end() {
  if (requests_ >= 0) ::close(requests_);
  if (answers_ >= 0) ::close(answers_);
  requests_ = answers_ = -1;
  const pid_t process = std::exchange(process_, -1);
  // ended already, and perhaps waited for elsewhere: the number may be another process's
  if (process <= 0 || waitpid(process, nullptr, WNOHANG) != 0) return;
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool SymbolChild::add_file(uint64_t file, int descriptor, Kind kind) {
  if (!start()) return false;
  const Question question{file, 0, kind};
  return send_with_descriptors(requests_, &question, sizeof question, {descriptor});
}

std::optional<SymbolChild::Answers> SymbolChild::ask(const std::vector<Question>& questions) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(kSeconds);
  Answers out;
  out.reserve(questions.size());
  for (size_t first = 0; first < questions.size(); first += kMaxQuestions) {
    const size_t count = std::min(kMaxQuestions, questions.size() - first);
    bool ok = process_ > 0 && send(requests_, &questions[first], count * sizeof(Question),
                                   MSG_NOSIGNAL) == static_cast<ssize_t>(count * sizeof(Question));
    for (size_t i = 0; ok && i < count; ++i) {
      Header header;
      ok = read_all(answers_, reinterpret_cast<char*>(&header), sizeof header, deadline);
      Answer& answer = out.emplace_back();
      answer.is_beyond = header.length == kBeyond;
      if (!ok || header.length == kNone || answer.is_beyond) continue;
      answer.symbol = Symbol{"", header.offset};
      ok = header.length <= kMaxName;
      if (!ok) break;
      answer.symbol->name.resize(header.length);
      ok = read_all(answers_, answer.symbol->name.data(), header.length, deadline);
    }
    if (!ok) {
      end();
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace aiflame::record
