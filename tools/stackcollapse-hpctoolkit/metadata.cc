// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/metadata.h"

#include <algorithm>

namespace aiflame::hpctoolkit {
namespace {

// the sections of meta.db
constexpr uint64_t kGeneral = 0, kIdentifierNames = 1, kMetrics = 2, kContexts = 3;

// the least sizes of structures; later versions may append fields
constexpr uint64_t kMetric = 0x1c, kScopeInstance = 0x0a, kEntry = 0x20, kContext = 0x20;

// a scope of values: where they were measured, not added up over contexts below
constexpr uint8_t kPoint = 1;
// added up over all contexts below
constexpr uint8_t kExecution = 2;

// the bits of a context's flags
constexpr uint8_t kHasFunction = 1, kHasSource = 2, kHasPoint = 4;

// A call takes up to three contexts. A hostile file that nests them all would give stacks that take
// the square of its size.
constexpr size_t kMaxDepth = 16384;

constexpr uint32_t kCopied = 1;  // a source file's flag: its path is that of a copy in the database
constexpr std::string_view kCopies = "src/";

}  // namespace

void Metadata::fail(const char* what) const {
  file_.fail(file_.section(kContexts), what);
}

Metadata::Metadata(const DatabaseFile& file) : file_(file) {
  read_metrics();
  read_contexts();
}

std::string_view Metadata::title() const {
  return file_.text(file_.u64(file_.section(kGeneral)));
}

// Header: u64 metrics, u32 count, u8 size of a metric, u8 size of an instance of a scope.
// Metric: u64 name, u64 instances of scopes, u64 summaries, u16 count of instances.
// Instance: u64 scope, u16 number. Scope: u64 name, u8 type.
void Metadata::read_metrics() {
  const uint64_t header = file_.section(kMetrics);
  const uint64_t metrics = file_.u64(header), count = file_.u32(header + 8);
  const uint64_t size = file_.u8(header + 0xc), instance_size = file_.u8(header + 0xd);
  file_.need_size(header, size, kMetric);
  file_.need_size(header, instance_size, kScopeInstance);
  file_.need(metrics, count, size);
  uint64_t left = file_.size();  // instances of metrics do not overlap
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = metrics + i * size;
    const uint64_t instances = file_.u64(at + 8), instance_count = file_.u16(at + 0x18);
    file_.need(instances, instance_count, instance_size);
    if (instance_count * instance_size > left) file_.fail(at, "scopes that overlap");
    left -= instance_count * instance_size;
    std::optional<uint16_t> point, inclusive;
    for (uint64_t j = 0; j < instance_count; ++j) {
      const uint64_t instance = instances + j * instance_size, scope = file_.u64(instance);
      file_.need(scope, 1, 9);
      const uint16_t number = file_.u16(instance + 8);
      const uint8_t type = file_.u8(scope + 8);
      if (type == kPoint && !point) point = number;
      if (type == kExecution && !inclusive) inclusive = number;
    }
    if (point) metrics_.push_back({file_.text(file_.u64(at)), *point, inclusive});
  }
}

// u64 names, u8 count
std::vector<std::string_view> Metadata::identifier_kinds() const {
  const uint64_t header = file_.section(kIdentifierNames);
  const uint64_t names = file_.u64(header), count = file_.u8(header + 8);
  file_.need(names, count, 8);
  std::vector<std::string_view> out;
  for (uint64_t i = 0; i < count; ++i) out.push_back(file_.text(file_.u64(names + 8 * i)));
  return out;
}

// Header: u64 entries, u16 count, u8 size of an entry.
// Entry: u64 size of children, u64 children, u32 id, u16 kind, u64 name at 0x18.
void Metadata::read_contexts() {
  const uint64_t header = file_.section(kContexts);
  const uint64_t entries = file_.u64(header), count = file_.u16(header + 8);
  const uint64_t size = file_.u8(header + 0xa);
  if (count == 0) return;
  file_.need_size(header, size, kEntry);
  file_.need(entries, count, size);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = entries + i * size;
    Context entry;
    entry.lexical = Context::Lexical::entry;
    entry.relation = Context::Relation::call;
    entry.id = file_.u32(at + 0x10);
    entry.text = file_.u64(at + 0x18);
    entry.parent = static_cast<uint32_t>(contexts_.size());
    add(entry);
    read_children(file_.u64(at + 8), file_.u64(at), entry.parent);
  }
  std::sort(by_id_.begin(), by_id_.end());
  for (size_t i = 1; i < by_id_.size(); ++i)
    if (by_id_[i].first == by_id_[i - 1].first) file_.fail(header, "a context that is there twice");
}

void Metadata::add(const Context& context) {
  // A tree that holds itself would never end.
  if (contexts_.size() >= file_.size() / kContext)
    file_.fail(file_.section(kContexts), "contexts that overlap");
  by_id_.emplace_back(context.id, static_cast<uint32_t>(contexts_.size()));
  contexts_.push_back(context);
}

// Context: u64 size of children, u64 children, u32 id, u8 flags, u8 relation, u8 lexical type,
// u8 count of words, u16 propagation, and at 0x20 the words.
void Metadata::read_children(uint64_t begin, uint64_t bytes, uint32_t top) {
  std::vector<Siblings> open{{begin, begin + bytes, top}};
  file_.need(begin, bytes, 1);
  while (!open.empty()) {
    Siblings& row = open.back();
    if (row.at >= row.end) {
      open.pop_back();
      continue;
    }
    const uint64_t at = row.at;
    file_.need(at, 1, kContext);
    const uint64_t children_size = file_.u64(at), children = file_.u64(at + 8);
    const uint64_t words = file_.u8(at + 0x17);
    Context context = read_context(at, words);
    context.parent = row.parent;
    row.at += kContext + 8 * words;
    const auto index = static_cast<uint32_t>(contexts_.size());
    add(context);
    if (children_size == 0) continue;
    file_.need(children, children_size, 1);
    if (open.size() >= kMaxDepth) file_.fail(at, "contexts that are nested too deep");
    open.push_back({children, children + children_size, index});
  }
}

// The words that the flags announce, in this order: function; file, line; module, offset. The line
// takes half a word, and no other field fits into the other half.
Context Metadata::read_context(uint64_t at, uint64_t words) const {
  file_.need(at, 1, kContext + 8 * words);
  Context out;
  const uint8_t flags = file_.u8(at + 0x14), relation = file_.u8(at + 0x15);
  const uint8_t lexical = file_.u8(at + 0x16);
  out.id = file_.u32(at + 0x10);
  // values of later versions say nothing to us
  if (relation <= 2) out.relation = static_cast<Context::Relation>(relation);
  if (lexical <= 3) out.lexical = static_cast<Context::Lexical>(lexical);
  const uint64_t announced =
      (flags & kHasFunction ? 1 : 0) + (flags & kHasSource ? 2 : 0) + (flags & kHasPoint ? 2 : 0);
  if (announced > words) file_.fail(at, "a context with fewer words than it announces");
  uint64_t word = at + kContext;
  const auto take = [&] { return file_.u64((word += 8) - 8); };
  if (flags & kHasFunction) out.function = take();
  if (flags & kHasSource) {
    out.file = take();
    out.line = static_cast<uint32_t>(take());
  }
  if (flags & kHasPoint) {
    out.module = take();
    out.offset = take();
  }
  return out;
}

std::optional<uint32_t> Metadata::context_with(uint32_t id) const {
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(id, uint32_t{0}));
  return at == by_id_.end() || at->first != id ? std::nullopt : std::optional(at->second);
}

// u64 name, u64 module, u64 offset, u64 file, u32 line
Function Metadata::function(uint64_t at) const {
  if (at == 0) return {};
  Function out;
  out.name = file_.text(file_.u64(at));
  out.module = file_.u64(at + 8);
  out.offset = file_.u64(at + 0x10);
  out.file = file_.u64(at + 0x18);
  out.line = file_.u32(at + 0x20);
  return out;
}

std::string_view Metadata::module_path(uint64_t at) const {
  return at == 0 ? std::string_view() : file_.text(file_.u64(at + 8));
}

// A copy's path is the original's behind "src": src/usr/include/x.h
std::string_view Metadata::source_path(uint64_t at) const {
  if (at == 0) return {};
  std::string_view path = file_.text(file_.u64(at + 8));
  if ((file_.u32(at) & kCopied) != 0 && path.starts_with(kCopies))
    path.remove_prefix(kCopies.size() - 1);
  return path;
}

}  // namespace aiflame::hpctoolkit
