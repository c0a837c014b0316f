// SPDX-License-Identifier: MIT
// The latest slices of a recording, as text, for --overwrite. A slice keeps its samples and counts
// of launches; code objects and the stacks of launches are kept once, beside the slices, and a
// launch that no slice refers to any more is forgotten. So the memory is bounded, however long the
// recording is. Pure: times come from the caller.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "libcommon/gpustall/recording_counts.h"

namespace aiflame::record {

// A code object came to its place or went away.
struct ObjectChange {
  std::tuple<uint32_t, uint32_t, uint64_t> place;  // device, process and address
  std::string line;                                // of its load; "" = it was unloaded
};

struct RecordedSlice {
  uint64_t end = 0;  // ns
  std::string text;
  std::vector<uint32_t> launches;  // that the text names, each once
  std::vector<ObjectChange> objects;
  RecordingCounts counts;

  uint64_t bytes() const;
};

// The code objects that are loaded at a point of the recording, in the order of their loads.
class LiveObjects {
 public:
  void apply(const ObjectChange& change);
  // The lines of their loads.
  std::string text() const;

 private:
  std::map<decltype(ObjectChange::place), uint64_t> places_;
  std::map<uint64_t, std::string> lines_;  // by number of the load
  uint64_t next_ = 0;
};

class SliceRing {
 public:
  // Drops the oldest slice when all, with the launches that they name, take more than `most_bytes`,
  // or when it ended more than `most_ns` before the latest; 0 = any time. The latest slice always
  // stays.
  SliceRing(uint64_t most_bytes, uint64_t most_ns) : most_bytes_(most_bytes), most_ns_(most_ns) {}

  // ---- launches, beside the slices
  bool has_launch(uint32_t number) const { return launches_.contains(number); }
  // Adds to the text that defines a launch. It is kept while the slices name it, the next one
  // included.
  void define(uint32_t number, std::string_view text);
  // Does nothing for a launch that is not there.
  void set_size(uint32_t number, std::string_view line);
  // The line of set_size(), "" = unknown.
  const std::string& size_of(uint32_t number) const;

  // ---- slices
  void push(RecordedSlice slice);
  // Drops what is too old at `now`.
  void expire(uint64_t now);
  // The objects that were loaded before the oldest slice.
  const LiveObjects& objects() const { return objects_; }
  // Hands over the slices in order, each with the definitions of launches that no slice before it
  // has named, and forgets them.
  void take_all(const std::function<void(const RecordedSlice&, const std::string& launches)>& sink);

  uint64_t bytes() const { return bytes_; }
  // What has been dropped so far.
  const RecordingCounts& dropped() const { return dropped_; }
  // Whether slices were dropped for their size that were not too old, since the last take_all().
  bool is_cut() const { return is_cut_; }

 private:
  struct Launch {
    std::string text, size;
    uint64_t slices = 0;  // that name it
  };
  // What a launch takes beside its texts, with its entry in the table.
  static constexpr uint64_t kLaunchBytes = 128;
  void pop();
  void forget(uint32_t number);

  const uint64_t most_bytes_, most_ns_;
  std::deque<RecordedSlice> slices_;
  std::unordered_map<uint32_t, Launch> launches_;
  std::vector<uint32_t> new_launches_;  // defined since the last slice
  LiveObjects objects_;
  uint64_t bytes_ = 0;
  RecordingCounts dropped_;
  bool is_cut_ = false;
};

}  // namespace aiflame::record
