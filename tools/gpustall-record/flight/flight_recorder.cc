// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/flight_recorder.h"

#include <cinttypes>

#include "libcommon/base/program.h"

namespace aiflame::record {

FlightRecorder::FlightRecorder(const FlightOptions& options, const std::string& output,
                               FlightWriter::Times times)
    : options_(options), writer_(options, output, times) {
  if (options.control.is_given()) control_.emplace(options.control);
}

void FlightRecorder::start(uint64_t now) {
  if (options_.when == FlightOptions::Switch::by_time) dump_at_ = now + options_.part_ns;
  if (options_.delay_ms > 0) enable_at_ = now + static_cast<uint64_t>(options_.delay_ms) * 1000000;
  if (options_.delay_ms != 0) say("events disabled");
}

void FlightRecorder::set_enabled(bool enabled, uint64_t now) {
  enable_at_ = UINT64_MAX;  // a command overrules the delay
  if (writer_.is_enabled() == enabled) return;
  writer_.set_enabled(enabled, now);
  say("%s", enabled ? "events enabled" : "events disabled");
}

FlightRecorder::Wish FlightRecorder::step(uint64_t now, bool signalled) {
  Wish wish;
  wish.dump = now >= dump_at_ || (signalled && options_.when == FlightOptions::Switch::by_signal);
  if (now >= enable_at_) set_enabled(true, now);
  if (control_)
    for (const Command command : control_->take()) obey(command, now, wish);
  wish.is_full = writer_.is_full();
  if (wish.is_full)
    say("the file has reached --max-size, %" PRIu64 " KB: the recording ends here",
        options_.max_bytes >> 10);
  return wish;
}

void FlightRecorder::obey(Command command, uint64_t now, Wish& wish) {
  switch (command) {
    case Command::snapshot:
      if (options_.when == FlightOptions::Switch::never) {
        say("--control: snapshot is for --switch-output");
        return;
      }
      wish.dump = true;  // one part for all that wait
      ++snapshots_;
      return;
    case Command::stop:
      wish.stop = true;
      break;
    case Command::enable:
    case Command::disable:
      set_enabled(command == Command::enable, now);
      break;
    case Command::ping:
      break;
  }
  control_->acknowledge();
}

void FlightRecorder::dump(uint64_t now) {
  writer_.dump(now);
  if (dump_at_ != UINT64_MAX) dump_at_ = now + options_.part_ns;
  for (; snapshots_ > 0; --snapshots_) control_->acknowledge();
}

}  // namespace aiflame::record
