// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/rocpd_file.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/import/json_escapes.h"
#include "libcommon/import/sqlite_database.h"

namespace aiflame::rocprof {
namespace {

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";
// A longer text is no name.
constexpr size_t kLongestName = size_t{64} << 10;
// What no dispatch refers to.
constexpr uint64_t kNoCall = UINT64_MAX;

uint64_t nanoseconds(std::optional<int64_t> time) {
  return static_cast<uint64_t>(std::max<int64_t>(time.value_or(0), 0));
}
uint64_t id_of(std::optional<int64_t> id) {
  return static_cast<uint64_t>(id.value_or(0));
}

// Texts by their ids.
class Texts {
 public:
  void add(uint64_t id, std::string_view text) {
    if (text.size() <= kLongestName) ids_[id] = texts_.number(text);
  }
  std::string_view text(uint64_t id) const {
    const auto at = ids_.find(id);
    return at == ids_.end() ? std::string_view() : texts_.text(at->second);
  }

 private:
  TextTable texts_;
  IdMap<uint32_t> ids_;
};

struct CallEvent {
  uint64_t stack = 0;                // what a call and its dispatches share; 0: nothing
  uint32_t category = 0, label = 0;  // in Recording::labels_; 0: none
};

// Events by their ids. There is one for each call and dispatch, and they come in the order of their
// ids, mostly without a gap: a map of a million took two thirds of the time.
class CallEvents {
 public:
  void add(uint64_t id, const CallEvent& event) { events_.emplace_back(id, event); }
  // After the last one.
  void sort() {
    const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(events_.begin(), events_.end(), by_id))
      std::stable_sort(events_.begin(), events_.end(), by_id);
  }
  const CallEvent* find(uint64_t id) const {
    if (events_.empty() || id < events_.front().first) return nullptr;
    const uint64_t place = id - events_.front().first;
    if (place < events_.size() && events_[place].first == id) return &events_[place].second;
    const auto at = std::lower_bound(events_.begin(), events_.end(), id,
                                     [](const auto& a, uint64_t b) { return a.first < b; });
    return at == events_.end() || at->first != id ? nullptr : &at->second;
  }

 private:
  std::vector<std::pair<uint64_t, CallEvent>> events_;
};

// Where a row belongs. Since version 4 tables have a track for it.
struct Track {
  uint64_t process = 0, thread = 0, agent = 0, queue = 0, stream = 0;
};

// A recording: the tables of one suffix. All ids are its own.
class Recording {
 public:
  Recording(const SqliteDatabase& database, std::string suffix, RocprofTrace& out)
      : database_(database), suffix_(std::move(suffix)), out_(out) {
    labels_.number("");  // of a row whose event is missing
  }

  void read() {
    read_texts("rocpd_string", "string", strings_);
    read_texts(database_.has(table("rocpd_info_category")) ? "rocpd_info_category" : "rocpd_string",
               database_.has(table("rocpd_info_category")) ? "name" : "string", categories_);
    read_texts("rocpd_info_process", "command", commands_);
    read_threads();
    read_agents();
    read_kernels();
    read_tracks();
    read_events();
    read_regions();
    read_dispatches();
    read_copies();
    warn_of_samples();
  }

 private:
  std::string table(std::string_view name) const { return std::string(name) + suffix_; }
  SqliteRows rows(std::string_view name, const std::vector<std::string>& columns,
                  size_t needed) const {
    return database_.rows(table(name), columns, needed);
  }
  void read_texts(std::string_view name, const char* column, Texts& texts) const;
  void read_threads();
  void read_agents();
  void read_kernels();
  void read_tracks();
  void read_events();
  void read_regions();
  void read_dispatches();
  void read_copies();
  void warn_of_samples() const;
  ProcessTrace& process(uint64_t pid);
  // Of a row that has its own columns pid and tid, or a track.
  Track track_of(const SqliteRows& row, int pid, int tid, int track) const;
  const CallEvent& event(std::optional<int64_t> id) const;
  uint64_t thread(uint64_t id) const {
    const auto at = threads_.find(id);
    return at == threads_.end() ? id : at->second;
  }
  uint32_t agent_text(uint64_t agent, ProcessTrace& in) const {
    const std::string_view known = agents_.text(agent);
    return in.texts.number(known.empty() ? "agent " + std::to_string(agent) : std::string(known));
  }

  const SqliteDatabase& database_;
  const std::string suffix_;
  RocprofTrace& out_;
  Texts strings_, categories_, commands_, agents_;
  IdMap<uint64_t> threads_;                       // the system's numbers
  IdMap<std::pair<uint32_t, uint64_t>> kernels_;  // name in kernel_names_, code object
  TextTable kernel_names_, labels_;
  IdMap<Track> tracks_;
  CallEvents events_;
  IdMap<ProcessTrace*> processes_;
};

void Recording::read_texts(std::string_view name, const char* column, Texts& texts) const {
  SqliteRows row = rows(name, {"id", column}, 2);
  while (row.next()) texts.add(id_of(row.need(0)), row.text(1).value_or(""));
}

void Recording::read_threads() {
  SqliteRows row = rows("rocpd_info_thread", {"id", "tid"}, 1);
  while (row.next())
    if (const auto tid = row.number(1)) threads_[id_of(row.need(0))] = id_of(tid);
}

// "GPU 0", as rocprofv3 counts them
void Recording::read_agents() {
  SqliteRows row = rows("rocpd_info_agent", {"id", "type", "type_index"}, 1);
  while (row.next()) {
    const auto type = row.text(1);
    const auto index = row.number(2);
    if (type && index)
      agents_.add(id_of(row.need(0)), std::string(*type) + " " + std::to_string(*index));
  }
}

void Recording::read_kernels() {
  SqliteRows row =
      rows("rocpd_info_kernel_symbol", {"id", "kernel_name", "display_name", "code_object_id"}, 2);
  while (row.next()) {
    std::string_view name = row.text(2).value_or("");
    if (name.empty()) {
      name = row.text(1).value_or("");
      if (name.ends_with(".kd")) name.remove_suffix(3);
    }
    kernels_[id_of(row.need(0))] = {kernel_names_.number(name.substr(0, kLongestName)),
                                    id_of(row.number(3))};
  }
}

void Recording::read_tracks() {
  SqliteRows row =
      rows("rocpd_track", {"id", "pid", "tid", "agent_id", "queue_id", "stream_id"}, 1);
  while (row.next())
    tracks_[id_of(row.need(0))] = {id_of(row.number(1)), id_of(row.number(2)), id_of(row.number(3)),
                                   id_of(row.number(4)), id_of(row.number(5))};
}

// Of markers alone, the event has the text: the region's name is that of roctx's function.
void Recording::read_events() {
  SqliteRows row = rows("rocpd_event", {"id", "stack_id", "category_id", "extdata"}, 2);
  while (row.next()) {
    CallEvent one;
    one.stack = id_of(row.number(1));
    const std::string_view category = categories_.text(id_of(row.number(2)));
    one.category = labels_.number(category);
    one.label = labels_.number(
        category.starts_with("MARKER_") ? message_of(row.text(3).value_or("")) : std::string());
    events_.add(id_of(row.need(0)), one);
  }
  events_.sort();
}

const CallEvent& Recording::event(std::optional<int64_t> id) const {
  static const CallEvent none;
  const CallEvent* found = id ? events_.find(id_of(id)) : nullptr;
  return found == nullptr ? none : *found;
}

ProcessTrace& Recording::process(uint64_t pid) {
  const auto [at, added] = processes_.try_emplace(pid, nullptr);
  if (added) {
    at->second = &out_.add_process(database_.path() + suffix_ + ":" + std::to_string(pid));
    const std::string_view command = commands_.text(pid);
    const std::string_view program = command.substr(0, command.find(' '));
    at->second->name = program.substr(program.rfind('/') + 1);
  }
  return *at->second;
}

Track Recording::track_of(const SqliteRows& row, int pid, int tid, int track) const {
  const auto known = tracks_.find(id_of(row.number(track)));
  Track out = known == tracks_.end() ? Track() : known->second;
  if (const auto own = row.number(pid)) out.process = id_of(own);
  if (const auto own = row.number(tid)) out.thread = id_of(own);
  out.thread = thread(out.thread);
  return out;
}

void Recording::read_regions() {
  SqliteRows row =
      rows("rocpd_region", {"start", "end", "name_id", "event_id", "pid", "tid", "track_id"}, 4);
  while (row.next()) {
    const CallEvent& of = event(row.number(3));
    const std::string_view category = labels_.text(of.category), label = labels_.text(of.label);
    const Track on = track_of(row, 4, 5, 6);
    ProcessTrace& in = process(on.process);
    const bool marked = category.starts_with("MARKER_");
    const uint32_t name =
        in.texts.number(marked && !label.empty() ? label : strings_.text(id_of(row.number(2))));
    const uint64_t start = nanoseconds(row.number(0)), end = nanoseconds(row.number(1));
    if (marked || category.starts_with("RCCL_"))
      in.ranges.push_back({on.thread, start, end, name, !marked});
    else
      in.calls.push_back({on.thread, start, end, of.stack == 0 ? kNoCall : of.stack, name, 0});
  }
}

void Recording::read_dispatches() {
  SqliteRows row = rows(kDispatches,
                        {"start", "end", "kernel_id", "event_id", "pid", "tid", "track_id",
                         "agent_id", "queue_id", "stream_id", "dispatch_id"},
                        4);
  while (row.next()) {
    Track on = track_of(row, 4, 5, 6);
    if (const auto agent = row.number(7)) on.agent = id_of(agent);
    if (const auto queue = row.number(8)) on.queue = id_of(queue);
    if (const auto stream = row.number(9)) on.stream = id_of(stream);
    ProcessTrace& in = process(on.process);
    const uint64_t kernel = id_of(row.number(2));
    if (const auto known = kernels_.find(kernel); known != kernels_.end())
      in.kernels.try_emplace(
          kernel, Kernel{.name = in.texts.number(kernel_names_.text(known->second.first)),
                         .code_object = known->second.second});
    in.work.push_back({.start = nanoseconds(row.number(0)),
                       .end = nanoseconds(row.number(1)),
                       .dispatch = id_of(row.number(10)),
                       .correlation = event(row.number(3)).stack,
                       .kernel = kernel,
                       .thread = on.thread,
                       .device = agent_text(on.agent, in),
                       .queue = in.texts.number(std::to_string(on.queue)),
                       .stream = in.texts.number(std::to_string(on.stream))});
  }
}

void Recording::read_copies() {
  SqliteRows row = rows("rocpd_memory_copy",
                        {"start", "end", "name_id", "event_id", "pid", "tid", "track_id",
                         "src_agent_id", "dst_agent_id", "stream_id"},
                        4);
  while (row.next()) {
    Track on = track_of(row, 4, 5, 6);
    if (const auto stream = row.number(9)) on.stream = id_of(stream);
    ProcessTrace& in = process(on.process);
    in.work.push_back({.start = nanoseconds(row.number(0)),
                       .end = nanoseconds(row.number(1)),
                       .dispatch = agent_text(id_of(row.number(7)), in),
                       .correlation = event(row.number(3)).stack,
                       .kernel = in.texts.number(strings_.text(id_of(row.number(2)))),
                       .thread = on.thread,
                       .device = agent_text(id_of(row.number(8)), in),
                       .stream = in.texts.number(std::to_string(on.stream)),
                       .is_copy = true});
  }
}

// No version that AMD has released writes them.
void Recording::warn_of_samples() const {
  if (!database_.has(table("rocpd_gpu_pc_sample"))) return;
  warn("%s: its PC samples are not read: rocprofv3's --output-format csv json has them",
       database_.path().c_str());
}

}  // namespace

std::string message_of(std::string_view extdata) {
  constexpr std::string_view kKey = "\"message\"", kBlanks = " \t\r\n";
  size_t at = extdata.find(kKey);
  if (at == extdata.npos) return {};
  at = extdata.find_first_not_of(kBlanks, at + kKey.size());
  if (at == extdata.npos || extdata[at] != ':') return {};
  at = extdata.find_first_not_of(kBlanks, at + 1);
  if (at == extdata.npos || extdata[at] != '"') return {};
  const size_t begin = at + 1;
  size_t end = begin;
  while (end < extdata.size() && extdata[end] != '"') end += extdata[end] == '\\' ? 2 : 1;
  std::string out;
  unescape_broken_json(extdata.substr(begin, end - begin), out);
  return out;
}

void read_rocpd_file(const std::string& path, RocprofTrace& out) {
  const SqliteDatabase database(path);
  const std::vector<std::string> dispatches = database.tables_of(kDispatches);
  if (dispatches.empty())
    throw Error(path + ": no table 'rocpd_kernel_dispatch': an SQLite file, but not rocprofv3's");
  for (const std::string& table : dispatches)
    Recording(database, table.substr(kDispatches.size()), out).read();
}

}  // namespace aiflame::rocprof
