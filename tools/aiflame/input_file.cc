// SPDX-License-Identifier: MIT
#include "tools/aiflame/input_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "libcommon/base/program.h"

namespace aiflame::front {
namespace {

FileKind kind_of_directory(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(fs::path(path) / "meta.db", error)) return FileKind::hpctoolkit;
  if (fs::exists(fs::path(path) / "data", error))
    return FileKind::perf_data;  // perf record --threads
  throw Error(path + ": a directory that is neither a database of HPCToolkit nor a perf.data");
}

FileKind kind_of_file(const std::string& path) {
  ByteSource source(path);
  std::string bytes(kKindBytes, '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    const size_t more = source.read(bytes.data() + size, bytes.size() - size);
    if (more == 0) break;
    size += more;
  }
  const bool is_all = size < bytes.size();
  bytes.resize(size);
  if (bytes.empty()) throw Error(input_name(path) + ": is empty");
  if (is_all) bytes += '\n';  // the last line may lack it, and is whole
  return find_file_kind(bytes, path);
}

// The kind is read from the first bytes, and the program that folds it reads them again. So what a
// pipe has is put into a file without a name first, which then is the standard input.
void make_stdin_seekable() {
  if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) return;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) throw Error(format("cannot make a temporary file: %s", std::strerror(errno)));
  std::vector<char> block(size_t{256} << 10);
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error(format("<stdin>: read error: %s", std::strerror(errno)));
    if (size == 0) break;
    if (std::fwrite(block.data(), 1, static_cast<size_t>(size), file.get()) !=
        static_cast<size_t>(size))
      throw Error(format("cannot write a temporary file: %s", std::strerror(errno)));
  }
  if (std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0 ||
      dup2(fileno(file.get()), STDIN_FILENO) < 0)
    throw Error(format("cannot write a temporary file: %s", std::strerror(errno)));
}

FileKind kind_of_stdin() {
  make_stdin_seekable();
  const off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
  const FileKind kind = kind_of_file("-");
  if (lseek(STDIN_FILENO, begin, SEEK_SET) < 0)
    throw Error(format("<stdin>: cannot be read again: %s", std::strerror(errno)));
  return kind;
}

// A database of HPCToolkit is a directory. Users give a file of it, since a shell completes that.
std::string database_of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path directory = fs::path(path).parent_path();
  if (directory.empty()) directory = ".";
  std::error_code error;
  return fs::exists(directory / "meta.db", error) ? directory.string() : path;
}

}  // namespace

InputFile look_at(const std::string& path) {
  InputFile out;
  out.path = path;
  std::error_code error;
  out.kind = path == "-"                                  ? kind_of_stdin()
             : std::filesystem::is_directory(path, error) ? kind_of_directory(path)
                                                          : kind_of_file(path);
  if (out.kind == FileKind::hpctoolkit && !std::filesystem::is_directory(path, error))
    out.path = database_of(path);
  if (out.kind == FileKind::folded || !out.reader().empty()) return out;
  if (out.kind == FileKind::unknown)
    throw Error(input_name(path) + ": no known form; aiflame(1) lists the files that can be drawn");
  refuse_kind(input_name(path), out.kind);
}

std::string stem(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return "aiflame";
  fs::path name = fs::path(path).filename();
  if (name.empty()) name = fs::path(path).parent_path().filename();  // "database/"
  constexpr std::string_view kCompressed[] = {".gz", ".zst", ".xz", ".bz2"};
  if (std::find(std::begin(kCompressed), std::end(kCompressed), name.extension().string()) !=
      std::end(kCompressed))
    name = name.stem();
  name = name.stem();
  return name.empty() || name == "." || name == ".." ? "aiflame" : name.string();
}

}  // namespace aiflame::front
