// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/object_inbox.h"

#include <algorithm>
#include <utility>

#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

bool ObjectInbox::has_room(uint32_t pid, uint64_t bytes) const {
  const auto known = of_processes_.find(pid);
  const Sum own = known == of_processes_.end() ? Sum() : known->second;
  return Budgets::is_fair(own.objects, all_.objects, kMaxWaiting, 1) &&
         Budgets::is_fair(own.bytes, all_.bytes, kMaxBytes, bytes);
}

void ObjectInbox::add(uint32_t pid, const agent_object& object, int fd) {
  // also closes what fails the check
  ObjectContent content(fd, object.bytes <= AGENT_MAX_OBJECT ? object.bytes : 0);
  if (content.empty()) return;
  while (!has_room(pid, content.size()))
    if (!remove_oldest(pid)) return;
  for (Sum* sum : {&all_, &of_processes_[pid]}) {
    ++sum->objects;
    sum->bytes += content.size();
  }
  waiting_.push_back(Waiting{pid, object.id, std::move(content)});
}

ObjectContent ObjectInbox::remove(const std::deque<Waiting>::iterator& at) {
  const auto own = of_processes_.find(at->pid);
  for (Sum* sum : {&all_, &own->second}) {
    --sum->objects;
    sum->bytes -= at->content.size();
  }
  if (own->second.objects == 0) of_processes_.erase(own);
  ObjectContent content = std::move(at->content);
  waiting_.erase(at);
  return content;
}

bool ObjectInbox::remove_oldest(uint32_t pid) {
  const auto oldest = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Waiting& one) { return one.pid == pid; });
  if (oldest == waiting_.end()) return false;
  remove(oldest);
  return true;
}

bool ObjectInbox::take(uint32_t pid, uint64_t id, ObjectContent& content) {
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [&](const Waiting& one) { return one.pid == pid && one.id == id; });
  if (at == waiting_.end()) return false;
  content = remove(at);
  return true;
}

void ObjectInbox::forget(uint32_t pid) {
  while (remove_oldest(pid)) {
  }
}

}  // namespace aiflame::record
