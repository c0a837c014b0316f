// SPDX-License-Identifier: MIT
// What PyTorch tells of the nodes of CUDA graphs, by their ids. Two files are known, both plain or
// compressed, as torch.cuda.graph_annotations (2.14 and newer) writes them. The first one is what
// the program has marked, as JSON or as a pickle:
//
//   {"4294967301":[{"name":"attention","stream":60,"autograd_phase":"backward"}]}
//
// and the second one the Python functions at a node's capture, the innermost first:
//
//   {"4294967301":"/a/model.py:40:attend\n/a/model.py:58:forward"}
//
// An id has the id of the graph as it runs in its upper 32 bits, and the node's in its lower ones.
// No genuine file was at hand: they are read as PyTorch's sources and pages describe them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/import/compiled_code.h"

namespace aiflame::trace {

struct NodeNames {
  std::string mark;       // the innermost mark_kernels() that was open; empty: none
  bool backward = false;  // of the backward pass of what is marked
  std::string functions;  // as they are written; empty: not told
};
using NodesNames = std::map<uint64_t, NodeNames>;

// A line of `functions`: "FILE:LINE:FUNCTION".
std::optional<ModelLine> parse_node_function(std::string_view text);

// By the first bytes of a file.
bool is_node_names(const std::string& path);

// Adds what a file tells. Throws Error with "path:line: what", of a pickle "path: byte N: what".
void read_node_names(const std::string& path, NodesNames& out);

}  // namespace aiflame::trace
