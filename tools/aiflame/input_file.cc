// SPDX-License-Identifier: MIT
#include "tools/aiflame/input_file.h"

#include <algorithm>
#include <filesystem>

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
  bytes.resize(size);
  if (bytes.empty()) throw Error(path + ": is empty");
  return find_file_kind(bytes, path);
}

}  // namespace

InputFile look_at(const std::string& path) {
  InputFile out;
  out.path = path;
  std::error_code error;
  out.kind =
      std::filesystem::is_directory(path, error) ? kind_of_directory(path) : kind_of_file(path);
  if (out.kind == FileKind::folded || !out.reader().empty()) return out;
  if (out.kind == FileKind::unknown)
    throw Error(path + ": no known form; aiflame(1) lists the files that can be drawn");
  refuse_kind(path, out.kind);
}

std::string stem(const std::string& path) {
  namespace fs = std::filesystem;
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
