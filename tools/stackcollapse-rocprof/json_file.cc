// SPDX-License-Identifier: MIT
// The parts of the file that have a use, with the depth of their containers:
//
//   1 {"rocprofiler-sdk-tool":
//   2   [
//   3     {"metadata":
//   4        {"pid":908,"command":["/usr/bin/python3","train.py"],…},
//         "strings":
//   4        {"buffer_records":[{"kind":"HIP_RUNTIME_API","operations":["hipInit",…]},…],
//             "marker_api":[{"key":5,"value":"forward"}],
//             "pc_sample_instructions":["s_endpgm",…],"pc_sample_comments":["a.cpp:4",…]},
//         "agents":
//   4        [
//   5          {"id":{"handle":37946},"node_id":2,…}],
//         "kernel_symbols":[…],"code_objects":[…],
//         "buffer_records":
//   4        {"kernel_dispatch":
//   5            [
//   6              {"start_timestamp":…,"correlation_id":{"internal":1,…},"dispatch_info":{…}}],
//             "pc_sample_stochastic":[{"record":{…,"pc":{…},"snapshot":{…}},"inst_index":0}],…}}]}
#include "tools/stackcollapse-rocprof/json_file.h"

#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "libcommon/import/json_reader.h"
#include "tools/stackcollapse-rocprof/json_record.h"

namespace aiflame::rocprof {
namespace {

constexpr std::string_view kTool = "rocprofiler-sdk-tool";
constexpr size_t kProcess = 3, kSection = 4;

enum class Section { other, metadata, strings, agents, kernels, code_objects, records };

Section section_of(std::string_view key) {
  if (key == "metadata") return Section::metadata;
  if (key == "strings") return Section::strings;
  if (key == "agents") return Section::agents;
  if (key == "kernel_symbols") return Section::kernels;
  if (key == "code_objects") return Section::code_objects;
  return key == "buffer_records" ? Section::records : Section::other;
}

class JsonFile final : public JsonHandler {
 public:
  JsonFile(const Settings& settings, std::string name, RocprofTrace& out)
      : settings_(settings), name_(std::move(name)), out_(out) {}

  void begin_object() override;
  void end_object() override;
  void begin_array() override {
    ++depth_;
    if (record_depth_ > 0) ++arrays_;
  }
  void end_array() override {
    --depth_;
    if (arrays_ > 0) --arrays_;
  }
  void key(std::string_view text) override;
  void string(std::string_view text) override;
  void number(std::string_view text) override;
  void word(std::string_view text) override {
    if (record_depth_ > 0 && arrays_ == 0) record_.set_number(around_.back(), key_, text == "true");
  }

  // Ends a process that the file does not end. False if the file is not rocprofv3's.
  bool finish();

 private:
  // The names of calls, copies and ranges come before the records or behind them, so that a record
  // first has the number of its kind and operation.
  bool begins_record() const;
  void end_record();
  void end_kernel();
  void end_buffer_record();
  void end_sample(bool stochastic);
  void end_process();
  uint32_t operation() {
    return ProcessTrace::number_of(operations_, {record_.kind, record_.operation});
  }
  uint32_t operation_name(uint32_t number) const;
  uint32_t text(std::string_view of) { return process_->texts.number(of); }

  const Settings& settings_;
  std::string name_;
  RocprofTrace& out_;

  // ---- where the stream is ----
  size_t depth_ = 0;
  bool in_tool_ = false, is_rocprof_ = false;
  Section section_ = Section::other;
  std::string part_;         // of metadata, strings and buffer_records: the key
  size_t record_depth_ = 0;  // of the current record's object; 0: none
  size_t arrays_ = 0;        // open ones in the record
  std::vector<Key> around_;  // objects in the record
  KeyName key_;
  bool operations_follow_ = false;
  JsonRecord record_;

  // ---- of the current process ----
  ProcessTrace* process_ = nullptr;
  ListTable operations_;
  std::vector<std::vector<uint32_t>> operation_texts_;  // by kind
  IdMap<uint32_t> markers_;                             // texts by correlation id
  std::vector<uint64_t> range_markers_;                 // correlation ids of the process's ranges
};

bool JsonFile::begins_record() const {
  if (process_ == nullptr || record_depth_ > 0) return false;
  switch (section_) {
    case Section::agents:
    case Section::kernels:
    case Section::code_objects:
      return depth_ == kSection + 1;
    case Section::records:
      return depth_ == kSection + 2;
    case Section::strings:
      return depth_ == kSection + 2 && (part_ == "buffer_records" || part_ == "marker_api");
    default:
      return false;
  }
}

void JsonFile::begin_object() {
  ++depth_;
  if (depth_ == kProcess && in_tool_) {
    process_ = &out_.add_process(name_);
    section_ = Section::other;
  } else if (begins_record()) {
    record_.clear();
    record_depth_ = depth_;
    around_.assign(1, Key::other);
    arrays_ = 0;
    operations_follow_ = false;
    if (section_ == Section::strings && part_ == "buffer_records") operation_texts_.emplace_back();
  } else if (record_depth_ > 0) {
    around_.push_back(key_.key);
  }
}

void JsonFile::end_object() {
  if (depth_ == record_depth_) {
    end_record();
    record_depth_ = 0;
  } else if (record_depth_ > 0) {
    around_.pop_back();
  } else if (depth_ == kProcess && process_ != nullptr) {
    end_process();
  }
  --depth_;
}

void JsonFile::key(std::string_view text) {
  if (record_depth_ > 0) {
    key_ = key_of(text);
    if (depth_ == record_depth_) operations_follow_ = text == "operations";
  } else if (depth_ == 1) {
    in_tool_ = text == kTool;
    is_rocprof_ = is_rocprof_ || in_tool_;
  } else if (depth_ == kProcess) {
    section_ = section_of(text);
  } else if (depth_ == kSection) {
    part_ = text;
  }
}

void JsonFile::string(std::string_view value) {
  if (process_ == nullptr) return;
  if (record_depth_ > 0) {
    if (arrays_ == 0)
      record_.set_text(key_.key, value);
    else if (operations_follow_ && section_ == Section::strings && arrays_ == 1)
      operation_texts_.back().push_back(text(value));
  } else if (depth_ == kSection + 1) {
    if (section_ == Section::strings && part_ == "pc_sample_instructions")
      process_->sample_instructions.push_back(text(value));
    else if (section_ == Section::strings && part_ == "pc_sample_comments")
      process_->sample_comments.push_back(text(value));
    else if (section_ == Section::metadata && part_ == "command" && process_->name.empty())
      process_->name = value.substr(value.rfind('/') + 1);
  }
}

void JsonFile::number(std::string_view value) {
  if (record_depth_ == 0 || arrays_ > 0 || key_.key == Key::other) return;
  // of those that have a use, only inst_index may be negative
  if (const auto parsed = parse_number<uint64_t>(value))
    record_.set_number(around_.back(), key_, *parsed);
}

void JsonFile::end_record() {
  switch (section_) {
    case Section::agents:
      process_->agents[record_.handle] = text("device " + std::to_string(record_.node));
      break;
    case Section::kernels:
      end_kernel();
      break;
    case Section::code_objects:
      process_->code_objects[record_.code_object] = record_.load_base;
      break;
    case Section::strings:
      if (part_ == "marker_api") markers_[record_.key] = text(record_.value);
      break;
    case Section::records:
      end_buffer_record();
      break;
    default:
      break;
  }
}

// The name is mangled where there is a choice, as in other recordings, and of the descriptor:
// "_Z3addPf.kd".
void JsonFile::end_kernel() {
  std::string_view name = record_.name.empty() ? record_.formatted_name : record_.name;
  if (name.ends_with(".kd")) name.remove_suffix(3);
  process_->kernels[record_.kernel] = {text(name), record_.code_object, record_.address};
}

void JsonFile::end_buffer_record() {
  const JsonRecord& one = record_;
  const bool copy = part_ == "memory_copy";
  if (copy || part_ == "kernel_dispatch") {
    // agents' names may come later: the handle's text stands for them
    process_->work.push_back({.start = one.start,
                              .end = one.end,
                              .dispatch = copy ? text(std::to_string(one.source)) : one.dispatch,
                              .correlation = one.correlation,
                              .kernel = copy ? operation() : one.kernel,
                              .thread = one.thread,
                              .device = text(std::to_string(one.agent)),
                              .queue = text(std::to_string(one.queue)),
                              .stream = text(std::to_string(one.stream)),
                              .is_copy = copy});
  } else if (part_.starts_with("hip_") || part_.starts_with("hsa_")) {
    process_->calls.push_back({one.thread, one.start, one.end, one.correlation, operation(), 0});
  } else if (part_.starts_with("rccl_") || part_.starts_with("marker_")) {
    const bool call = part_.starts_with("rccl_");
    process_->ranges.push_back({one.thread, one.start, one.end, call ? operation() : 0, call});
    range_markers_.push_back(one.correlation);
  } else if (part_ == "pc_sample_host_trap" || part_ == "pc_sample_stochastic") {
    end_sample(part_ == "pc_sample_stochastic");
  }
}

void JsonFile::end_sample(bool stochastic) {
  const JsonRecord& one = record_;
  SampledPlace place{};
  place.dispatch = ProcessTrace::number_of(process_->dispatches, {one.dispatch, one.correlation});
  place.instruction = one.inst_index < 0 || one.inst_index >= UINT32_MAX
                          ? UINT32_MAX
                          : static_cast<uint32_t>(one.inst_index);
  place.code = ProcessTrace::number_of(process_->codes, {one.code_object, one.code_offset});
  place.kind = kByIndex;
  if (!stochastic) {
    place.kind |= kHostTrap;
  } else {
    place.kind |= one.issued ? uint32_t{kIssued} : 0;
    place.reason = text(one.issued ? one.type : one.reason);
    if (one.knows_pipes) place.kind |= one.is_exposed() ? kExposed : kUnexposed;
  }
  if (settings_.by_time.is_set()) place.slice = text(settings_.by_time.name(one.timestamp));
  process_->add_sample(place);
}

uint32_t JsonFile::operation_name(uint32_t number) const {
  const ProcessTrace::Ids one = ProcessTrace::ids_of(operations_, number);
  if (one.first >= operation_texts_.size() || one.second >= operation_texts_[one.first].size())
    return kNoText;
  return operation_texts_[one.first][one.second];
}

void JsonFile::end_process() {
  const auto named = [&](uint32_t handle_text) {
    const auto handle = parse_number<uint64_t>(process_->texts.text(handle_text));
    const auto known = process_->agents.find(handle.value_or(0));
    return known == process_->agents.end() ? handle_text : known->second;
  };
  for (DeviceWork& one : process_->work) {
    if (one.is_copy) {
      one.kernel = operation_name(static_cast<uint32_t>(one.kernel));
      one.dispatch = named(static_cast<uint32_t>(one.dispatch));
    }
    one.device = named(one.device);
  }
  for (ApiCall& one : process_->calls) one.name = operation_name(one.name);
  for (size_t i = 0; i < process_->ranges.size(); ++i) {
    MarkedRange& one = process_->ranges[i];
    const auto marker = markers_.find(range_markers_[i]);
    if (one.is_call)
      one.name = operation_name(one.name);
    else if (marker != markers_.end())
      one.name = marker->second;
  }
  process_ = nullptr;
  operations_ = {};
  operation_texts_.clear();
  markers_.clear();
  range_markers_.clear();
}

bool JsonFile::finish() {
  if (process_ != nullptr) end_process();
  return is_rocprof_;
}

}  // namespace

void read_json_file(ByteSource&& source, const Settings& settings, RocprofTrace& out) {
  JsonFile file(settings, source.name(), out);
  const JsonEnd end = read_json(source, file);
  if (!file.finish())
    throw Error(source.name() + ": no '" + std::string(kTool) + "': this is no JSON of rocprofv3");
  if (end == JsonEnd::cut) warn_of_cut(source.name());
}

}  // namespace aiflame::rocprof
