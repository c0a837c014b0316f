// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/session.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tools/gpustall-record/agents/agent_doors.h"
#include "tools/gpustall-record/agents/agent_host.h"
#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/agents/listen_directory.h"
#include "tools/gpustall-record/agents/missing_agent.h"
#include "tools/gpustall-record/agents/runtime_watch.h"
#include "tools/gpustall-record/command/child.h"
#include "tools/gpustall-record/command/inherited_signals.h"
#include "tools/gpustall-record/command/privileges.h"
#include "tools/gpustall-record/command/process_tree.h"
#include "tools/gpustall-record/command/wakeups.h"
#include "tools/gpustall-record/energy/energy_counters.h"
#include "tools/gpustall-record/flight/flight_recorder.h"
#include "tools/gpustall-record/pipeline.h"
#include "tools/gpustall-record/probes/launch_probes.h"
#include "tools/gpustall-record/source/sample_request.h"
#include "tools/gpustall-record/source/wanted_devices.h"
#include "tools/gpustall-record/write/missing_samples.h"
#include "tools/gpustall-record/write/recording_header.h"
#include "tools/gpustall-record/write/summary.h"

namespace aiflame::record {
namespace {

// A source hands out events when they are a millisecond old. Twice that is safe.
constexpr uint64_t kSettleNs = 2000000;

// An agent that has not ended a slice of its samples for this long does not sample, or has ended.
constexpr uint64_t kDrainsEndNs = 1000000000;

// How long agents may take to write what they hold back. CUPTI's looks for the recording's end ten
// times a second, and in a program that launches nothing it waits for a second.
constexpr uint64_t kRestNs = 1500000000;

// The process needs a descriptor for each thread and processor with -p, and for each process with
// an agent; kDescriptors are enough for all of the latter. Only root can have more than the limit
// allows.
void raise_descriptor_limit() {
  constexpr rlim_t kDescriptors = 16384;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t allowed = files.rlim_max;
  files.rlim_cur = files.rlim_max = std::max(allowed, kDescriptors);
  if (setrlimit(RLIMIT_NOFILE, &files) == 0) return;
  files.rlim_cur = files.rlim_max = allowed;
  setrlimit(RLIMIT_NOFILE, &files);
}

// To the scheduler the recorder is a batch job, which does not take a core from a running thread.
void be_batch_job() {
  const sched_param priority{};
  sched_setscheduler(0, SCHED_BATCH, &priority);
}

class Session {
 public:
  // Opens everything. The command is forked and waits for start_command().
  Session(Source& source, const std::string& output, const CaptureOptions& options,
          const CapturePlan& plan, const AttachedAgent& others, const FlightOptions& flight,
          const InheritedSignals& inherited);

  // False when the command could not be executed; does nothing without a command.
  bool start_command();
  // Records until the command or process ends, an interrupt, or the end of --duration; then writes
  // the end of the recording and the summary. Throws when the output or the source fails.
  void record();
  // Lets the agents stop, after a failure.
  void abandon() {
    if (agents_) agents_->end();
  }
  // Waits for the command. `failure` ended the recording, "" = none. Returns the exit status.
  int wait_for_command(const std::string& failure);
  int command_status() const { return child_->status(); }

 private:
  // For the source; `pid` is the command's or the process's, 0 = none yet.
  gpustall_config config(uint32_t pid) const;
  void open_output(const FlightOptions& flight);
  void listen();
  Environment fork_command();
  void place_probes(uint32_t pid);
  void make_pipeline();
  void wait_for_end();
  void await_rest();
  void step(bool last);
  bool is_over(bool signalled);
  void tell_what_is_missing();
  void cut_slice(uint64_t now, bool last);
  void read_energy(bool last);

  Source& source_;
  const std::string& output_;
  const CaptureOptions& options_;
  const CapturePlan& plan_;
  const bool has_times_;  // each sample has its own time
  const bool by_agent_;   // samples come from agents
  const uint64_t interval_ns_;
  const AttachedAgent& others_;
  LaunchStacks stacks_;
  const std::vector<Device> all_devices_, devices_;  // the source's, and those to record
  Budgets budgets_;                                  // of everything that is kept of processes
  std::optional<FlightRecorder> flight_;             // writes the recording; without it, these do
  std::optional<Output> out_;
  std::unique_ptr<GpustallWriter> plain_writer_;
  std::optional<EnergyCounters> energy_;  // with --energy
  std::optional<BuildIdCache> cache_;     // with --buildid-cache
  std::optional<AgentHost> agents_;       // with launches from agents
  const InheritedSignals& inherited_;
  Wakeups wakeups_;
  std::unique_ptr<Child> child_;          // null with -p, -a and --listen
  std::unique_ptr<LaunchProbes> probes_;  // null when launches come from agents
  std::unique_ptr<RuntimeWatch> watch_;   // until the first agent reports
  std::vector<pid_t> running_;            // that outlive the command
  uint64_t origin_ = 0, last_cut_ = 0;    // origin_ 0 = the recording has not begun
  std::optional<Pipeline> pipeline_;
  bool interrupted_ = false;
};

gpustall_config Session::config(uint32_t pid) const {
  gpustall_config out = source_config(options_, pid);
  out.period = plan_.period;
  return out;
}

Session::Session(Source& source, const std::string& output, const CaptureOptions& options,
                 const CapturePlan& plan, const AttachedAgent& others, const FlightOptions& flight,
                 const InheritedSignals& inherited)
    : source_(source),
      output_(output),
      options_(options),
      plan_(plan),
      has_times_(!plan.samples || source.has(GPUSTALL_TIMED)),
      by_agent_(plan.samples && source.has(GPUSTALL_BY_AGENT)),
      interval_ns_(options.interval_ms * 1000000),
      others_(others),
      stacks_(plan.stacks),
      all_devices_(plan.samples ? source.devices(config(0)) : std::vector<Device>()),
      devices_(plan.samples ? wanted_devices(source, all_devices_, options)
                            : std::vector<Device>()),
      inherited_(inherited),
      wakeups_(static_cast<pid_t>(options.pid)) {
  open_output(flight);
  if (!others_.directory.empty()) listen();
  if (options.memory && stacks_ != LaunchStacks::agent)
    throw Error("option '--memory': only agents report memory, and this program has none");
  if (options.memory && options.pid != 0 && options.listen.empty() && !others_.tells_memory)
    throw Error(
        format("option '--memory': the agent of process %u was started without it; pass it "
               "to --print-env",
               static_cast<uint32_t>(options.pid)));
  // before the fork: without counters nothing is started
  if (options.energy)
    energy_.emplace(options.energy_directory, options.plugin_directory, EnergyCounters::Patience());
  if (options.buildid_cache) cache_.emplace();
  const Environment environment = options.command.empty() ? Environment() : fork_command();
  // after the fork, or the command would inherit them
  raise_descriptor_limit();
  be_batch_job();
  drop_capabilities(stacks_ == LaunchStacks::uprobe);
  const auto pid = static_cast<uint32_t>(child_ ? child_->pid() : static_cast<pid_t>(options.pid));
  if (plan.samples) source.open(config(pid));
  // after the source, which needs its perf events more
  if (agents_ && child_)
    watch_ = std::make_unique<RuntimeWatch>(child_->pid(), options.plugin_directory, environment);
  drop_reserve();
  if (stacks_ == LaunchStacks::uprobe) place_probes(pid);
  make_pipeline();
}

// Before the fork: the command does not begin if there is no output.
void Session::open_output(const FlightOptions& flight) {
  if (flight.is_on()) {
    flight_.emplace(flight, output_, FlightWriter::Times::live);
    return;
  }
  out_.emplace(output_, Output::Existing::kept_until_written, Output::Readers::owner);
  out_->claim();
  plain_writer_ = std::make_unique<GpustallWriter>(*out_);
}

// An agent that the user has not asked for need not be used.
void Session::listen() {
  origin_ = monotonic_ns();  // from here on agents may come, and launch
  const auto pid = static_cast<uint32_t>(options_.pid);
  try {
    agents_.emplace(others_.opened ? others_.opened
                                   : std::make_shared<const ListenDirectory>(others_.directory),
                    pid, others_.address);
  } catch (const Error& error) {
    if (!options_.listen.empty() || options_.stacks == LaunchStacks::agent || by_agent_) throw;
    warn("the agent of process %u is not used: %s", pid, error.what());
    stacks_ = LaunchStacks::uprobe;
  }
}

// Returns what it has added to the command's environment for the agents.
Environment Session::fork_command() {
  Environment environment;
  if (stacks_ == LaunchStacks::agent) {
    agents_.emplace();
    environment = agent_environment(options_, agents_->address());
    if (by_agent_)
      environment.emplace_back(AGENT_SAMPLE_ENVIRONMENT,
                               sample_request(source_, devices_, options_));
  }
  const bool to_stdout = output_.empty() || output_ == "-";
  child_ = std::make_unique<Child>(options_.command, environment, to_stdout,
                                   agents_ ? agents_->descriptor() : -1, inherited_);
  return environment;
}

void Session::place_probes(uint32_t pid) {
  try {
    probes_ = std::make_unique<LaunchProbes>(pid, options_.plugin_directory, budgets_);
  } catch (const Error& error) {
    // By default, with -p and -a, samples without stacks are still worth having. When the user has
    // asked for probes, it is an error.
    if (options_.stacks == LaunchStacks::uprobe) throw;
    warn("no launch stacks: %s", error.what());
  }
}

void Session::make_pipeline() {
  if (origin_ == 0) origin_ = monotonic_ns();
  last_cut_ = origin_;
  GpustallWriter& writer = flight_ ? flight_->writer() : *plain_writer_;
  pipeline_.emplace(writer, source_.event(), origin_, has_times_ ? interval_ns_ : 0,
                    options_.objects_directory, budgets_);
  if (options_.redact) pipeline_->redact();
  AgentIntake& agents = pipeline_->agents();
  if (options_.no_sandbox) agents.keep_rights();
  if (by_agent_) agents.accept_samples(source_.name());
  if (options_.memory) agents.accept_memory();
  for (const Device& device : all_devices_) agents.set_place(device.index, device.place);
  for (const Device& device : devices_)
    if (!has_times_) pipeline_->set_address_bits(device.index, device.address_bits);
  if (probes_) probes_->report_mappings(agents);
  if (flight_) flight_->start(origin_);
}

bool Session::start_command() {
  return !child_ || child_->start();
}

void Session::record() {
  pipeline_->begin(
      recording_header(source_, devices_, options_, plan_, probes_ != nullptr, origin_));
  wait_for_end();
  if (agents_) await_rest();
  if (plan_.samples) source_.stop();
  if (agents_) agents_->end();
  step(true);
  pipeline_->end(agents_ ? agents_->turned_away().agents() : 0);
  if (out_) out_->close();
  KeptObjects kept;
  if (cache_) kept = pipeline_->keep_cpu_objects(*cache_, !options_.no_sandbox);
  print_summary(pipeline_->totals(), pipeline_->budgets(), source_.event(),
                flight_ && flight_->names_parts() ? "" : output_);
  if (flight_)
    for (const std::string& line : flight_->report()) say("%s", line.c_str());
  if (!kept.kept.empty()) say("%s", kept.kept.c_str());
  for (const std::string& line : kept.not_kept) warn("%s", line.c_str());
  tell_what_is_missing();
}

void Session::tell_what_is_missing() {
  if (energy_) {
    for (const std::string& line : energy_->remarks()) say("%s", line.c_str());
    for (const std::string& line : energy_->complaints()) warn("%s", line.c_str());
  }
  if (!running_.empty()) warn("%s", who_runs_on(running_).c_str());
  Expected expected;
  if (agents_) {
    for (const std::string& line : agents_->turned_away().lines()) warn("%s", line.c_str());
    expected.programs = agents_->connected();
    const bool none_came = expected.programs == 0 && agents_->turned_away().agents() == 0;
    if (none_came && options_.pid != 0)
      hint(
          "the agent of process %u did not come to '%s': the process launched no kernel meanwhile, "
          "or its agent does not look there",
          static_cast<uint32_t>(options_.pid), others_.directory.c_str());
    else if (none_came && !child_)
      hint("no program came to '%s'; see CONTAINERS in gpustall-launches(7)",
           options_.listen.c_str());
    else if (none_came)
      for (const std::string& line : why_no_agent(
               options_.command, {watch_->loaded(), watch_->obstacle(), !running_.empty()}))
        hint("%s", line.c_str());
  }
  // the agent that takes samples has said why it has none
  if (plan_.samples && !by_agent_) expected.source = source_.name();
  expected.finds_code = has_times_;
  if (has_times_ && !devices_.empty()) expected.period_ns = devices_.front().period;
  const std::string missing = what_is_missing(pipeline_->totals(), expected);
  if (!missing.empty()) hint("%s", missing.c_str());
}

void Session::wait_for_end() {
  std::vector<int> inputs;
  if (plan_.samples) inputs = source_.descriptors();
  inputs.push_back(-1);  // of --control, which may be closed
  const uint64_t deadline =
      options_.duration_s > 0
          ? monotonic_ns() + static_cast<uint64_t>(std::min(options_.duration_s, 1e9) * 1e9)
          : UINT64_MAX;
  for (;;) {
    if (flight_) inputs.back() = flight_->descriptor();
    const Wakeups::Seen seen = wakeups_.wait(inputs);
    interrupted_ = interrupted_ || seen.interrupted;
    if (interrupted_ || seen.process_ended || monotonic_ns() >= deadline) return;
    if (child_ && seen.child && child_->reap_if_ended()) {
      running_ = processes_below(getpid());
      std::erase_if(running_, [&](pid_t pid) { return energy_ && energy_->has_process(pid); });
      return;
    }
    step(false);
    if (flight_ && is_over(seen.snapshot)) return;
  }
}

// Programs that go on have agents that hold records back: those of the last slice at least.
void Session::await_rest() {
  if (!agents_->ask_for_rest()) return;
  const uint64_t deadline = monotonic_ns() + kRestNs;
  while (agents_->is_rest_missing() && monotonic_ns() < deadline) {
    if (wakeups_.wait({}).interrupted) return;
    step(false);
  }
}

// Does what signals, commands and the clock ask the flight recorder for. True when that is to end
// the recording.
bool Session::is_over(bool signalled) {
  const uint64_t now = monotonic_ns();
  const FlightRecorder::Wish wish = flight_->step(now, signalled);
  if (wish.dump) {
    // what runs now is what a snapshot is for: a kernel that does not end must not hide it
    if (flight_->has_ring()) pipeline_->write_incomplete(now - kSettleNs);
    flight_->dump(now);
    pipeline_->check_ledger();
  }
  interrupted_ = interrupted_ || wish.stop;
  return wish.stop || wish.is_full;
}

// Carries everything that has happened since the last step through the pipeline.
void Session::step(bool last) {
  const uint64_t now = monotonic_ns();
  pipeline_->set_time(now);
  if (plan_.samples) {
    // one that has no more to give does not end the recording: the program still runs
    [[maybe_unused]] const bool more = source_.read([&](const gpustall_event& event) {
      if (event.type == GPUSTALL_EVENT_WARNING)
        warn("source '%s': %s", source_.name().c_str(), event.u.text);
      else
        pipeline_->take(event);
    });
  }
  if (!has_times_) cut_slice(now, last);
  // after the source: a launch is in its agent's ring before its first sample is taken
  wakeups_.tick(agents_ && agents_->drain(pipeline_->agents()));
  if (watch_ && agents_->connected() > 0) watch_.reset();
  if (watch_) watch_->drain();
  if (probes_) probes_->drain(pipeline_->agents(), last);
  read_energy(last);
  pipeline_->write(now - kSettleNs, last);
}

void Session::read_energy(bool last) {
  if (!energy_) return;
  for (const EnergyReading& reading : energy_->read(monotonic_ns(), last))
    pipeline_->header(energy_text(reading));
}

// Agents that sample end the slices themselves, each time they have read their samples.
void Session::cut_slice(uint64_t now, bool last) {
  const bool agents_cut =
      by_agent_ &&
      pipeline_->agents().last_sampled() + std::max(kDrainsEndNs, 3 * interval_ns_) > now;
  const uint64_t read = monotonic_ns();
  if (!last && (read - last_cut_ < interval_ns_ || agents_cut)) return;
  pipeline_->cut(read);
  last_cut_ = read;
}

int Session::wait_for_command(const std::string& failure) {
  if (!child_) {
    if (!failure.empty()) throw Error(failure);
    return 0;
  }
  // as perf record does: an interrupt ends the command too, if the command has not seen it
  if (interrupted_ && !child_->reap_if_ended()) kill(child_->pid(), SIGTERM);
  if (!failure.empty())
    say("%s; the recording ends here, '%s' runs on", failure.c_str(),
        options_.command.front().c_str());
  // a later signal to the recorder still ends the command, since this loop passes it on
  wakeups_.stop_ticking();
  while (!child_->reap_if_ended())
    if (wakeups_.wait({}).interrupted) kill(child_->pid(), SIGTERM);
  return failure.empty() ? child_->status() : 125;
}

}  // namespace

int run_session(Source& source, const std::string& output, const CaptureOptions& options,
                const CapturePlan& plan, const AttachedAgent& others, const FlightOptions& flight,
                const InheritedSignals& inherited) {
  Session session(source, output, options, plan, others, flight, inherited);
  if (!session.start_command()) return session.command_status();
  std::string failure;  // such as a full disk: ends the recording, not the command
  try {
    session.record();
  } catch (const std::exception& error) {
    failure = error.what();
    session.abandon();
  }
  return session.wait_for_command(failure);
}

}  // namespace aiflame::record
