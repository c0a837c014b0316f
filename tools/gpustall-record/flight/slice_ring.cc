// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/slice_ring.h"

#include <set>
#include <utility>

namespace aiflame::record {

uint64_t RecordedSlice::bytes() const {
  uint64_t bytes = sizeof *this + text.capacity() + launches.capacity() * sizeof launches.front();
  for (const ObjectChange& change : objects) bytes += sizeof change + change.line.capacity();
  return bytes;
}

// ---- objects -----------------------------------------------------------------------------------

void LiveObjects::apply(const ObjectChange& change) {
  const auto known = places_.find(change.place);
  if (known != places_.end()) {
    lines_.erase(known->second);
    places_.erase(known);
  }
  if (change.line.empty()) return;
  places_[change.place] = next_;
  lines_[next_++] = change.line;
}

std::string LiveObjects::text() const {
  std::string text;
  for (const auto& [number, line] : lines_) text += line;
  return text;
}

// ---- launches ----------------------------------------------------------------------------------

void SliceRing::define(uint32_t number, std::string_view text) {
  Launch& launch = launches_[number];
  if (launch.text.empty()) bytes_ += kLaunchBytes;
  launch.text += text;
  bytes_ += text.size();
  if (launch.slices == 0) new_launches_.push_back(number);
}

void SliceRing::set_size(uint32_t number, std::string_view line) {
  const auto known = launches_.find(number);
  if (known == launches_.end()) return;
  bytes_ += line.size() - known->second.size.size();
  known->second.size = line;
}

const std::string& SliceRing::size_of(uint32_t number) const {
  static const std::string unknown;
  const auto known = launches_.find(number);
  return known == launches_.end() ? unknown : known->second.size;
}

void SliceRing::forget(uint32_t number) {
  const auto known = launches_.find(number);
  if (known == launches_.end() || known->second.slices > 0) return;
  bytes_ -= kLaunchBytes + known->second.text.size() + known->second.size.size();
  launches_.erase(known);
}

// ---- slices ------------------------------------------------------------------------------------

void SliceRing::push(RecordedSlice slice) {
  for (const uint32_t number : slice.launches)
    if (const auto known = launches_.find(number); known != launches_.end()) ++known->second.slices;
  for (const uint32_t number : std::exchange(new_launches_, {})) forget(number);
  bytes_ += slice.bytes();
  slices_.push_back(std::move(slice));
  expire(slices_.back().end);
  while (slices_.size() > 1 && bytes_ > most_bytes_) {
    pop();
    is_cut_ = true;
  }
}

void SliceRing::expire(uint64_t now) {
  if (most_ns_ == 0) return;
  while (!slices_.empty() && slices_.front().end + most_ns_ <= now) pop();
}

void SliceRing::pop() {
  const RecordedSlice& oldest = slices_.front();
  dropped_.add(oldest.counts);
  for (const ObjectChange& change : oldest.objects) objects_.apply(change);
  bytes_ -= oldest.bytes();
  for (const uint32_t number : oldest.launches) {
    const auto known = launches_.find(number);
    if (known == launches_.end()) continue;
    --known->second.slices;
    forget(number);
  }
  slices_.pop_front();
}

void SliceRing::take_all(
    const std::function<void(const RecordedSlice&, const std::string& launches)>& sink) {
  std::set<uint32_t> defined;
  const RecordingCounts dropped = dropped_;
  // two passes: a launch's text must be there until its last slice has gone
  for (const RecordedSlice& slice : slices_) {
    std::string launches;
    for (const uint32_t number : slice.launches)
      if (const auto known = launches_.find(number);
          known != launches_.end() && defined.insert(number).second)
        launches += known->second.text;
    sink(slice, launches);
  }
  while (!slices_.empty()) pop();
  dropped_ = dropped;
  is_cut_ = false;
}

}  // namespace aiflame::record
