// SPDX-License-Identifier: MIT
// push-profile: the part of aiflame-export that speaks to servers (--push).
//
//   aiflame-export --push http://pyroscope:4040 --to pyroscope --start ... app.folded
//
// It is a program of its own, since aiflame-export has all libraries inside, starts in a third of a
// millisecond, and reads untrusted input without the right to use the network. It gets a whole
// request (job.h) and sends it; with --spool, it first keeps it in a file, then sends what is kept,
// the oldest first, and removes what was delivered. If another run is sending, it leaves that to
// it.
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "tools/push-profile/delivery.h"
#include "tools/push-profile/job.h"
#include "tools/push-profile/spool_directory.h"
#include "tools/push-profile/token.h"

namespace aiflame::push {
namespace {

// Standard input, if it is a file.
std::optional<Body> new_profile() {
  struct stat its {};
  if (fstat(STDIN_FILENO, &its) != 0 || !S_ISREG(its.st_mode)) return std::nullopt;
  return Body{STDIN_FILENO, 0, static_cast<uint64_t>(its.st_size)};
}

// Sends what is kept, the oldest first, until nothing is left or the server takes nothing.
class SpoolSender {
 public:
  SpoolSender(const Job& job, HttpClient& client, SpoolDirectory& spool)
      : job_(job), client_(client), spool_(spool) {}

  // `own`: the name of this run's profile, "" = it is not kept.
  void send(const std::string& own);
  // Whether the server may take more.
  bool goes_on() const { return goes_on_; }
  // Whether another run is sending, and sends what is kept here too.
  bool is_left_to_another() const { return is_left_; }
  // Of this program: 1 when a profile was refused, or all would be.
  int status() const { return status_; }

 private:
  std::vector<std::string> unseen() const;
  void send_one(const std::string& name);
  std::string why_kept(const Delivery& delivery) const;

  const Job& job_;
  HttpClient& client_;
  SpoolDirectory& spool_;
  std::set<std::string> seen_;  // names of what this run has tried
  bool goes_on_ = true, is_left_ = false;
  int status_ = 0;
};

void SpoolSender::send_one(const std::string& name) {
  KeptProfile kept(spool_.open_kept(name));
  if (kept.is_gone()) return;
  if (!kept.read_head()) {
    say("'%s' is damaged, and was not sent", spool_.set_aside(name, "damaged").c_str());
    status_ = 1;
    return;
  }
  if (kept.request().door != job_.request.door)
    throw Error(format("'%s/%s' is for %s; use a --spool for each server", spool_.path().c_str(),
                       name.c_str(), kept.request().door.c_str()));
  const Delivery delivery = deliver(client_, kept.request(), kept.body(), job_.retries);
  switch (delivery.outcome) {
    case Outcome::delivered:
      return spool_.remove(name);
    case Outcome::refused:
      say("%s%s; the profile is '%s' now", job_.url.c_str(), delivery.why.c_str(),
          spool_.set_aside(name, "refused").c_str());
      status_ = 1;
      return;
    case Outcome::misdirected:
      say("%s", why_kept(delivery).c_str());
      status_ = 1;
      break;
    case Outcome::unreachable:
      warn("%s", why_kept(delivery).c_str());
      break;
  }
  goes_on_ = false;
}

std::string SpoolSender::why_kept(const Delivery& delivery) const {
  const size_t count = spool_.kept().size();
  return job_.url + delivery.why +
         format("; %zu %s kept in '%s'", count, count == 1 ? "profile is" : "profiles are",
                spool_.path().c_str());
}

std::vector<std::string> SpoolSender::unseen() const {
  std::vector<std::string> out = spool_.kept();
  std::erase_if(out, [&](const std::string& name) { return seen_.contains(name); });
  return out;
}

// One run sends at a time. Others keep their profiles meanwhile and go, or runs would pile up
// behind a server that hangs. So the sender looks again when it has ended: one may have come after
// its last look.
void SpoolSender::send(const std::string& own) {
  size_t older = 0;
  bool is_first = true;
  for (std::vector<std::string> names; goes_on_ && !(names = unseen()).empty(); is_first = false) {
    if (!spool_.begin_sending()) {
      is_left_ = is_first;
      break;
    }
    // what another run has sent until now is not there any more
    for (const std::string& name : unseen()) {
      if (!goes_on_) break;
      seen_.insert(name);
      send_one(name);
      if (goes_on_ && name != own) ++older;
    }
    spool_.end_sending();
  }
  if (older > 0 && status_ == 0)
    say("%zu %s kept before %s delivered", older, older == 1 ? "profile" : "profiles",
        older == 1 ? "was" : "were");
}

// Sends what is not kept. `otherwise` ends the message of a failure.
void send_directly(const Job& job, HttpClient& client, const Body& body, uint64_t retries,
                   const std::string& otherwise) {
  const Delivery delivery = deliver(client, job.request, body, retries);
  if (delivery.outcome != Outcome::delivered) throw Error(job.url + delivery.why + otherwise);
}

int send_through_spool(const Job& job, HttpClient& client, const std::optional<Body>& body) {
  SpoolDirectory spool(job.spool, job.spool_bytes);
  const std::string full =
      format("; it is not kept: '%s' is full, see --spool-size", job.spool.c_str());
  // it is kept first, so that nothing is lost whatever happens to this process
  const auto own = body ? spool.keep(job.request, *body) : std::nullopt;
  SpoolSender sender(job, client, spool);
  sender.send(own.value_or(""));
  if (sender.is_left_to_another())
    say("another run is sending to the server, and sends what is kept in '%s' too",
        job.spool.c_str());
  if (!body || own) return sender.status();
  if (!sender.goes_on()) throw Error("the profile was not sent" + full);
  send_directly(job, client, *body, sender.is_left_to_another() ? 0 : job.retries, full);
  return sender.status();
}

int run(int argc, char** argv) {
  const Job job = parse_job(argc, argv);
  HttpClient client(job.url, read_token(job.token_file, job.url), job.timeout_s);
  const std::optional<Body> body = new_profile();
  if (!job.spool.empty()) return send_through_spool(job, client, body);
  if (body) send_directly(job, client, *body, job.retries, "; the profile was not sent");
  return 0;
}

}  // namespace
}  // namespace aiflame::push

int main(int argc, char** argv) {
  // it speaks for the program that has become this one
  return aiflame::run_program("aiflame-export", argc, argv, aiflame::push::run);
}
