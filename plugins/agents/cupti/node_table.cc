/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/node_table.h"

#include "plugins/agents/common/hash.h"

namespace aiflame::agent::cupti {

NodeTable::Index& NodeTable::bucket_of(uint64_t id) {
  return buckets_[mix(0, id) % kBuckets];
}

NodeTable::Index NodeTable::index_of(uint64_t id) const {
  Index at = id == 0 ? 0 : buckets_[mix(0, id) % kBuckets];
  while (at != 0 && entries_[at].node.id != id) at = entries_[at].next_in_bucket;
  return at;
}

const Node* NodeTable::find(uint64_t id) const {
  const Index at = index_of(id);
  return at == 0 ? nullptr : &entries_[at].node;
}

void NodeTable::leave_bucket(Index index) {
  Index* at = &bucket_of(entries_[index].node.id);
  while (*at != index) at = &entries_[*at].next_in_bucket;
  *at = entries_[index].next_in_bucket;
  entries_[index] = Entry{};
  --count_;
}

// `but_for`: the function of clones that stay; null = none stays.
void NodeTable::remove_clones(Index original, const void* but_for) {
  for (Index* at = &entries_[original].first_clone; *at != 0;) {
    const Index clone = *at;
    if (but_for != nullptr && entries_[clone].node.function == but_for) {
      at = &entries_[clone].next_clone;
      continue;
    }
    *at = entries_[clone].next_clone;
    leave_bucket(clone);
  }
}

void NodeTable::remove(Index index) {
  remove_clones(index, nullptr);
  if (entries_[index].original != 0) {
    Index* at = &entries_[entries_[index].original].first_clone;
    while (*at != index) at = &entries_[*at].next_clone;
    *at = entries_[index].next_clone;
  }
  leave_bucket(index);
}

// Takes the place after the latest, which is free, or has the oldest.
NodeTable::Index NodeTable::add(const Node& node) {
  latest_ = latest_ == kMost ? 1 : latest_ + 1;
  if (entries_[latest_].node.id != 0) remove(latest_);
  Index& bucket = bucket_of(node.id);
  entries_[latest_] = Entry{node, bucket, 0, 0, 0};
  bucket = latest_;
  ++count_;
  return latest_;
}

void NodeTable::put(const Node& node) {
  if (node.id == 0) return;
  const Index known = index_of(node.id);
  if (known != 0)
    entries_[known].node = node;
  else
    add(node);
}

void NodeTable::clone(uint64_t original, uint64_t id) {
  const Index from = index_of(original);
  if (from == 0 || id == 0 || index_of(id) != 0) return;
  Node made = entries_[from].node;
  made.id = id;
  const Index first = entries_[from].original == 0 ? from : entries_[from].original;
  const uint64_t first_id = entries_[first].node.id;
  const Index added = add(made);
  if (entries_[first].node.id != first_id) return remove(added);  // that was the oldest
  entries_[added].original = first;
  entries_[added].next_clone = entries_[first].first_clone;
  entries_[first].first_clone = added;
}

void NodeTable::forget_clones(uint64_t id, const void* function) {
  const Index known = index_of(id);
  if (known == 0) return;
  remove_clones(entries_[known].original == 0 ? known : entries_[known].original, function);
}

void NodeTable::forget_all_clones() {
  for (Index at = 1; at <= kMost; ++at)
    if (entries_[at].first_clone != 0) remove_clones(at, nullptr);
}

}  // namespace aiflame::agent::cupti
