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
#include "libcommon/symbols/elf.h"
#include "tools/gpustall-record/python/remote_memory.h"

namespace aiflame::record {
namespace {

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

const FindPython::Exports* FindPython::exports_of(uint32_t pid, const MapsLine& map,
                                                  uint64_t& bias) {
  const std::string path = file_of_mapping(pid, map);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return nullptr;
  const ElfFile elf(path);
  const auto vaddr = elf.vaddr_of_offset(map.file_offset);
  if (!vaddr) return nullptr;
  bias = map.start - *vaddr;
  const Identity identity(status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec);
  if (const auto known = files_.find(identity); known != files_.end()) return &known->second;
  if (files_.size() >= kMostFiles) files_.clear();
  Exports& out = files_[identity];
  const auto exported = [&](const char* name) { return elf.export_at(name).value_or(0); };
  out.eval_begin = exported("_PyEval_EvalFrameDefault");
  if (out.eval_begin == 0) return &out;
  const auto eval = elf.function_at(out.eval_begin);
  out.eval_end = out.eval_begin + (eval ? eval->size : 0);
  out.version = exported("Py_Version");
  out.runtime = exported("_PyRuntime");
  out.code_type = exported("PyCode_Type");
  out.unicode_type = exported("PyUnicode_Type");
  out.bytes_type = exported("PyBytes_Type");
  out.frame_type = exported("PyFrame_Type");
  return &out;
}

Python FindPython::look(uint32_t pid) {
  const RemoteMemory memory(pid);
  Python out;
  Exports exports;
  uint64_t bias = 0;
  try {
    std::error_code error;
    const std::string program =
        std::filesystem::read_symlink(format("/proc/%u/exe", pid), error).string();
    LineReader maps(format("/proc/%u/maps", pid));
    std::string_view line;
    MapsLine map;
    while (exports.eval_begin == 0 && maps.next(line))
      if (parse_maps_line(line, map) && map.is_executable() &&
          (map.path == program || may_be_python(map.path)))
        if (const Exports* found = exports_of(pid, map, bias)) exports = *found;
  } catch (const Error&) {
    return {};  // the process has ended, or its file cannot be read
  }
  if (exports.eval_begin == 0) return {};
  out.state = Python::State::unknown;
  uint64_t version = 0;
  if (exports.version != 0 && memory.load(bias + exports.version, version))
    out.version = static_cast<uint32_t>(version);
  const auto load = [&memory](uint64_t address, uint64_t& value) {
    return memory.load(address, value);
  };
  const uint64_t runtime = bias + exports.runtime;
  const PythonDebugOffsets offsets(load, runtime);
  out.has_no_gil = offsets.has_no_gil();
  for (const PythonLayout& layout : kPythonLayouts)
    if (layout.version == out.version >> 16) out.layout = &layout;
  // alpha, beta and candidate releases have 0xa, 0xb and 0xc there
  if (out.layout == nullptr || (out.version >> 4 & 0xf) != 0xf || out.has_no_gil) return out;
  const auto says_bytes = [&](uint64_t type, uint64_t expected) {
    uint64_t bytes = 0;
    return type != 0 && memory.load(bias + type + python_object::kTypeBytes, bytes) &&
           bytes == expected;
  };
  const PythonLayout& layout = *out.layout;
  if (exports.runtime == 0 || exports.bytes_type == 0 ||
      !says_bytes(exports.code_type, layout.code_bytecode) ||
      !says_bytes(exports.unicode_type, layout.unicode_bytes) ||
      !says_bytes(exports.frame_type, layout.frame_object_bytes))
    return out;
  if (layout.published_thread != 0 && !offsets.are(layout)) return out;
  out.code_type = bias + exports.code_type;
  out.unicode_type = bias + exports.unicode_type;
  out.bytes_type = bias + exports.bytes_type;
  out.eval_begin = bias + exports.eval_begin;
  out.eval_end = bias + exports.eval_end;
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
