// SPDX-License-Identifier: MIT
#include "libcommon/base/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

namespace aiflame {
namespace {

const char* name_of_program = "aiflame";

std::string vformat(const char* text, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, text, again);
  va_end(again);
  if (length < 0) return text;
  std::string out(static_cast<size_t>(length), '\0');
  std::vsnprintf(out.data(), out.size() + 1, text, arguments);
  return out;
}

void write_message(const char* kind, const std::string& text) {
  std::string line = std::string(name_of_program) + ": " + kind + printable(text) + "\n";
  // a message that cannot be written is lost
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

// If a standard descriptor is closed, the next file opened would get its number, and messages or
// data would be written into that file. So it is occupied by a file that is open in the wrong
// direction: using it fails, as with a closed one. Programs that are started later find the
// descriptor closed again.
void occupy_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

}  // namespace

std::string format(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::string out = vformat(text, arguments);
  va_end(arguments);
  return out;
}

const char* program_name() {
  return name_of_program;
}

void say(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  write_message("", vformat(text, arguments));
  va_end(arguments);
}

void warn(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  write_message("warning: ", vformat(text, arguments));
  va_end(arguments);
}

void hint(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  write_message("hint: ", vformat(text, arguments));
  va_end(arguments);
}

void outlive_interrupt() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return;  // already ignored: nohup, a shell's background job
  action.sa_handler = [](int) {};
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
}

int run_program(const char* name, int argc, char** argv, int (*body)(int argc, char** argv),
                int failure, int usage) {
  name_of_program = name;
  occupy_standard_descriptors();
  try {
    return body(argc, argv);
  } catch (const UsageError& error) {
    write_message("", format("%s; try '%s --help'", error.what(), name));
    return usage;
  } catch (const std::bad_alloc&) {
    write_message("", "out of memory");
  } catch (const std::exception& error) {
    write_message("", error.what());
  }
  return failure;
}

}  // namespace aiflame
