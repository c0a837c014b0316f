// SPDX-License-Identifier: MIT
// How a part can be read alone.
//
// The pipeline writes a recording as if there were no parts: an object once, when it is loaded, a
// launch once, before its first use. This class takes that text to pieces, slice by slice, and
// keeps what later slices need:
//
//   the header, and the objects that are loaded   repeated at the start of each part
//   launches    defined again in each part that names them. The caller has their stacks, and asks
//               needs_launch() before it names one.
//   memory      what was allocated in a part before is not in it, nor its frees' allocations
//   sizes       of launches, `# size`, hold until the next one: repeated after a definition, and
//               with a ring in each slice, since the slice before may have gone
//
// A slice is whole or not there at all. So each part has its own `# end`, and the sums of the parts
// are those of the recording. What the ring drops is not a loss: nobody wanted it.
#include "tools/gpustall-record/flight/flight_writer.h"

#include <cinttypes>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/object_build_id.h"

namespace aiflame::record {

FlightWriter::FlightWriter(const FlightOptions& options, const std::string& output, Times times)
    : options_(options),
      times_(times),
      files_(output, options.timestamps, options.max_files),
      enabled_(options.delay_ms == 0),
      is_dropped_(options.delay_ms != 0) {
  if (options.overwrite) ring_.emplace(options.ring_bytes, options.ring_ns);
}

// ---- the recording -----------------------------------------------------------------------------

void FlightWriter::begin() {
  if (has_header_) throw Error("a file of several recordings cannot be written in parts");
  has_header_ = true;
  aside_.begin();
  header_ = aside_.take_text();
  GpustallWriter::begin();
  take_text();
}

void FlightWriter::header(std::string_view text) {
  std::string_view rest = text;
  if (take_prefix(rest, "size ")) {  // of a recording that is replayed
    if (const auto number = parse_number<uint32_t>(take_field(rest))) {
      set_size_line(*number, "# " + std::string(text) + "\n");
      return;
    }
  }
  aside_.header(text);
  const std::string line = aside_.take_text();
  kept_header(text) += line;
  if (!has_part_ || ring_) return;
  files_.output().write(line);
  part_bytes_ += line.size();
}

// Processes and objects come and go for days. The parts to come keep the last line of each object,
// and those of the processes that launched last. Returns where this line is kept.
std::string& FlightWriter::kept_header(std::string_view text) {
  const size_t colon = text.find(" : ");
  if (colon == std::string_view::npos) return header_;
  std::string_view key = text.substr(0, colon);
  std::string* known = &header_;
  if (const auto object = parse_build_id(key, text.substr(colon + 3)))
    known = &build_ids_[{object->pid, object->path}];
  else if (take_prefix(key, "process "))
    if (const auto pid = parse_number<uint32_t>(key)) known = &processes_.at(*pid);
  if (known != &header_) known->clear();
  return *known;
}

void FlightWriter::load(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                        uint64_t file_offset, std::string_view path) {
  const uint64_t before = text_size();
  GpustallWriter::load(origin, address, bytes, file_offset, path);
  change_object(origin, address, text().substr(before));
}

void FlightWriter::unload(const GpustallOrigin& origin, uint64_t address, uint64_t bytes,
                          std::string_view path) {
  GpustallWriter::unload(origin, address, bytes, path);
  change_object(origin, address, "");
}

void FlightWriter::change_object(const GpustallOrigin& origin, uint64_t address, std::string line) {
  open_.objects.push_back({{origin.device, origin.pid, address}, std::move(line)});
}

void FlightWriter::slice(uint64_t start, uint64_t end) {
  finish_slice();
  is_dropped_ = times_ == Times::live ? !enabled_.has(start, end) : !enabled_.is_enabled();
  if (options_.part_bytes > 0 && part_bytes_ >= options_.part_bytes) dump(end);
  open_.end = last_end_ = end;
  GpustallWriter::slice(start, end);
}

bool FlightWriter::needs_launch(uint32_t number) const {
  return ring_ ? !ring_->has_launch(number) : !launches_.defined.contains(number);
}

void FlightWriter::launch(uint32_t number, const GpustallOrigin& origin,
                          const std::vector<GpustallFrame>& frames, std::string_view event) {
  if (is_dropped_) return;
  processes_.find(origin.pid);  // it is in use
  aside_.launch(number, origin, frames, event);
  const std::string text = aside_.take_text();
  if (ring_) {
    ring_->define(number, text);
  } else {
    launches_.defined.insert(number);
    launches_.text += text;
  }
}

void FlightWriter::size(uint32_t number, const LaunchSize& size) {
  aside_.size(number, size);
  set_size_line(number, aside_.take_text());
}

void FlightWriter::set_size_line(uint32_t number, std::string_view line) {
  if (ring_) {
    ring_->set_size(number, line);
    sized_.erase(number);
  } else if (is_dropped_) {
    launches_.defined.erase(number);  // to be told again
  } else {
    add_comments(line);
  }
}

void FlightWriter::name_launch(uint32_t number) {
  if (named_.insert(number).second) open_.launches.push_back(number);
}

void FlightWriter::launched(uint32_t number, uint64_t count, uint64_t busy_ns) {
  add_saturating(open_.counts.launches, count);
  if (is_dropped_) return;
  name_launch(number);
  if (ring_ && sized_.insert(number).second) add_comments(ring_->size_of(number));
  GpustallWriter::launched(number, count, busy_ns);
}

void FlightWriter::hidden(uint32_t number, uint64_t ns) {
  if (is_dropped_) return;
  name_launch(number);
  GpustallWriter::hidden(number, ns);
}

void FlightWriter::waited(uint32_t number, uint64_t count, uint64_t ns) {
  if (is_dropped_) return;
  name_launch(number);
  GpustallWriter::waited(number, count, ns);
}

void FlightWriter::idle(uint32_t device, IdleKind kind, uint32_t number, uint64_t count,
                        uint64_t ns) {
  if (is_dropped_) return;
  if (number != 0) name_launch(number);
  GpustallWriter::idle(device, kind, number, count, ns);
}

void FlightWriter::allocated(uint32_t number, uint64_t time, uint64_t address, uint64_t bytes) {
  add_saturating(open_.counts.memory, 1);
  if (is_dropped_) return;
  name_launch(number);
  GpustallWriter::allocated(number, time, address, bytes);
}

void FlightWriter::freed(uint32_t pid, uint32_t device, uint64_t time, uint64_t address,
                         uint64_t bytes) {
  add_saturating(open_.counts.memory, 1);
  if (!is_dropped_) GpustallWriter::freed(pid, device, time, address, bytes);
}

void FlightWriter::released(uint32_t pid, uint64_t time) {
  if (!is_dropped_) GpustallWriter::released(pid, time);
}

void FlightWriter::sample(uint32_t launch, const GpustallOrigin& origin, uint64_t count,
                          std::string_view event, const std::vector<GpustallFrame>& frames) {
  if (event != kExposedEvent) add_saturating(open_.counts.samples, count);
  if (is_dropped_) return;
  if (launch != 0) name_launch(launch);
  GpustallWriter::sample(launch, origin, count, event, frames);
}

void FlightWriter::lost(const GpustallOrigin& origin, uint64_t count, std::string_view what) {
  open_.counts.add_loss(what, count);
  if (!is_dropped_) GpustallWriter::lost(origin, count, what);
}

void FlightWriter::flush() {
  finish_slice();
  if (ring_) return;
  begin_part();
  files_.output().flush();
}

void FlightWriter::end() {
  finish_slice();
  if (ring_) {
    dump(last_end_);  // the time since then has nothing to show
  } else {
    begin_part();
    end_part();
  }
}

// ---- slices ------------------------------------------------------------------------------------

void FlightWriter::finish_slice() {
  RecordedSlice slice = std::exchange(open_, {});
  slice.text = take_text();
  named_.clear();
  sized_.clear();
  if (slice.end == 0) slice.end = last_end_;
  taken_.add(slice.counts);
  // of a slice while disabled only the objects count
  if (is_dropped_) {
    disabled_.add(std::exchange(slice.counts, {}));
    if (slice.objects.empty()) return;
  }
  if (slice.text.empty()) return;
  if (ring_) {
    slice.text.shrink_to_fit();
    slice.launches.shrink_to_fit();
    ring_->push(std::move(slice));
    return;
  }
  begin_part();
  write_slice(slice, std::exchange(launches_.text, {}));
  for (const ObjectChange& change : slice.objects) objects_.apply(change);
}

// ---- parts -------------------------------------------------------------------------------------

void FlightWriter::begin_part() {
  if (has_part_) return;
  has_part_ = true;
  part_ = RecordingCounts();
  part_bytes_ = 0;
  std::string text = header_;
  for (const auto& [pid, line] : processes_.all()) text += *line;
  for (const auto& [object, line] : build_ids_) text += line;
  text += (ring_ ? ring_->objects() : objects_).text();
  files_.output().write(text);
  part_bytes_ += text.size();
}

void FlightWriter::write_slice(const RecordedSlice& slice, const std::string& launches) {
  Output& out = files_.output();
  out.write(launches);
  out.write(slice.text);
  part_bytes_ += launches.size() + slice.text.size();
  part_.add(slice.counts);
  is_full_ = is_full_ || (options_.max_bytes > 0 && part_bytes_ >= options_.max_bytes);
}

void FlightWriter::end_part() {
  aside_.end_of(part_);
  files_.output().write(aside_.take_text());
  files_.finish();
  in_parts_.add(part_);
  has_part_ = false;
  launches_ = Launches();
  check_sums();
}

// Nothing is in no part, unless the ring has dropped it or the recording was disabled then.
void FlightWriter::check_sums() const {
  RecordingCounts sum = in_parts_;
  sum.add(disabled_);
  if (ring_) sum.add(ring_->dropped());
  if (sum != taken_ && !taken_.is_saturated())
    throw Error("internal: the parts have not what was recorded");
}

void FlightWriter::dump(uint64_t now) {
  finish_slice();
  if (ring_) ring_->expire(times_ == Times::live ? now : last_end_);
  begin_part();
  if (ring_) {
    if (options_.ring_ns > 0 && ring_->is_cut())
      warn("the part has less than --ring: its slices took %" PRIu64 " MB, which is the limit",
           options_.ring_bytes >> 20);
    ring_->take_all([this](const RecordedSlice& slice, const std::string& launches) {
      write_slice(slice, launches);
    });
  }
  end_part();
  if (!ring_) begin_part();
}

std::vector<std::string> FlightWriter::report() const {
  const auto amount = [](const RecordingCounts& counts) {
    return format("%" PRIu64 " samples and %" PRIu64 " launches", counts.samples, counts.launches);
  };
  std::vector<std::string> lines;
  std::string written =
      format("%" PRIu64 " %s with %s", files_.finished(), files_.finished() == 1 ? "part" : "parts",
             amount(in_parts_).c_str());
  if (files_.removed() > 0)
    written += format(", the oldest %" PRIu64 " removed again", files_.removed());
  lines.push_back(written);
  if (ring_ && (ring_->dropped().samples > 0 || ring_->dropped().launches > 0))
    lines.push_back("overwritten in the ring: " + amount(ring_->dropped()));
  if (disabled_.samples > 0 || disabled_.launches > 0)
    lines.push_back("not recorded while disabled: " + amount(disabled_));
  return lines;
}

}  // namespace aiflame::record
