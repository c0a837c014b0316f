// SPDX-License-Identifier: MIT
// Programs that run side by side, each reading what the one before it writes.
#pragma once

#include <string>
#include <vector>

namespace aiflame::front {

using Command = std::vector<std::string>;  // a program's name and its arguments

struct Pipeline {
  // What the first stage reads as files, each the output of a program:
  // `aiflame-diff <(stackcollapse-trace a.json) b.folded`. Empty words: the file itself.
  struct Input {
    std::string path;
    Command reader;
  };
  std::vector<Input> inputs;  // appended to the words of the first stage
  std::vector<Command> stages;
  // The first stage is gpustall-record: its exit status is that of the program it recorded.
  bool begins_with_recorder = false;
};

struct Outcome {
  int status = 0;       // the recorder's, as a shell has it, unless that is 0 and another failed
  std::string failure;  // which program failed, so that what was written is not whole; or ""
};

// As bash would be told: "stackcollapse-trace 'my trace.json' | aiflame-svg > trace.svg". Output
// "-" is standard output.
std::string shell_text(const Pipeline& pipeline, const std::string& output);

// Runs it, and writes the last stage's output to the descriptor `output`. The programs are those
// beside this one, else those of PATH. Throws Error where one cannot be run.
Outcome run(const Pipeline& pipeline, int output);

}  // namespace aiflame::front
