// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/event_reader.h"

#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "libcommon/import/json_reader.h"
#include "libcommon/io/input.h"
#include "tools/stackcollapse-trace/read/event_field.h"
#include "tools/stackcollapse-trace/read/event_numbers.h"

namespace aiflame::trace {
namespace {

// A list of shapes is cut behind this.
constexpr size_t kMaxShapes = 4096;
// Stacks that do not fit are left out.
constexpr size_t kMaxStacks = size_t{64} << 10;

// Depths are those of the containers that are open: the trace, its list of events, an event, its
// arguments.
class EventHandler : public JsonHandler {
 public:
  EventHandler(const EventNeeds& needs, const std::function<void(const Event&)>& take)
      : needs_(needs), take_(take) {}

  void begin_object() override {
    if (depth_ == 0) in_object_ = true;
    if (depth_ > 0 && depth_ == list_) event_.clear();
    if (is_in_event() && depth_ == list_ + 1) in_args_ = field_.kind == Field::Kind::args;
    if (depth_ == 1 && list_ == 0) in_distributed_ = key_ == "distributedInfo";
    ++depth_;
  }
  void end_object() override {
    --depth_;
    if (is_in_event() && depth_ == list_ + 1) in_args_ = false;
    if (depth_ > 0 && depth_ == list_) {
      take_(event_);
      any_event = true;
    }
    if (depth_ == 1 && list_ == 0) in_distributed_ = false;
  }
  void begin_array() override {
    if (depth_ == 0 || (depth_ == 1 && in_object_ && key_ == "traceEvents")) {
      list_ = depth_ + 1;
      facts.has_events = true;
    }
    if (is_list_of_shapes()) shape("[");
    ++depth_;
  }
  void end_array() override {
    --depth_;
    if (list_ > 0 && depth_ + 1 == list_) list_ = 0;
    if (is_list_of_shapes()) shape("]");
  }
  void key(std::string_view text) override {
    if (list_ == 0) {
      key_ = text;
    } else if (depth_ == list_ + 1) {
      field_.kind = event_field(text);
    } else if (in_args_ && depth_ == list_ + 2) {
      field_ = argument_field(text);
    }
  }
  void string(std::string_view text) override { value(text); }
  void number(std::string_view text) override { value(text); }
  void word(std::string_view) override {}
  void take_back(size_t depth) override {
    depth_ = depth;
    in_args_ = false;
    if (depth_ < list_) list_ = 0;
    if (list_ == 0) in_distributed_ = false;
  }

  // Whether what is missing at the end of a cut input may hold an event. The last bracket of a list
  // of events is left out on purpose: a writer may be killed at any time.
  bool may_miss_events() const { return in_object_ || depth_ > 1; }

  TraceFacts facts;
  bool any_event = false;

 private:
  bool is_in_event() const { return list_ > 0 && depth_ > list_; }
  bool is_list_of_shapes() const {
    return in_args_ && depth_ >= list_ + 2 && field_.kind == Field::Kind::text &&
           field_.text == TextArg::shapes && (needs_.shapes || event_.name.starts_with("nccl:"));
  }
  void shape(std::string_view text) {
    std::string& shapes = event_.text(TextArg::shapes);
    if (shapes.size() >= kMaxShapes) return;
    if (!shapes.empty() && shapes.back() != '[' && text != "]") shapes += ',';
    shapes += text;
  }

  void value(std::string_view text) {
    if (list_ == 0) {
      if (in_distributed_ && depth_ == 2 && key_ == "rank") facts.rank = text;
      return;
    }
    if (depth_ == list_ + 1 || (in_args_ && depth_ == list_ + 2)) {
      set_field(event_, field_, text);
    } else if (is_list_of_shapes()) {
      shape(text);
    } else if (in_args_ && field_.kind == Field::Kind::text && field_.text == TextArg::types) {
      if (event_.text(TextArg::types).empty()) event_.text(TextArg::types) = text;
    } else if (in_args_ && field_.kind == Field::Kind::text && field_.text == TextArg::stacks) {
      std::string& stacks = event_.text(TextArg::stacks);
      if (stacks.size() + text.size() < kMaxStacks) stacks.append(text).push_back('\0');
    }
  }

  EventNeeds needs_;
  const std::function<void(const Event&)>& take_;
  Event event_;
  size_t depth_ = 0;
  size_t list_ = 0;  // the depth inside of the list of events; 0: not in it
  bool in_object_ = false, in_args_ = false, in_distributed_ = false;
  std::string key_;  // outside of events
  Field field_;      // in an event
};

// "trace.json:9041: a control character in a string: 3 places that are not JSON are mended, 1 event
// is lost"
void warn_of_repair(const JsonRepair& repair) {
  const auto number = [](uint64_t count) { return static_cast<unsigned long long>(count); };
  std::string what =
      format("%llu %s mended", number(repair.mended),
             repair.mended == 1 ? "place that is not JSON is" : "places that are not JSON are");
  if (repair.lost > 0)
    what +=
        format(", %llu %s lost", number(repair.lost), repair.lost == 1 ? "event is" : "events are");
  warn("%s: %s; --strict refuses", repair.first.c_str(), what.c_str());
}

}  // namespace

TraceFacts read_events(const std::string& path, const EventNeeds& needs,
                       const std::function<void(const Event&)>& take) {
  ByteSource source(path);
  EventHandler handler(needs, take);
  JsonRepair repair{.elements = {"traceEvents", "ph", is_event_key, "name", "dur"},
                    .strict = needs.strict};
  const JsonEnd end = read_json(source, handler, &repair);
  if (!handler.facts.has_events)
    throw Error(source.name() + ": no list of events (\"traceEvents\"): not a Chrome trace");
  if (end == JsonEnd::cut && handler.may_miss_events()) warn_of_cut(source.name());
  if (repair.lost > 0 && !handler.any_event) throw Error(repair.first);
  if (!repair.first.empty()) warn_of_repair(repair);
  handler.facts.lost_events = repair.lost;
  return handler.facts;
}

}  // namespace aiflame::trace
