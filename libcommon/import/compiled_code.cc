// SPDX-License-Identifier: MIT
#include "libcommon/import/compiled_code.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/json_reader.h"
#include "libcommon/import/wrapper_reader.h"
#include "libcommon/io/directory.h"
#include "libcommon/io/input.h"
#include "libcommon/io/whole_input.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/text/sha256.h"

namespace aiflame {
namespace {

// A model of thousands of layers has some hundred thousand lines of them. More is no log that
// anybody wants to read.
constexpr size_t kMostLines = size_t{1} << 22;
// The name of a file that Inductor makes: 'c', and 51 letters of base 32.
constexpr size_t kHash = 52;
// A wrapper of a large model has some megabytes.
constexpr size_t kLongestWrapper = size_t{256} << 20;
constexpr size_t kLongestFacts = size_t{1} << 30;
// What TORCH_COMPILE_DEBUG=1 calls its copy of a wrapper.
constexpr std::string_view kDebugWrapper = "output_code.py";

constexpr std::string_view kDebugNodes = "inductor_provenance_tracking_node_mappings.json";
constexpr std::string_view kDebugStacks = "inductor_provenance_tracking_kernel_stack_traces.json";

bool is_named(const std::string& path, std::string_view name) {
  return path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

// Copies of wrappers, and what is known of them, if it is there.
std::vector<std::string> with_debug_facts(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const std::string& file : files) {
    out.push_back(file);
    if (!is_named(file, kDebugWrapper)) continue;
    const std::string folder = file.substr(0, file.size() - kDebugWrapper.size());
    for (const std::string_view name : {kDebugNodes, kDebugStacks}) {
      std::error_code error;
      std::string beside = folder + std::string(name);
      if (std::filesystem::is_regular_file(beside, error)) out.push_back(std::move(beside));
    }
  }
  return out;
}

// 'c', and 51 letters of base 32 (RFC 4648) of SHA-256 of the text without blanks around it.
std::string wrapper_name(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const size_t end = text.find_last_not_of(kBlanks);
  text = text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
  std::string out = "c";
  uint32_t bits = 0, count = 0;
  for (const char byte : sha256(text)) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 5 && out.size() < kHash; count -= 5)
      out += "abcdefghijklmnopqrstuvwxyz234567"[bits >> (count - 5) & 31];
  }
  return out;
}

// The strings of a value with their keys: {"KEY": "…"}, {"KEY": ["…", "…"]}, and
// {"KEY": {"INNER": ["…", "…"]}}.
class StringsByKey : public JsonHandler {
 public:
  using Take =
      std::function<void(const std::string& key, const std::string& inner, std::string_view text)>;
  explicit StringsByKey(const Take& take) : take_(take) {}

  void begin_object() override { ++depth_; }
  void end_object() override { --depth_; }
  void begin_array() override { ++depth_; }
  void end_array() override { --depth_; }
  void key(std::string_view text) override {
    if (depth_ == 1) {
      key_ = text;
      inner_.clear();
    } else if (depth_ == 2) {
      inner_ = text;
    }
  }
  void string(std::string_view text) override {
    if (depth_ > 0 && depth_ <= 3) take_(key_, inner_, text);
  }

 private:
  const Take& take_;
  size_t depth_ = 0;
  std::string key_, inner_;
};

void read_strings(std::string_view json, const std::string& place, const StringsByKey::Take& take) {
  const MemoryFile file(json);
  const int copy = ::dup(file.descriptor());
  if (copy < 0 || ::lseek(copy, 0, SEEK_SET) != 0) throw Error(place + ": no memory for a file");
  ByteSource source(copy, place);
  StringsByKey handler(take);
  if (read_json(source, handler) == JsonEnd::cut) throw Error(place + ": the JSON text is cut");
}

// {"cppCodeToPost": {"cpp_fused_gelu_1:3": ["erf"]}, "postToPre": {"erf": ["input_2"]}}
//
// A kernel was made of nodes of the compiler's graph, and those of nodes of the model's graph.
// For a kernel in C++ the wrapper has no comment with these.
void add_nodes(std::string_view json, const std::string& place, CompiledGraph& graph) {
  std::map<std::string, std::vector<std::string>> by_handle, by_node;
  read_strings(json, place,
               [&](const std::string& mapping, const std::string& from, std::string_view to) {
                 if (mapping == "cppCodeToPost") by_handle[from].emplace_back(to);
                 if (mapping == "postToPre") by_node[from].emplace_back(to);
               });
  for (CompiledKernel& kernel : graph.kernels) {
    if (!kernel.nodes.empty()) continue;
    for (const std::string& node : by_handle[kernel.handle])
      for (const std::string& of_model : by_node[node]) add_model_node(of_model, kernel.nodes);
  }
}

// `kept`: lines of models in all graphs.
//
// {"NAME:13": ["  File \"/a/model.py\", line 23, in forward\n", "…"]}
void add_stacks(std::string_view json, const std::string& place, size_t& kept,
                CompiledGraph& graph) {
  std::map<std::string, std::vector<ModelStack>> by_handle;
  read_strings(
      json, place, [&](const std::string& handle, const std::string&, std::string_view text) {
        ModelStack stack = parse_model_stack(text);
        if (stack.empty()) return;
        kept += stack.size();
        if (kept > kMostLines)
          throw Error(format("%s: more than %zu lines of models", place.c_str(), kMostLines));
        by_handle[handle].push_back(std::move(stack));
      });
  for (CompiledKernel& kernel : graph.kernels)
    if (const auto found = by_handle.find(kernel.handle); found != by_handle.end())
      kernel.stacks = found->second;
}

// The text of a string field of a header: {"inductor_output_code": {"filename": "/tmp/…"}, …}.
std::string_view field(std::string_view header, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\": \"";
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  return header.substr(0, header.find('"'));
}

// "V1127 04:05:52.835000 849 torch/_inductor/graph.py:2575] {…}": the beginning of a record.
bool is_header(std::string_view line) {
  return line.size() > 6 && line[0] == 'V' && line[5] == ' ' &&
         std::all_of(line.begin() + 1, line.begin() + 5,
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ModelStack parse_model_stack(std::string_view text) {
  ModelStack out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos || !line.substr(begin).starts_with(kFile)) continue;
    line.remove_prefix(begin + kFile.size());
    const size_t number = line.rfind(kLine);
    const size_t function = number == std::string_view::npos ? number : line.find(kIn, number);
    if (function == std::string_view::npos) continue;
    const size_t digits = number + kLine.size();
    const auto parsed = parse_number<uint64_t>(line.substr(digits, function - digits));
    if (!parsed) continue;
    out.push_back({std::string(line.substr(0, number)),
                   std::string(line.substr(function + kIn.size())), *parsed});
  }
  return out;
}

ModelStack common_model_stack(std::span<const CompiledKernel* const> kernels) {
  std::vector<const ModelStack*> stacks;
  for (const CompiledKernel* kernel : kernels) {
    if (kernel->stacks.empty()) return {};
    for (const ModelStack& stack : kernel->stacks) stacks.push_back(&stack);
  }
  if (stacks.empty()) return {};
  const ModelStack& first = *stacks[0];
  size_t shared = first.size();
  for (const ModelStack* stack : stacks)
    shared = static_cast<size_t>(std::mismatch(first.begin(),
                                               first.begin() + static_cast<ptrdiff_t>(shared),
                                               stack->begin(), stack->end())
                                     .first -
                                 first.begin());
  ModelStack out(first.begin(), first.begin() + static_cast<ptrdiff_t>(shared));
  const bool in_one_function = std::all_of(stacks.begin(), stacks.end(), [&](const auto* stack) {
    return stack->size() > shared && (*stack)[shared].file == first[shared].file &&
           (*stack)[shared].function == first[shared].function;
  });
  if (in_one_function) out.push_back({first[shared].file, first[shared].function, 0});
  return out;
}

std::string_view compiled_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(".py")) return {};
  name.remove_suffix(3);
  const auto is_base32 = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return name.size() == kHash && name[0] == 'c' && std::all_of(name.begin(), name.end(), is_base32)
             ? name
             : std::string_view();
}

// Reads a log record by record. A wrapper comes before what is said of its kernels, and before the
// key under which it is cached.
class CompiledCode::LogReader {
 public:
  LogReader(CompiledCode& code, LineReader& lines) : code_(code), lines_(lines) {}

  void read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (is_header(line)) {
        end_record();
        begin_record(line.substr(line.find('{') == line.npos ? line.size() : line.find('{')));
        ++records_;
      } else if (line.starts_with('\t')) {
        payload(line.substr(1));
      }
    }
    end_record();
    if (records_ == 0)
      throw Error(lines_.name() + ": no record of TORCH_TRACE: not a log of PyTorch's compiler");
  }

 private:
  enum class Record { other, wrapper, nodes, stacks, cached };

  void begin_record(std::string_view header) {
    record_ = Record::other;
    if (header.find("\"inductor_output_code\"") != header.npos) {
      const std::string_view file = compiled_file(field(header, "filename"));
      if (file.empty()) return;
      record_ = Record::wrapper;
      file_ = file;
      return;
    }
    const std::string_view name = field(header, "name");
    if (name == "inductor_provenance_tracking_node_mappings")
      record_ = Record::nodes;
    else if (name == "inductor_provenance_tracking_kernel_stack_traces")
      record_ = Record::stacks;
    else if (name.starts_with("fx_graph_cache_"))
      record_ = Record::cached;
  }

  void payload(std::string_view line) {
    if (record_ == Record::wrapper) return wrapper_.read(line);
    if (file_.empty()) return;
    if (record_ == Record::nodes) add_nodes(line, lines_.place(), code_.graphs_[file_]);
    if (record_ == Record::stacks)
      add_stacks(line, lines_.place(), code_.model_lines_, code_.graphs_[file_]);
    if (record_ == Record::cached) read_key(line);
  }

  void end_record() {
    if (record_ == Record::wrapper) code_.graphs_[file_].kernels = wrapper_.take();
    record_ = Record::other;
  }

  void read_key(std::string_view line) {
    std::string key;
    read_strings(line, lines_.place(),
                 [&](const std::string& name, const std::string&, std::string_view text) {
                   if (name == "key" && key.empty()) key = text;
                 });
    if (!key.empty()) code_.files_by_key_[key] = file_;
    file_.clear();
  }

  CompiledCode& code_;
  LineReader& lines_;
  Record record_ = Record::other;
  std::string file_;  // of the wrapper that was read last
  WrapperReader wrapper_;
  size_t records_ = 0;
};

// A folder of TORCH_COMPILE_DEBUG=1 has a copy of the wrapper. Traces know a wrapper by a hash of
// its text.
void CompiledCode::read_debug_wrapper(const std::string& path) {
  LineReader lines(path);
  WrapperReader wrapper;
  std::string text;
  for (std::string_view line; lines.next(line);) {
    wrapper.read(line);
    text.append(line) += '\n';
    if (text.size() > kLongestWrapper)
      throw Error(format("%s: longer than %zu MiB", path.c_str(), kLongestWrapper >> 20));
  }
  last_debug_ = wrapper_name(text);
  graphs_[last_debug_].kernels = wrapper.take();
}

void CompiledCode::read(const std::string& path) {
  if (is_named(path, kDebugWrapper)) return read_debug_wrapper(path);
  if (is_named(path, kDebugNodes) || is_named(path, kDebugStacks)) {
    if (last_debug_.empty())
      throw Error(path + ": name the " + std::string(kDebugWrapper) + " beside it instead");
    ByteSource source(path);
    const WholeInput input(source, kLongestFacts);
    CompiledGraph& graph = graphs_[last_debug_];
    if (is_named(path, kDebugNodes)) return add_nodes(input.bytes(), path, graph);
    return add_stacks(input.bytes(), path, model_lines_, graph);
  }
  LineReader lines(path);
  const std::string file(compiled_file(path));
  if (file.empty()) return LogReader(*this, lines).read();
  WrapperReader wrapper;
  std::string_view line;
  while (lines.next(line)) wrapper.read(line);
  std::vector<CompiledKernel> kernels = wrapper.take();
  // the files of Triton's kernels have such names, too
  if (!kernels.empty()) graphs_[file].kernels = std::move(kernels);
}

const CompiledGraph* CompiledCode::of_file(std::string_view file) const {
  const auto found = graphs_.find(file);
  return found == graphs_.end() ? nullptr : &found->second;
}

const CompiledGraph* CompiledCode::of_key(std::string_view key) const {
  const auto found = files_by_key_.find(key);
  return found == files_by_key_.end() ? nullptr : of_file(found->second);
}

size_t CompiledCode::kernels() const {
  size_t out = 0;
  for (const auto& [file, graph] : graphs_) out += graph.kernels.size();
  return out;
}

size_t CompiledCode::with_lines() const {
  size_t out = 0;
  for (const auto& [file, graph] : graphs_)
    for (const CompiledKernel& kernel : graph.kernels) out += !kernel.stacks.empty();
  return out;
}

std::vector<std::string> compiled_code_files(const std::vector<std::string>& given) {
  return with_debug_facts(with_files_of_directories(given, [](const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code error;
    std::vector<std::string> logs, wrappers, debug;
    for (fs::recursive_directory_iterator at(directory, error), end; at != end;
         at.increment(error)) {
      if (error) break;
      const std::string path = at->path().string();
      if (!at->is_regular_file(error)) continue;
      for (const std::string_view ending : {".log", ".log.gz", ".log.zst"})
        if (path.ends_with(ending)) logs.push_back(path);
      if (!compiled_file(path).empty()) wrappers.push_back(path);
      if (is_named(path, kDebugWrapper)) debug.push_back(path);
    }
    // TORCH_COMPILE_DEBUG=1 writes logs, too, which are for people
    if (!debug.empty())
      std::erase_if(logs, [](const std::string& log) {
        return fs::path(log).filename().string().find("torch_trace") == std::string::npos;
      });
    if (logs.empty()) logs = debug.empty() ? std::move(wrappers) : std::move(debug);
    if (logs.empty())
      throw Error(directory +
                  ": no log of TORCH_TRACE and no wrapper of Inductor's is in this directory");
    return logs;
  }));
}

}  // namespace aiflame
