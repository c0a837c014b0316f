// SPDX-License-Identifier: MIT
// The commands of --control, one a line, and their answers `ack`. Who writes them has the rights of
// the recorder's user; all the same nothing that is written here can stop or fill the recorder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gpustall-record/flight/flight_options.h"

namespace aiflame::record {

enum class Command { enable, disable, snapshot, stop, ping };

// The command of a line; nothing for other text.
std::optional<Command> parse_command(std::string_view line);

class Control {
 public:
  // Throws Error.
  explicit Control(const ControlAddress& address);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // To poll for input; -1 = nobody can write any more.
  int descriptor() const { return commands_; }
  // The commands that have arrived, without waiting. Unknown ones are said and skipped.
  std::vector<Command> take();
  // Answers a command. An answer for which there is no room is dropped.
  void acknowledge();

 private:
  void take_lines(std::vector<Command>& out);

  int commands_ = -1, answers_ = -1;
  bool is_too_long_ = false;  // the line that is read
  std::string line_;
};

}  // namespace aiflame::record
