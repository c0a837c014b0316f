// SPDX-License-Identifier: MIT
// The writer of parts with what makes it begin a part, be enabled or end: a signal, the clock, the
// size of a file, or a command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gpustall-record/flight/control.h"
#include "tools/gpustall-record/flight/flight_options.h"
#include "tools/gpustall-record/flight/flight_writer.h"

namespace aiflame::record {

class FlightRecorder {
 public:
  // As for FlightWriter. Also opens what --control names, which a command that is forked later does
  // not inherit. Throws Error.
  FlightRecorder(const FlightOptions& options, const std::string& output,
                 FlightWriter::Times times);

  FlightWriter& writer() { return writer_; }
  bool has_ring() const { return writer_.has_ring(); }
  // Whether parts have names of their own.
  bool names_parts() const { return options_.timestamps; }
  // To poll for commands; -1 = none can come.
  int descriptor() const { return control_ ? control_->descriptor() : -1; }

  // The recording starts.
  void start(uint64_t now);
  struct Wish {
    bool dump = false;     // call dump(), between two slices
    bool stop = false;     // by a command
    bool is_full = false;  // --max-size
  };
  // Enables and disables the writer, and returns what else is due. `signalled`: SIGUSR2 has come.
  Wish step(uint64_t now, bool signalled);
  // Writes the part that a wish asked for.
  void dump(uint64_t now);
  // For the user, after the end.
  std::vector<std::string> report() const { return writer_.report(); }

 private:
  void set_enabled(bool enabled, uint64_t now);
  void obey(Command command, uint64_t now, Wish& wish);

  const FlightOptions options_;
  FlightWriter writer_;
  std::optional<Control> control_;
  uint64_t enable_at_ = UINT64_MAX, dump_at_ = UINT64_MAX;
  unsigned snapshots_ = 0;  // to be acknowledged
};

}  // namespace aiflame::record
