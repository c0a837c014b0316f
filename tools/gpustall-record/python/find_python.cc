// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/find_python.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/io/read_text.h"
#include "libcommon/process/process_maps.h"
#include "tools/gpustall-record/python/remote_memory.h"

namespace aiflame::record {
namespace {

enum Name { kEval, kVersion, kRuntime, kCodeType, kUnicodeType, kBytesType, kFrameType };
constexpr const char* kNames[] = {
    "_PyEval_EvalFrameDefault", "Py_Version",   "_PyRuntime",  "PyCode_Type",
    "PyUnicode_Type",           "PyBytes_Type", "PyFrame_Type"};

// Files that are remembered: the Pythons of a machine and its containers.
constexpr size_t kMostFiles = 64;
// Threads whose numbers are compared. One is enough.
constexpr unsigned kMostThreads = 256;

// The kernel's number of a thread in its own pid namespace, the last of "NSpid:\t4711\t1".
uint32_t number_in_namespace(const std::string& status) {
  const size_t at = status.find("\nNSpid:");
  if (at == status.npos) return 0;
  std::string_view line(status);
  line = line.substr(at + 7);
  line = line.substr(0, line.find('\n'));
  return parse_number<uint32_t>(line.substr(line.rfind('\t') + 1)).value_or(0);
}

bool has_thread(uint32_t pid, const std::vector<uint64_t>& numbers) {
  std::error_code error;
  const std::filesystem::directory_iterator threads(format("/proc/%u/task", pid), error);
  if (error) return false;
  for (const auto& thread : threads) {
    const uint32_t number = number_in_namespace(read_text(thread.path() / "status", 8192));
    if (std::ranges::find(numbers, number) != numbers.end()) return true;
  }
  return false;
}

// The numbers of the first threads that the interpreters list; none when a list cannot be read.
std::vector<uint64_t> thread_numbers(const RemoteMemory& memory, const Python& python) {
  std::vector<uint64_t> out;
  uint64_t interpreter = 0;
  if (!memory.load(python.interpreters, interpreter)) return {};
  for (unsigned seen = 0; interpreter != 0 && seen < kMostThreads; ++seen) {
    uint64_t thread = 0;
    if (!memory.load(interpreter + python.interpreter_threads, thread)) return {};
    for (; thread != 0 && seen < kMostThreads; ++seen) {
      uint64_t number = 0;
      if (!memory.load(thread + python.layout->thread_number(), number)) return {};
      out.push_back(number);
      if (!memory.load(thread + python_object::kNextThread, thread)) return {};
    }
    if (!memory.load(interpreter + python.next_interpreter, interpreter)) return {};
  }
  return out;
}

}  // namespace

bool may_be_python(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("python") || name.starts_with("libpython3");
}

const FindPython::Exports* FindPython::exports_of(uint32_t pid, const MapsLine& map) {
  const std::string path = file_of_mapping(pid, map);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return nullptr;
  const Identity identity(status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec);
  if (const auto known = files_.find(identity); known != files_.end()) return &known->second;
  if (files_.size() >= kMostFiles) files_.clear();
  return &(files_[identity] = read_exports(path, kNames));
}

Python FindPython::look(uint32_t pid) {
  const RemoteMemory memory(pid);
  Python out;
  const Exports* exports = nullptr;
  uint64_t bias = 0;
  try {
    std::error_code error;
    const std::string program =
        std::filesystem::read_symlink(format("/proc/%u/exe", pid), error).string();
    LineReader maps(format("/proc/%u/maps", pid));
    std::string_view line;
    MapsLine map;
    while (exports == nullptr && maps.next(line)) {
      if (!parse_maps_line(line, map) || !map.is_executable() ||
          (map.path != program && !may_be_python(map.path)))
        continue;
      const Exports* found = exports_of(pid, map);
      if (found == nullptr || (*found)[kEval].address == 0) continue;
      exports = found;
      bias = map.start + ((*found)[kEval].offset - map.file_offset) - (*found)[kEval].address;
    }
  } catch (const Error&) {
    return {};  // the process has ended
  }
  if (exports == nullptr) return {};
  // 0 = it is not exported
  const auto at = [&](Name name) {
    const uint64_t address = (*exports)[name].address;
    return address == 0 ? 0 : bias + address;
  };
  out.state = Python::State::unknown;
  uint64_t version = 0;
  if (at(kVersion) != 0 && memory.load(at(kVersion), version))
    out.version = static_cast<uint32_t>(version);
  const auto load = [&memory](uint64_t address, uint64_t& value) {
    return memory.load(address, value);
  };
  const uint64_t runtime = at(kRuntime);
  const PythonDebugOffsets offsets(load, runtime);
  out.has_no_gil = offsets.has_no_gil();
  for (const PythonLayout& layout : kPythonLayouts)
    if (layout.version == out.version >> 16) out.layout = &layout;
  // alpha, beta and candidate releases have 0xa, 0xb and 0xc there
  if (out.layout == nullptr || (out.version >> 4 & 0xf) != 0xf || out.has_no_gil) return out;
  const auto says_bytes = [&](Name type, uint64_t expected) {
    uint64_t bytes = 0;
    return at(type) != 0 && memory.load(at(type) + python_object::kTypeBytes, bytes) &&
           bytes == expected;
  };
  const PythonLayout& layout = *out.layout;
  if (runtime == 0 || at(kBytesType) == 0 || !says_bytes(kCodeType, layout.code_bytecode) ||
      !says_bytes(kUnicodeType, layout.unicode_bytes) ||
      !says_bytes(kFrameType, layout.frame_object_bytes))
    return out;
  if (layout.published_thread != 0 && !offsets.are(layout)) return out;
  out.code_type = at(kCodeType);
  out.unicode_type = at(kUnicodeType);
  out.bytes_type = at(kBytesType);
  out.eval_begin = at(kEval);
  out.eval_end = out.eval_begin + (*exports)[kEval].size;
  if (layout.runtime_interpreters != 0) {
    out.interpreters = runtime + layout.runtime_interpreters;
    out.next_interpreter = python_object::kNextInterpreter;
    out.interpreter_threads = layout.interpreter_threads;
  } else {
    out.interpreters = runtime + offsets.at(python_published::kInterpreters);
    out.next_interpreter = offsets.at(python_published::kNextInterpreter);
    out.interpreter_threads = offsets.at(python_published::kInterpreterThreads);
  }
  const std::vector<uint64_t> numbers = thread_numbers(memory, out);
  if (numbers.empty())
    out.state = Python::State::starting;
  else if (has_thread(pid, numbers))
    out.state = Python::State::known;
  return out;
}

}  // namespace aiflame::record
