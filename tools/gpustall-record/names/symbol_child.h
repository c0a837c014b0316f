// SPDX-License-Identifier: MIT
// Reads the symbols of files that recorded programs have mapped. The files are untrusted and the
// recorder may be root, so a child process reads them: without rights
// (libcommon/process/sandbox.h), as nobody where the recorder is root, and within limits of time
// and memory. It gets the files open, and answers with names and build ids. It may open debug files
// itself, of those that the distribution has installed, by build id.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aiflame::record {

class SymbolChild {
 public:
  enum class Kind : uint64_t {
    function,  // at an offset in an ELF file
    jitted,    // the function at an address, by perf's map (/tmp/perf-PID.map)
    build_id,  // of an ELF file, hexadecimal
  };
  struct Question {
    uint64_t file = 0;
    uint64_t offset = 0;  // or the address
    Kind kind = Kind::function;
  };
  struct Symbol {
    std::string name;     // of a function, demangled; or the build id
    uint64_t offset = 0;  // of the question's place, from the function's start
  };
  struct Answer {
    std::optional<Symbol> symbol;  // nothing when the file has no function there, or no build id
    // The file's symbols take more memory than the child may have, or most of it is a hole.
    bool is_beyond = false;
  };
  using Answers = std::vector<Answer>;

  // What one call of ask() may take, and the child's memory.
  static constexpr unsigned kSeconds = 10;
  static constexpr uint64_t kMemory = uint64_t{512} << 20;

  SymbolChild() = default;
  ~SymbolChild() { end(); }
  SymbolChild(const SymbolChild&) = delete;
  SymbolChild& operator=(const SymbolChild&) = delete;

  // Lets the child keep the recorder's rights. Call it before add_file().
  void keep_rights() { sandboxed_ = false; }

  // From now on `descriptor` is file number `file`, for questions of that kind. The child gets a
  // copy of the descriptor. False when there is no child to give it to.
  [[nodiscard]] bool add_file(uint64_t file, int descriptor, Kind kind = Kind::function);
  // One answer for each question. Nothing when the child
  // has reached a limit, has crashed, or has answered nonsense. Then it has ended, the next
  // add_file() starts another, and all files have to be added again.
  std::optional<Answers> ask(const std::vector<Question>& questions);

 private:
  [[nodiscard]] bool start();
  void end();

  bool sandboxed_ = true;
  pid_t process_ = -1;
  int requests_ = -1, answers_ = -1;
};

}  // namespace aiflame::record
