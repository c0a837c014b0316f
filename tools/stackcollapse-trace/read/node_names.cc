// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/node_names.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/json_reader.h"
#include "libcommon/import/plain_pickle.h"
#include "libcommon/io/input.h"
#include "libcommon/io/whole_input.h"

namespace aiflame::trace {
namespace {

constexpr char kPickle = '\x80';  // PROTO, the first opcode
constexpr size_t kLongestPickle = size_t{1} << 30;
// PyTorch writes one for each node; older ones wrote one for each open mark_kernels().
constexpr size_t kMostMarks = 64;

// What a dictionary tells of a mark. Other keys are the user's own.
void set_field(NodeNames& names, std::string_view key, std::string_view value) {
  // of several, the first one is the innermost
  if ((key == "name" || key == "str") && names.mark.empty()) names.mark = value;
  if (key == "autograd_phase" && value == "backward") names.backward = true;
}

// Depths are those of the containers that are open: the file, the list of a node, a mark.
class Handler : public JsonHandler {
 public:
  explicit Handler(NodesNames& out) : out_(out) {}

  std::string wrong;  // empty: nothing

  void begin_object() override { ++depth_; }
  void end_object() override { --depth_; }
  void begin_array() override { ++depth_; }
  void end_array() override { --depth_; }
  void key(std::string_view text) override {
    if (depth_ > 1) {
      key_ = text;
      return;
    }
    const auto id = parse_number<uint64_t>(text);
    if (!id && wrong.empty()) wrong = "'" + printable(text) + "' is no id of a node";
    node_ = id ? &out_[*id] : nullptr;
    key_.clear();
  }
  void string(std::string_view text) override {
    if (node_ == nullptr) return;
    if (depth_ == 1)
      node_->functions = text;
    else if (depth_ == 2 && key_.empty())
      set_field(*node_, "name", text);  // a list of texts, as older ones wrote
    else if (depth_ <= 3)
      set_field(*node_, key_, text);
  }

 private:
  NodesNames& out_;
  NodeNames* node_ = nullptr;
  std::string key_;
  size_t depth_ = 0;
};

void read_marks(const PlainPickle& pickle, const PlainPickle::Value& marks, NodeNames& names) {
  using Kind = PlainPickle::Kind;
  for (size_t i = 0; i < std::min(marks.items.size(), kMostMarks); ++i) {
    const PlainPickle::Value& mark = pickle.at(marks.items[i]);
    if (mark.kind == Kind::text) set_field(names, "name", mark.text);
    if (mark.kind != Kind::dictionary) continue;
    for (size_t j = 0; j + 1 < std::min(mark.items.size(), 2 * kMostMarks); j += 2) {
      const PlainPickle::Value &key = pickle.at(mark.items[j]),
                               &value = pickle.at(mark.items[j + 1]);
      if (key.kind == Kind::text && value.kind == Kind::text)
        set_field(names, key.text, value.text);
    }
  }
}

void read_pickle(std::string_view bytes, NodesNames& out) {
  using Kind = PlainPickle::Kind;
  const PlainPickle pickle(bytes);
  const PlainPickle::Value& nodes = pickle.root();
  if (nodes.kind != Kind::dictionary) throw Error("no dictionary with the ids of nodes");
  for (size_t i = 0; i + 1 < nodes.items.size(); i += 2) {
    const PlainPickle::Value &id = pickle.at(nodes.items[i]),
                             &value = pickle.at(nodes.items[i + 1]);
    if (id.kind != Kind::number) throw Error("a key that is no id of a node");
    NodeNames& names = out[id.number];
    if (value.kind == Kind::text)
      names.functions = value.text;
    else
      read_marks(pickle, value, names);
  }
}

}  // namespace

std::optional<ModelLine> parse_node_function(std::string_view text) {
  const size_t function = text.rfind(':');
  if (function == std::string_view::npos || function == 0) return std::nullopt;
  const size_t number = text.rfind(':', function - 1);
  if (number == std::string_view::npos || number == 0) return std::nullopt;
  const auto line = parse_number<uint64_t>(text.substr(number + 1, function - number - 1));
  if (!line || function + 1 == text.size()) return std::nullopt;
  return ModelLine{std::string(text.substr(0, number)), std::string(text.substr(function + 1)),
                   *line};
}

bool is_node_names(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return false;
  ByteSource source(path);
  std::string_view begin = source.peek(64);
  if (begin.starts_with(kPickle)) return true;
  const auto skip_blanks = [&] {
    begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  };
  if (!begin.starts_with('{')) return false;
  begin.remove_prefix(1);
  skip_blanks();
  if (begin.starts_with('}')) return true;
  // a trace has names there, as "traceEvents"
  return begin.size() > 1 && begin[0] == '"' && begin[1] >= '0' && begin[1] <= '9';
}

void read_node_names(const std::string& path, NodesNames& out) {
  ByteSource source(path);
  if (source.peek(1).starts_with(kPickle)) {
    const WholeInput input(source, kLongestPickle);
    try {
      return read_pickle(input.bytes(), out);
    } catch (const Error& error) {
      throw Error(path + ": " + error.what());
    }
  }
  Handler handler(out);
  if (read_json(source, handler) == JsonEnd::cut) throw Error(path + ": the JSON text is cut");
  if (!handler.wrong.empty()) throw Error(path + ": " + handler.wrong);
}

}  // namespace aiflame::trace
