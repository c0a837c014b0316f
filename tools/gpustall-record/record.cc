// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/record.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "libcommon/base/clock.h"
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/capture/agent_host.h"
#include "tools/gpustall-record/capture/child.h"
#include "tools/gpustall-record/capture/launch_probes.h"
#include "tools/gpustall-record/join/recorder.h"

namespace aiflame::record {
namespace {

// A source hands out what is a millisecond old or older; twice that is surely handed out.
constexpr uint64_t kSettleNs = 2000000;

// How often the recorder wakes up. Each wake-up takes a core from the program on a full machine (a
// tenth of a millisecond); samples and launches have times of their own, so slices do not need it.
// 20 ms are a third of what an agent's ring holds of launches made without a pause, and then the
// recorder comes by four times as often.
constexpr uint64_t kTickMs = 20, kBusyTickMs = 5;

// An agent that has not ended a slice of its samples for so long does not sample, or has ended.
constexpr uint64_t kDrainsEndNs = 1000000000;

// How a vendor's runtime is told to load an agent: variables, whose values say with a % where the
// plugin directory comes in.
struct AgentDoor {
  const char* file;  // there when the agent is installed
  const char* variable;
  const char* value;
  // A value that is there already: replaced, in a list joined by ':', or left alone.
  enum class Others { replaced, before, behind, left } others;
  bool of_ranges = false;  // opened with --ranges only
};
constexpr AgentDoor kDoors[] = {
    {"opencl-agent.so", "OPENCL_LAYERS", "%/opencl-agent.so", AgentDoor::Others::before},
    // its loader asks the dynamic linker for a library of this name, when it is told to trace
    {"level-zero/libze_tracing_layer.so.1", "LD_LIBRARY_PATH", "%/level-zero",
     AgentDoor::Others::behind},
    {"level-zero/libze_tracing_layer.so.1", "ZE_ENABLE_TRACING_LAYER", "1",
     AgentDoor::Others::replaced},
    {"cupti-agent.so", "CUDA_INJECTION64_PATH", "%/cupti-agent.so", AgentDoor::Others::left},
    {"cupti-agent.so", "NVTX_INJECTION64_PATH", "%/cupti-agent.so", AgentDoor::Others::left, true},
};

// All agents that are installed: a program may use several interfaces, and those it does not use
// are not loaded.
std::vector<std::pair<std::string, std::string>> agent_environment(const RecordOptions& options,
                                                                   const std::string& address) {
  const std::string& directory = options.plugin_directory;
  std::vector<std::pair<std::string, std::string>> environment{{AGENT_ENVIRONMENT, address}};
  for (const AgentDoor& door : kDoors) {
    if (door.of_ranges && !options.ranges) continue;
    if (access(format("%s/%s", directory.c_str(), door.file).c_str(), R_OK) != 0) continue;
    std::string value = door.value;
    if (value.front() == '%') value.replace(0, 1, directory);
    const char* others = std::getenv(door.variable);
    if (others != nullptr && *others != '\0') {
      if (door.others == AgentDoor::Others::left && value != others) {
        warn("%s is set to '%s' already: left as it is, so that agent is not loaded", door.variable,
             printable(others).c_str());
        continue;
      }
      if (door.others == AgentDoor::Others::before) value = format("%s:%s", others, value.c_str());
      if (door.others == AgentDoor::Others::behind) value = format("%s:%s", value.c_str(), others);
    }
    environment.emplace_back(door.variable, value);
  }
  return environment;
}

// In percent of the time, by default all of it; kernels that run one at a time cost the program
// more, so that is for a tenth of it.
uint64_t sampled_share(const RecordOptions& options) {
  if (options.duty != 0) return options.duty;
  return options.sampling == "exact" ? 10 : 100;
}

// What the agent of `source` shall sample; see AGENT_SAMPLE_ENVIRONMENT.
std::string sample_request(const Source& source, const std::vector<Device>& devices,
                           const RecordOptions& options) {
  std::string text = format("%s interval=%" PRIu64, source.name().c_str(), options.interval_ms);
  if (options.period != 0) text += format(" period=%" PRIu64, options.period);
  if (!options.sampling.empty()) text += " mode=" + options.sampling;
  text += format(" duty=%" PRIu64, sampled_share(options));
  if (options.device >= 0 && !devices.empty()) text += " place=" + devices.front().place;
  return text;
}

std::string now_text() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::vector<std::string> make_header(const Source& source, const std::vector<Device>& devices,
                                     const RecordOptions& options, bool has_probes,
                                     uint64_t origin) {
  utsname system{};
  uname(&system);
  std::string command;
  for (const std::string& word : options.command) command += (command.empty() ? "" : " ") + word;
  if (options.pid != 0) command = format("(process %" PRIu64 ")", options.pid);
  if (options.all) command = "(whole system)";
  std::vector<std::string> header{
      std::string("hostname : ") + system.nodename,
      std::string("os release : ") + system.release,
      "captured on : " + now_text() + ", monotonic " + gpustall_seconds(origin),
      "cmdline : " + command,
      "clock : monotonic",
  };
  if (has_probes) header.push_back("launches by : uprobe");
  if (source.has(GPUSTALL_BY_AGENT) && options.sample)
    header.push_back(format("sampling : %s, %" PRIu64 " %% of the time",
                            options.sampling.empty() ? "continuous" : options.sampling.c_str(),
                            sampled_share(options)));
  // their agents tell of devices that they sample, with the period
  for (const Device& device : devices)
    if (!source.has(GPUSTALL_BY_AGENT))
      header.push_back(format("device %u : %s, %s, %s, period %" PRIu64 " %s", device.index,
                              source.name().c_str(), device.name.c_str(), device.place.c_str(),
                              device.period, device.unit.c_str()));
  return header;
}

// What of `devices` the options ask for and can be recorded. Throws Error when that is nothing.
std::vector<Device> wanted_devices(const Source& source, std::vector<Device> devices,
                                   const RecordOptions& options) {
  if (options.device >= 0) {
    std::erase_if(
        devices, [&](const Device& d) { return d.index != static_cast<uint32_t>(options.device); });
    if (devices.empty())
      throw Error(format("source '%s' has no device %d", source.name().c_str(), options.device));
  }
  std::string obstacle;
  std::erase_if(devices, [&](const Device& d) {
    if (d.obstacle.empty()) return false;
    obstacle = format("source '%s': device %u is not recorded: %s: %s", source.name().c_str(),
                      d.index, d.place.c_str(), d.obstacle.c_str());
    if (options.device < 0) warn("%s", obstacle.c_str());
    return true;
  });
  if (devices.empty()) throw Error(obstacle);
  return devices;
}

// Signals and the interval's ticks as descriptors.
class Events {
 public:
  explicit Events(int watched_pid) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM}) sigaddset(&signals, number);
    // under nohup(1) it stays ignored (once blocked it would come out of the descriptor all the
    // same); SIGINT is heard even so, as `record & …; kill -INT $!` in a script needs it
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
      sigaddset(&signals, SIGHUP);
    // ignored by some parents, and then no child could be waited for
    signal(SIGCHLD, SIG_DFL);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // a reader that goes away is seen as EPIPE: the command must not be left alone for it
    signal(SIGPIPE, SIG_IGN);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (signals_ < 0 || timer_ < 0)
      throw Error(format("cannot make a timer: %s", std::strerror(errno)));
    tick_every(kTickMs);
    if (watched_pid > 0) process_ = static_cast<int>(syscall(SYS_pidfd_open, watched_pid, 0));
  }
  ~Events() {
    for (const int fd : {signals_, timer_, process_})
      if (fd >= 0) close(fd);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // 0 = no more
  void tick_every(uint64_t ms) {
    if (ms == tick_ms_) return;
    tick_ms_ = ms;
    itimerspec period{};
    period.it_interval.tv_nsec = static_cast<long>(ms * 1000000);
    period.it_value = period.it_interval;
    timerfd_settime(timer_, 0, &period, nullptr);
  }

  struct Seen {
    bool interrupted = false, child = false, process_ended = false;
  };
  // Waits for the next tick, signal or input of `more`.
  Seen wait(const std::vector<int>& more) {
    std::vector<pollfd> polled{{signals_, POLLIN, 0}, {timer_, POLLIN, 0}, {process_, POLLIN, 0}};
    for (const int fd : more) polled.push_back({fd, POLLIN, 0});
    Seen seen;
    if (poll(polled.data(), polled.size(), -1) < 0) return seen;
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD)
        seen.child = true;
      else
        seen.interrupted = true;
    }
    uint64_t ticks = 0;
    [[maybe_unused]] const ssize_t n = read(timer_, &ticks, sizeof ticks);
    seen.process_ended = process_ >= 0 && polled[2].revents != 0;
    return seen;
  }

 private:
  int signals_ = -1, timer_ = -1, process_ = -1;
  uint64_t tick_ms_ = 0;
};

void report(const Totals& totals, const Source& source, const std::string& output) {
  std::string text =
      format("captured %" PRIu64 " %s samples and %" PRIu64 " launches from %" PRIu64
             " stacks; lost %" PRIu64 " samples",
             totals.samples, source.event().c_str(), totals.launches, totals.stacks, totals.lost);
  if (totals.lost_unknown == 1) text += " and an unknown number, reported once";
  if (totals.lost_unknown > 1)
    text += format(" and an unknown number, reported %" PRIu64 " times", totals.lost_unknown);
  if (totals.lost_launches > 0) text += format(", %" PRIu64 " launches", totals.lost_launches);
  if (!output.empty() && output != "-") text += "; wrote " + output;
  say("%s", text.c_str());
  if (totals.of_driver > 0)
    say("%" PRIu64
        " of the samples are of the driver's own kernels, whose code and reasons are not told",
        totals.of_driver);
  const auto stacks = [](uint64_t count) {
    return count == 1 ? std::string("1 stack is") : format("%" PRIu64 " stacks are", count);
  };
  if (totals.cut_stacks > 0)
    warn("%s without the outermost callers: of a deeper one %d native frames are kept, %d in all",
         stacks(totals.cut_stacks).c_str(), AGENT_MAX_NATIVE_FRAMES, AGENT_MAX_FRAMES);
  if (totals.python_unread > 0)
    warn("%s without Python functions, though there are some: they could not be read",
         stacks(totals.python_unread).c_str());
  if (totals.ambiguous > 0)
    warn("%" PRIu64
         " samples are of addresses at which several processes have code: left with none",
         totals.ambiguous);
}

}  // namespace

gpustall_config make_config(const RecordOptions& options, uint32_t pid) {
  gpustall_config config{};
  config.size = sizeof config;
  config.target = options.all        ? GPUSTALL_TARGET_SYSTEM
                  : options.pid != 0 ? GPUSTALL_TARGET_PROCESS
                                     : GPUSTALL_TARGET_COMMAND;
  config.pid = pid;
  config.device = options.device;
  config.period = options.period;
  config.frequency = options.frequency;
  return config;
}

int record(Source& source, const std::string& output, const RecordOptions& options) {
  std::vector<Device> all_devices, devices;
  if (options.sample) {
    all_devices = source.devices(make_config(options, 0));
    devices = wanted_devices(source, all_devices, options);
  }
  LaunchStacks stacks = options.stacks;
  if (stacks == LaunchStacks::automatic)
    stacks = options.command.empty() ? LaunchStacks::uprobe : LaunchStacks::agent;

  Output out(output);
  const bool to_stdout = output.empty() || output == "-";
  AgentHost agents;
  const Inherited inherited;
  Events events(static_cast<int>(options.pid));
  std::unique_ptr<Child> child;
  if (!options.command.empty()) {
    std::vector<std::pair<std::string, std::string>> environment;
    if (stacks == LaunchStacks::agent) environment = agent_environment(options, agents.address());
    if (stacks == LaunchStacks::agent && options.sample && source.has(GPUSTALL_BY_AGENT))
      environment.emplace_back(AGENT_SAMPLE_ENVIRONMENT, sample_request(source, devices, options));
    child = std::make_unique<Child>(options.command, environment, to_stdout, inherited);
  }
  // a descriptor for each thread and processor with -p, and for each process with an agent
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  // a batch job to the scheduler: it does not take a core from a thread that runs. This and the
  // above behind the command's fork, which would inherit them.
  const sched_param priority{};
  sched_setscheduler(0, SCHED_BATCH, &priority);
  const auto pid = static_cast<uint32_t>(child ? child->pid() : static_cast<pid_t>(options.pid));
  if (options.sample) source.open(make_config(options, pid));
  std::unique_ptr<LaunchProbes> probes;
  if (stacks == LaunchStacks::uprobe) {
    try {
      probes = std::make_unique<LaunchProbes>(pid);
    } catch (const Error& error) {
      // asked for, it is an error; as the default of -p and -a, samples without stacks are worth
      // having
      if (options.stacks == LaunchStacks::uprobe) throw;
      warn("no launch stacks: %s", error.what());
    }
  }

  const uint64_t origin = monotonic_ns();
  const uint64_t interval = options.interval_ms * 1000000;
  const bool timed = !options.sample || source.has(GPUSTALL_TIMED);
  Recorder recorder(out, source.event(), origin, timed ? interval : 0, options.objects_directory);
  const bool by_agent = options.sample && source.has(GPUSTALL_BY_AGENT);
  if (by_agent) recorder.take_samples_of_agents(source.name());
  for (const Device& device : all_devices) recorder.set_place(device.index, device.place);
  for (const Device& device : devices)
    if (!timed) recorder.set_address_bits(device.index, device.address_bits);
  if (probes) probes->begin(recorder);
  uint64_t last_cut = origin;
  if (child && !child->start()) return child->status();
  std::vector<int> descriptors;
  if (options.sample) descriptors = source.descriptors();

  bool interrupted = false;
  std::string failure;  // to write: the recording ends, the command does not
  const auto step = [&](bool last) {
    const uint64_t now = monotonic_ns();
    recorder.tick(now);
    if (options.sample)
      source.read([&](const gpustall_event& event) {
        if (event.type == GPUSTALL_EVENT_WARNING)
          warn("source '%s': %s", source.name().c_str(), printable(event.u.text).c_str());
        else
          recorder.take(event);
      });
    // where agents read, slices are what came between two of their reads, while they do read
    const bool agents_cut =
        by_agent && recorder.last_sampled() + std::max(kDrainsEndNs, 3 * interval) > now;
    if (const uint64_t read = monotonic_ns();
        !timed && (last || (read - last_cut >= interval && !agents_cut))) {
      recorder.cut(read);
      last_cut = read;
    }
    // after the source: a launch is in its ring before the first sample of it is taken
    const bool busy = agents.drain(recorder);
    events.tick_every(busy ? kBusyTickMs : kTickMs);
    if (probes) probes->drain(recorder, last);
    recorder.write(now - kSettleNs, last);
  };
  try {
    recorder.begin(make_header(source, devices, options, probes != nullptr, origin));
    const uint64_t deadline =
        options.duration_s > 0
            ? origin + static_cast<uint64_t>(std::min(options.duration_s, 1e9) * 1e9)
            : UINT64_MAX;
    for (bool running = true; running;) {
      const Events::Seen seen = events.wait(descriptors);
      interrupted = interrupted || seen.interrupted;
      running = !interrupted && !seen.process_ended && monotonic_ns() < deadline &&
                !(child && seen.child && child->ended());
      if (running) step(false);
    }
    if (options.sample) source.stop();
    agents.end();
    step(true);
    recorder.end();
    out.close();
    report(recorder.totals(), source, output);
    if (stacks == LaunchStacks::agent && agents.connected() == 0)
      hint("no program loaded an agent: none of the processes used OpenCL, Level Zero or CUDA");
  } catch (const std::exception& error) {
    failure = error.what();
    agents.end();
  }
  if (!child) {
    if (!failure.empty()) throw Error(failure);
    return 0;
  }
  // as perf record: an interrupt ends the command too, if it did not hear it itself
  if (interrupted && !child->ended()) kill(child->pid(), SIGTERM);
  if (!failure.empty())
    say("%s; the recording ends here, '%s' runs on", failure.c_str(),
        options.command.front().c_str());
  // A signal still ends the command: nothing else of us would hear it.
  events.tick_every(0);
  while (!child->ended())
    if (events.wait({}).interrupted) kill(child->pid(), SIGTERM);
  return failure.empty() ? child->status() : 125;
}

}  // namespace aiflame::record
