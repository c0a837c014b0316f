// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/object_inbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace aiflame::record {

ObjectInbox::~ObjectInbox() {
  for (const Waiting& one : waiting_) close(one.fd);
}

void ObjectInbox::add(uint32_t pid, const agent_object& object, int fd) {
  if (waiting_.size() == kMaxWaiting) {
    close(waiting_.front().fd);
    waiting_.pop_front();
  }
  waiting_.push_back(Waiting{pid, object.id, object.bytes, fd});
}

bool ObjectInbox::take(uint32_t pid, uint64_t id, std::string& content) {
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (at->pid != pid || at->id != id) continue;
    read_bytes(*at, content);
    close(at->fd);
    waiting_.erase(at);
    return true;
  }
  return false;
}

void ObjectInbox::forget(uint32_t pid) {
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.pid == pid) close(one.fd);
    return one.pid == pid;
  });
}

// Only a memfd has seals, and a memfd is memory: reading any other file might block for ever. The
// write seal keeps the bytes as they are while they are read.
void ObjectInbox::read_bytes(const Waiting& from, std::string& content) {
  struct stat status {};
  const int seals = fcntl(from.fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_WRITE) == 0 || fstat(from.fd, &status) != 0 ||
      from.bytes > AGENT_MAX_OBJECT || status.st_size != static_cast<off_t>(from.bytes))
    return;
  content.resize(from.bytes);
  size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t n = pread(from.fd, content.data() + filled, content.size() - filled,
                            static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += static_cast<size_t>(n);
  }
  content.resize(filled);
}

}  // namespace aiflame::record
