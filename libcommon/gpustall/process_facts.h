// SPDX-License-Identifier: MIT
// Who a recorded process was, and the text of that in gpustall(5):
//
//   rank 3, local_rank 1, ranks 8, job 4711, container 3f2a…, pod train-0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aiflame {

// What is empty is not known. A value is one word of letters, digits and ._:-
struct ProcessFacts {
  std::string rank, local_rank, ranks;  // of MPI, torchrun, Slurm: decimal numbers
  std::string job;                      // of Slurm, PBS or LSF
  std::string container;                // its id, 64 hexadecimal digits
  std::string pod;                      // of Kubernetes: its name, else its uid

  bool operator==(const ProcessFacts&) const = default;
  bool is_known() const { return *this != ProcessFacts(); }
};

// Whether a text may be such a value.
bool is_fact(std::string_view value);

// What is known, as above; "?" where that is nothing.
std::string process_facts_text(const ProcessFacts& facts);

// Parses that text. Keys that are not known are passed over. Nothing where it has another form.
std::optional<ProcessFacts> parse_process_facts(std::string_view text);

}  // namespace aiflame
