// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-proton/hatchet.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/import/json_reader.h"

namespace aiflame::proton {
namespace {

// What a file looks like. The writer sorts the keys, so a node's children stand before its name.
// The last element of the list describes the devices.
//
//   [ { "children": [ { "children": [],
//                       "frame": { "name": "matmul_kernel", "type": "function" },
//                       "metrics": { "count": 3, "device_id": "0", "device_type": "CUDA",
//                                    "time (ns)": 204800 } } ],
//       "frame": { "name": "ROOT", "type": "function" },
//       "metrics": { "count": 0, "time (ns)": 0 } },
//     { "CUDA": { "0": { "arch": "90", "num_sms": 132, ... } } } ]
class Handler : public JsonHandler {
 public:
  Handler(HatchetTree& tree, const Metric& metric, const std::string& path)
      : tree_(tree), metric_(metric), path_(path) {}

  void begin_array() override {
    const Place above = top();
    if (places_.empty())
      places_.push_back({In::list, HatchetTree::kNone});
    else if (above.in == In::node && key_ == "children")
      places_.push_back({In::list, above.node});
    else
      places_.push_back({In::other, above.node});
  }
  void begin_object() override {
    const Place above = top();
    if (places_.empty()) fail();
    if (above.in == In::list) {
      const auto node = static_cast<uint32_t>(tree_.nodes.size());
      if (node == HatchetTree::kNone) throw Error(path_ + ": has too many nodes");
      tree_.nodes.push_back({.parent = above.node});
      places_.push_back({In::node, node});
    } else if (above.in == In::node && (key_ == "frame" || key_ == "metrics")) {
      places_.push_back({key_ == "frame" ? In::frame : In::metrics, above.node});
    } else {
      places_.push_back({In::other, above.node});
    }
  }
  void end_array() override { places_.pop_back(); }
  void end_object() override { places_.pop_back(); }

  void key(std::string_view key) override {
    key_ = key;
    if (top().in != In::metrics) return;
    key_number_ = tree_.texts.number(key);
    if (kinds_.size() <= key_number_) kinds_.resize(tree_.texts.size());
    KeyKind& kind = kinds_[key_number_];
    if (!kind.is_known) {
      kind = {.is_known = true,
              .is_drawn = metric_.has(key),
              .is_sample = key == "num_samples" || reason_of_key(key),
              .is_sum = key == "num_stalled_samples",
              .is_device = key == "device_id" || key == "device_type",
              .is_cycles = key == "cycles"};
      tree_.keys.push_back(key_number_);
    }
    HatchetTree::Node& node = tree_.nodes[top().node];
    node.is_device |= kind.is_device;
    node.has_cycles |= kind.is_cycles;
  }
  void string(std::string_view text) override {
    if (places_.empty()) fail();
    if (top().in == In::frame && key_ == "name")
      tree_.nodes[top().node].name = tree_.texts.number(text);
  }
  void number(std::string_view text) override {
    if (places_.empty()) fail();
    if (top().in != In::metrics) return;
    const KeyKind& kind = kinds_[key_number_];
    if (!kind.is_drawn && !kind.is_sample && !kind.is_sum) return;
    const auto value = parse_whole(text);
    const bool is_some = value && (value->value > 0 || !value->is_exact);
    if (kind.is_sample) tree_.nodes[top().node].has_samples |= is_some;
    if (kind.is_sum && value) tree_.nodes[top().node].stalled = value->value;
    if (!kind.is_drawn) return;
    if (!value)
      ++tree_.negative;
    else if (is_some)
      tree_.values.push_back({top().node, key_number_, *value});
  }
  void word(std::string_view) override {
    if (places_.empty()) fail();
  }

 private:
  enum class In { list, node, frame, metrics, other };
  struct Place {
    In in;
    uint32_t node;  // of a list: the parent of its nodes
  };

  // What a key of metrics means.
  struct KeyKind {
    bool is_known = false, is_drawn = false, is_sample = false, is_sum = false, is_device = false,
         is_cycles = false;
  };

  Place top() const {
    return places_.empty() ? Place{In::other, HatchetTree::kNone} : places_.back();
  }
  [[noreturn]] void fail() const {
    throw Error(path_ + ": is not a list of trees, as Proton writes it for Hatchet");
  }

  HatchetTree& tree_;
  const Metric& metric_;
  const std::string& path_;
  std::vector<Place> places_;
  std::string key_;
  uint32_t key_number_ = 0;
  std::vector<KeyKind> kinds_;  // by the number of the key's text
};

}  // namespace

HatchetTree read_hatchet(const std::string& path, const Metric& metric) {
  HatchetTree tree;
  ByteSource source(path);
  tree.file = source.name();
  Handler handler(tree, metric, tree.file);
  tree.is_cut = read_json(source, handler) == JsonEnd::cut;
  const auto has_name = [](const HatchetTree::Node& node) {
    return node.name != HatchetTree::kNone;
  };
  if (tree.is_cut ? tree.nodes.empty()
                  : std::none_of(tree.nodes.begin(), tree.nodes.end(), has_name))
    throw Error(tree.file + ": has no frames, as Proton writes them for Hatchet");
  return tree;
}

}  // namespace aiflame::proton
