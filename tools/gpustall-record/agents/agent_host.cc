// SPDX-License-Identifier: MIT
// How the recorder reads agents that may lie.
//
// An agent lives in the recorded program. The program may be hostile, and the recorder may run as
// root. So a record in a ring is untrusted input, like a file from the network, with one more
// difficulty: the writer can change the bytes while they are read. This essay lists what is checked
// and what is bounded when the recorder reads a record.
//
// How agents get here. There are two ways (agent_sockets.cc), since programs may cut either one.
// The command inherits one end of a pair of sockets: that crosses network, mount and pid
// namespaces, and between the start of an agent and its greeting there is no connection that could
// be lost. Programs that close the descriptors that they inherit (Python's subprocess) find a
// listening socket in a directory that only the recorder's user can enter. A process that does
// both, enters a container that hides the directory and closes its descriptors, cannot be recorded,
// and nothing counts it.
//
// Who gets in. The kernel gives each sender's process id and user, in this process's namespaces. A
// sender must
//   1. know the secret, 128 random bits, which stand in the command's environment alone,
//   2. be of the recorder's user, unless the recorder is root,
//   3. descend from the recorder (process_tree.cc). The recorder adopts orphans
//      (PR_SET_CHILD_SUBREAPER), so that a process that forks twice to get away still does. A short
//      program may have ended before its greeting is read, and has no place in the tree any more:
//      then it counts that it came over the inherited socket, or is of the recorder's own user.
// Those who know what /proc shows can thus do nothing: neither way is open to another user, and a
// process of the same user that has the secret is still outside the tree. All records of a ring
// count as the sender's: an agent cannot speak for another.
//
// With --listen there are no descendants, no inherited socket, and the secret is in a file. So rule
// 3 is void: who gets in is of the recorder's user, or any user's if the recorder is root, and has
// been told the secret. The directory (listen_directory.cc) keeps others out before that: only its
// owner can enter it, and read the secret. A process in a pid namespace that the recorder does not
// see has no number here, so its launches could not be told from others': it is refused, counted.
// With -p, programs that share the directory with the one that is recorded are sent away,
// uncounted.
//
// Setuid. An agent in a program that has more rights than its user (AT_SECURE) stays out. Elsewhere
// it gives its ring to a recorder of its own user or of root only, which it asks the kernel (the
// listener's SO_PEERCRED); otherwise a recorder could look into what su(1) starts below it. So a
// program that root's command starts as another user is recorded, over the inherited socket.
//
// Nobody is lost in silence. A connection waits for its greeting, for ten seconds. Whoever was
// refused, was cut off, or gave up (the agent says so in the file `missed`) is counted and named at
// the end (turned_away.cc), and the recording says that launches were lost.
//
// What is mapped. A greeting brings one memfd. It must have the one size that all agents use, and a
// seal against shrinking: otherwise the program could truncate it, and reading it would raise
// SIGBUS here. At most kMaxRings rings are mapped, and kMaxRingsOfProcess of one process, so that
// no member of the command can use up the others' rings alone. A second descriptor is the program's
// root directory, below which its files are looked up. It need not be: but a program can only pass
// what it could open, and what is found there is read as an unknown ELF file, by a child without
// rights. Descriptors beyond these are closed.
//
// What is read. drain() reads one record at a time:
//   1. Its size is loaded once. It must be a multiple of 8, hold the record's head, and be at most
//      AGENT_MAX_RECORD. Only the reader's own position says where the next record begins, so the
//      ring's `head` and `tail` fields, which the program can overwrite, are never read.
//   2. The record is copied out of the shared memory, and only the copy is checked and used.
//      Otherwise a thread of the program could change a length between the check and the use.
//   3. report_agent_record() checks every count and length in the copy against its size.
// The first failed check ends the reading of this ring: after one wrong size, nothing says where
// the next record begins. The user gets a warning, and the samples and launches so far stay.
//
// What is bounded. One call reads at most two rings full from each agent, so a program that writes
// without end cannot keep the recorder from the others. What records make the recorder keep is
// limited where it is kept: budget/budgets.cc has the budgets of each kind, for a process and
// in all. Code objects on their way are limited by ObjectInbox, and thread numbers by
// ThreadNumbers. Times are not believed beyond a second from now (AgentIntake).
//
// Code objects come outside the ring, each in a memfd of its own. The agent sends the memfd before
// it writes the AGENT_LOAD record that names it. So when the record is read, the object is here
// already, or it waits at a socket. It must be sealed against writing, and have
// the size that the agent announced, at most AGENT_MAX_OBJECT.
//
// Several agents in one program, and exec. A program may use OpenCL and Level Zero, and each has an
// agent with a ring of its own. `program` in the greeting is the same for both. After an exec it
// differs: then the old program's rings are read first, since it wrote its records before the new
// one began, and on_connected() makes the listener forget the old program's numbers.
#include "tools/gpustall-record/agents/agent_host.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

using Why = TurnedAway::Why;

// Processes with an agent at one time. Each may take 8 MiB of memory. At the end of the recording
// all that wait at the sockets come at once.
constexpr size_t kMaxRings = 4096, kMaxRingsAtEnd = 3 * kMaxRings;

// A program has an agent for each interface that it uses, three at most. A process may run several
// programs (execve(2)) until the recorder sees the next one.
constexpr long kMaxRingsOfProcess = 64;

// Descriptors that rings leave free, for connections, code objects and programs' files.
constexpr rlim_t kSpareDescriptors = 64;

// A step takes no more from each way. Then it reads the rings, and those of processes that have
// ended make room: a recorder that did not run for a minute finds thousands of short processes. The
// ways might be full by the next tick when more than kManyArrivals come in one.
constexpr size_t kMostArrivals = 512, kManyArrivals = 64;

bool has_room_for(int descriptor) {
  rlimit files{};
  return getrlimit(RLIMIT_NOFILE, &files) != 0 ||
         static_cast<rlim_t>(descriptor) + kSpareDescriptors < files.rlim_cur;
}

// Lets an agent know that it is not recorded: it would fill its ring otherwise.
void send_away(const Arrival& arrival) {
  AgentRing ring(static_cast<uint32_t>(arrival.from.pid), arrival.greeting.hello.program);
  if (ring.map(arrival.fd, arrival.greeting.hello.capacity)) ring.set_ended();
}

}  // namespace

AgentHost::AgentHost(std::shared_ptr<const ListenDirectory> listen, uint32_t only,
                     const std::string& told)
    : listens_(listen != nullptr),
      only_(only),
      sockets_(std::move(listen), told),
      max_rings_(kMaxRings) {}

// Programs that share a directory all come, also when one of them is recorded.
bool AgentHost::is_wanted(const Arrival& arrival) const {
  return only_ == 0 ||
         descent_of(arrival.from.pid, static_cast<pid_t>(only_)) != Descent::elsewhere;
}

std::optional<Why> AgentHost::refusal(const Arrival& arrival) const {
  const ucred& from = arrival.from;
  const bool is_ours = from.uid == geteuid();
  if (from.pid <= 0) return listens_ ? Why::unseen : Why::elsewhere;
  switch (listens_ ? Descent::below : descent_of(from.pid, getpid())) {
    case Descent::below:
      break;
    case Descent::elsewhere:
      return Why::elsewhere;
    case Descent::gone:
      if (!arrival.inherited && !is_ours) return Why::elsewhere;
      break;
  }
  if (!is_ours && geteuid() != 0) return Why::other_user;
  return std::nullopt;
}

// Whether a connection may stay; what is returned for other arrivals is not used.
bool AgentHost::take_arrival(const Arrival& arrival) {
  using What = Arrival::What;
  const auto pid = static_cast<uint32_t>(arrival.from.pid);
  if (!is_wanted(arrival)) {
    if (arrival.what == What::greeting && arrival.greeting.hello.magic == AGENT_MAGIC)
      send_away(arrival);
    if (arrival.fd >= 0) close(arrival.fd);
    return arrival.what == What::connection;
  }
  std::optional<Why> why = refusal(arrival);
  if (!why && arrival.what == What::no_memory) why = Why::too_many;
  if (!why && arrival.what == What::other_version) why = Why::other_version;
  if (!why && arrival.what == What::wrong) why = Why::wrong;
  if (!why && arrival.what == What::silent) why = Why::silent;
  if (!why && arrival.what == What::greeting) {
    if (arrival.greeting.hello.magic == AGENT_OBJECT_MAGIC) {
      inbox_.add(pid, arrival.greeting.object, arrival.fd);
      return false;
    }
    why = accept_ring(pid, arrival);
  }
  if (arrival.fd >= 0) close(arrival.fd);
  if (why) turned_away_.add(*why, pid);
  return !why;
}

std::optional<Why> AgentHost::accept_ring(uint32_t pid, const Arrival& arrival) {
  const agent_hello& hello = arrival.greeting.hello;
  // drain(), which may lead here, leaves null where a process has ended
  const auto is_of_process = [&](const auto& ring) { return ring && ring->pid() == pid; };
  if (rings_.size() + new_rings_.size() >= max_rings_ || !has_room_for(arrival.fd) ||
      std::ranges::count_if(rings_, is_of_process) +
              std::ranges::count_if(new_rings_, is_of_process) >=
          kMaxRingsOfProcess)
    return Why::too_many;
  auto ring = std::make_unique<AgentRing>(pid, hello.program);
  if (!ring->map(arrival.fd, hello.capacity)) return Why::unusable;
  ring->keep_root(arrival.root);
  new_rings_.push_back(std::move(ring));
  return std::nullopt;
}

size_t AgentHost::receive(size_t most) {
  return sockets_.receive([this](const Arrival& arrival) { return take_arrival(arrival); }, most);
}

ObjectContent AgentHost::take_object(uint32_t pid, uint64_t id) {
  ObjectContent content;
  if (inbox_.take(pid, id, content)) return content;
  receive(AgentSockets::kAll);
  return inbox_.take(pid, id, content) ? std::move(content) : ObjectContent();
}

bool AgentHost::is_rest_missing() const {
  return std::ranges::any_of(rings_, [](const auto& ring) { return ring->holds_back(); });
}

bool AgentHost::ask_for_rest() {
  if (!is_rest_missing()) return false;
  for (const auto& ring : rings_) ring->set_closing();
  return true;
}

void AgentHost::end() {
  uint64_t total = 0;
  const std::vector<agent_missed> missed = sockets_.missed(total);
  for (const agent_missed& one : missed)
    turned_away_.add(one.magic == AGENT_OBJECT_MAGIC ? Why::lost_object : Why::gave_up, one.pid,
                     std::string(one.comm, strnlen(one.comm, sizeof one.comm)));
  turned_away_.add_unnamed(Why::gave_up, total - missed.size());
  max_rings_ = kMaxRingsAtEnd;
  sockets_.end([this](const Arrival& arrival) { return take_arrival(arrival); });
  for (const auto& ring : rings_) ring->set_ended();
  for (const auto& ring : new_rings_) ring->set_ended();
}

uint64_t AgentHost::drain_ring(AgentRing& ring, AgentListener& listener) {
  return ring.drain(listener, [&](uint64_t id) { return take_object(ring.pid(), id); });
}

void AgentHost::connect_new_rings(AgentListener& listener) {
  // draining a ring may accept more of them, see take_object()
  while (!new_rings_.empty()) {
    for (auto& ring : std::exchange(new_rings_, {})) {
      const auto is_of_process = [&](const auto& old) { return old->pid() == ring->pid(); };
      const bool is_known = std::ranges::any_of(rings_, [&](const auto& old) {
        return is_of_process(old) && old->program() == ring->program();
      });
      if (!is_known) {
        // an exec replaced the old program: its last records come before the new one's
        for (auto& old : rings_)
          if (is_of_process(old)) drain_ring(*old, listener);
        if (std::erase_if(rings_, is_of_process) > 0) listener.on_gone(ring->pid());
        ++connected_;
        listener.on_connected(ring->pid());
        listener.on_root(ring->pid(), ring->root());
      }
      ring->close_root();
      rings_.push_back(std::move(ring));
    }
  }
}

bool AgentHost::drain(AgentListener& listener) {
  bool is_filling = receive(kMostArrivals) > kManyArrivals;
  connect_new_rings(listener);
  for (auto& ring : rings_) {
    // checked before the ring is read, so that the ring has the last records of an ended process
    const bool has_ended = ring->process_has_ended();
    const uint64_t bytes = drain_ring(*ring, listener);
    is_filling = is_filling || bytes > ring->capacity() / 8;
    if (!has_ended && !ring->is_broken()) continue;
    listener.on_gone(ring->pid());
    if (has_ended) inbox_.forget(ring->pid());
    ring.reset();
  }
  std::erase(rings_, nullptr);
  return is_filling;
}

}  // namespace aiflame::record
