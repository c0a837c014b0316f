// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/flight_options.h"

#include <sys/stat.h>

#include <climits>

#include "libcommon/base/parse.h"
#include "libcommon/base/parse_units.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

UsageError no_value(const char* option, const std::string& text, const char* wanted) {
  return UsageError(format("option '--%s': '%s' is not %s", option, text.c_str(), wanted));
}

void parse_switch_output(const std::string& text, FlightOptions& out) {
  if (text == "signal") {
    out.when = FlightOptions::Switch::by_signal;
  } else if (const auto bytes = parse_bytes(text)) {
    out.when = FlightOptions::Switch::by_size;
    out.part_bytes = *bytes;
  } else if (const auto time = parse_duration(text)) {
    out.when = FlightOptions::Switch::by_time;
    out.part_ns = *time;
  } else {
    throw no_value("switch-output", text, "signal, a size such as 100M or a time such as 10m");
  }
}

void parse_ring(const std::string& text, FlightOptions& out) {
  if (const auto bytes = parse_bytes(text)) {
    out.ring_bytes = *bytes;
  } else if (const auto time = parse_duration(text)) {
    out.ring_ns = *time;
    out.ring_bytes = FlightOptions::kMostRingBytes;
  } else {
    throw no_value("ring", text, "a size such as 64M or a time such as 30s");
  }
}

ControlAddress parse_control(const std::string& text) {
  std::string_view rest = text;
  const bool is_fifo = take_prefix(rest, "fifo:");
  const size_t comma = rest.find(',');
  const std::string_view first = rest.substr(0, comma);
  const std::string_view second =
      comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  const UsageError bad = no_value("control", text, "fifo:CTL[,ACK] or fd:CTL[,ACK]");
  ControlAddress out;
  if (is_fifo) {
    if (first.empty()) throw bad;
    out.commands = first;
    out.answers = second;
    return out;
  }
  const auto descriptor = [&bad](std::string_view number) {
    const auto fd = parse_number<uint64_t>(number);
    if (!fd || *fd > INT_MAX) throw bad;
    return static_cast<int>(*fd);
  };
  if (!take_prefix(rest, "fd:")) throw bad;
  out.commands_fd = descriptor(rest.substr(0, rest.find(',')));
  if (comma != std::string_view::npos) out.answers_fd = descriptor(second);
  return out;
}

int64_t parse_delay(const std::string& text) {
  if (text == "-1") return FlightOptions::kDisabled;
  const auto ms = parse_number<uint64_t>(text);
  // a year, so that nothing overflows
  if (!ms || *ms > uint64_t{365} * 86400 * 1000)
    throw no_value("delay", text, "a number of milliseconds, or -1");
  return static_cast<int64_t>(*ms);
}

// A part is renamed when it is whole: what has no name of its own, or is a device, cannot be.
void check_named_file(const char* option, const std::string& output) {
  if (output.empty() || output == "-")
    throw UsageError(format("--%s needs -o FILE: a pipe cannot be switched", option));
  struct stat there {};
  if (lstat(output.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    throw UsageError(format("--%s needs a regular file, and '%s' is none", option, output.c_str()));
}

}  // namespace

void FlightArguments::declare(Options& options) {
  options.flag("overwrite", overwrite,
               "keep the latest slices in memory, and write them when a part is asked for, or at "
               "the end");
  options.text("ring", ring, "SIZE",
               "how much --overwrite keeps: a size or a time, 64M, 30s (default 64M)");
  options.text_or("switch-output", switch_output, "signal", "WHEN",
                  "write parts FILE.TIMESTAMP: one at each signal USR2 (the default), each SIZE "
                  "(100M) or each TIME (10m)");
  options.number("switch-max-files", max_files, "N", "remove all but the N latest parts");
  options.flag("timestamp-filename", timestamps, "name the file FILE.TIMESTAMP at the end");
  options.text("control", control, "WHERE",
               "take commands (enable, disable, snapshot, stop, ping) from fifo:CTL[,ACK] or "
               "fd:CTL[,ACK]");
  options.text("delay,D", delay, "MS",
               "record nothing for the first MS milliseconds, or, with -1, until enabled");
  options.text("max-size", max_size, "SIZE", "stop recording when a file has SIZE (1G)");
}

FlightOptions FlightArguments::parse(const std::string& output) const {
  FlightOptions out;
  out.overwrite = overwrite;
  if (!ring.empty()) parse_ring(ring, out);
  if (!ring.empty() && !overwrite) throw UsageError("--ring is for --overwrite");
  if (!switch_output.empty()) parse_switch_output(switch_output, out);
  if (overwrite && out.when == FlightOptions::Switch::by_size)
    throw UsageError("--overwrite writes nothing by itself: --switch-output by signal or time");
  out.max_files = max_files.value_or(0);
  if (max_files == uint64_t{0}) throw UsageError("option '--switch-max-files': must be at least 1");
  if (max_files && out.when == FlightOptions::Switch::never)
    throw UsageError("--switch-max-files is for --switch-output");
  if (out.when != FlightOptions::Switch::never)
    check_named_file("switch-output", output);
  else if (timestamps)
    check_named_file("timestamp-filename", output);
  out.timestamps = timestamps || out.when != FlightOptions::Switch::never;
  if (!control.empty()) out.control = parse_control(control);
  if (!delay.empty()) out.delay_ms = parse_delay(delay);
  if (!max_size.empty()) {
    const auto bytes = parse_bytes(max_size);
    if (!bytes) throw no_value("max-size", max_size, "a size such as 1G");
    out.max_bytes = *bytes;
  }
  return out;
}

}  // namespace aiflame::record
