// SPDX-License-Identifier: MIT
// push-profile: the part of aiflame-export that speaks to servers (--push).
//
//   aiflame-export --push http://pyroscope:4040 --to pyroscope --start ... app.folded
//
// It is a program of its own, since aiflame-export has all libraries inside, starts in a third of a
// millisecond, and reads untrusted input without the right to use the network. It gets a whole
// request (job.h) and sends it; with --spool, it first keeps it in a file, then sends what is kept,
// the oldest first, and removes what was delivered.
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

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
  // Of this program: 1 when a profile was refused, or all would be.
  int status() const { return status_; }

 private:
  void send_one(const std::string& name);
  std::string why_kept(const Delivery& delivery) const;

  const Job& job_;
  HttpClient& client_;
  SpoolDirectory& spool_;
  bool goes_on_ = true;
  int status_ = 0;
};

void SpoolSender::send_one(const std::string& name) {
  KeptProfile kept(spool_.open_kept(name));
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

void SpoolSender::send(const std::string& own) {
  size_t older = 0;
  for (const std::string& name : spool_.kept()) {
    send_one(name);
    if (!goes_on_) break;
    if (name != own) ++older;
  }
  if (older > 0 && status_ == 0)
    say("%zu %s kept before %s delivered", older, older == 1 ? "profile" : "profiles",
        older == 1 ? "was" : "were");
}

// Sends what is not kept. `otherwise` ends the message of a failure.
void send_directly(const Job& job, HttpClient& client, const Body& body,
                   const std::string& otherwise) {
  const Delivery delivery = deliver(client, job.request, body, job.retries);
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
  if (!body || own) return sender.status();
  if (!sender.goes_on()) throw Error("the profile was not sent" + full);
  send_directly(job, client, *body, full);
  return sender.status();
}

int run(int argc, char** argv) {
  const Job job = parse_job(argc, argv);
  HttpClient client(job.url, read_token(job.token_file, job.url));
  const std::optional<Body> body = new_profile();
  if (!job.spool.empty()) return send_through_spool(job, client, body);
  if (body) send_directly(job, client, *body, "; the profile was not sent");
  return 0;
}

}  // namespace
}  // namespace aiflame::push

int main(int argc, char** argv) {
  // it speaks for the program that has become this one
  return aiflame::run_program("aiflame-export", argc, argv, aiflame::push::run);
}
