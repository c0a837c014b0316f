// SPDX-License-Identifier: MIT
// aiflame-dlfilter.so: folds inside perf script, with perf's own symbols.
//
//   perf script --dlfilter aiflame-dlfilter.so --dlarg kernel -i perf.data > out.folded
//
// The interface is perf's (perf_dlfilter.h, GPL-2.0); perf, which loads this, is GPL-2.0 too. perf
// frees nothing and checks little: no exception leaves this file, and perf's data is copied.
#include <linux/types.h>
extern "C" {
#include <perf/perf_dlfilter.h>
}

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/attribution/event_choice.h"
#include "libcommon/base/output.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "plugins/dlfilter/folded_samples.h"

// perf looks the functions up by C names.
#define AIFLAME_EXPORT extern "C" [[gnu::visibility("default")]]

AIFLAME_EXPORT perf_dlfilter_fns perf_dlfilter_fns;
struct perf_dlfilter_fns perf_dlfilter_fns;

namespace aiflame::dlfilter {
namespace {

// Up to the member `comm`. perf fills in as many members as the size asks for; later versions have
// more, the first of which would have to be given back.
constexpr uint32_t kPlaceSize = offsetof(perf_dlfilter_al, comm) + sizeof(const char*);

void tell(const std::string& text) {
  const std::string line = "aiflame-dlfilter: " + printable(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

struct Arguments {
  FrameRules rules;
  std::string event;
  bool event_may_be_missing = false;  // event-filter=
};

// The options of stackcollapse-aiflame, with or without dashes.
Arguments parse_arguments(int count, char** words) {
  Arguments out;
  for (int i = 0; i < count; ++i) {
    std::string_view word = text_of(words[i]);
    while (take_prefix(word, "-")) {
    }
    if (take_prefix(word, "event=")) {
      out.event = word;
      out.event_may_be_missing = false;
    } else if (take_prefix(word, "event-filter=")) {
      out.event = word;
      out.event_may_be_missing = true;
    } else if (word == "pid") {
      out.rules.pid = true;
    } else if (word == "tid") {
      out.rules.tid = true;
    } else if (word == "kernel") {
      out.rules.kernel = true;
    } else if (word == "jit") {
      out.rules.jit = true;
    } else if (word == "all") {
      out.rules.kernel = out.rules.jit = true;
    } else if (word == "addrs") {
      out.rules.addresses = true;
    } else {
      throw Error(
          format("unknown --dlarg '%s'; known are pid, tid, kernel, jit, all, addrs and event=NAME",
                 std::string(text_of(words[i])).c_str()));
    }
  }
  return out;
}

class DlFilter {
 public:
  explicit DlFilter(Arguments arguments)
      : arguments_(std::move(arguments)),
        events_(arguments_.event, ""),
        samples_(arguments_.rules) {}

  void take(const perf_dlfilter_sample& sample, void* context);
  void fail() { failed_ = true; }
  void write() const;

 private:
  void take_frames(const perf_dlfilter_sample& sample, const perf_dlfilter_al* place,
                   const perf_event_attr* event, void* context);
  void report_what_is_hidden(std::string_view name, const perf_event_attr& event);

  Arguments arguments_;
  bool hidden_reported_ = false, failed_ = false;
  EventChoice events_;
  FoldedSamples samples_;
};

void DlFilter::report_what_is_hidden(std::string_view name, const perf_event_attr& event) {
  const char* what = nullptr;
  if ((event.sample_type & PERF_SAMPLE_STACK_USER) != 0) what = "dwarf";
  if ((event.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) != 0) what = "lbr";
  if (what == nullptr || hidden_reported_) return;
  hidden_reported_ = true;
  tell(
      format("warning: event '%s' has %s call graphs, of which perf shows a dlfilter the kernel's "
             "part alone; stackcollapse-aiflame reads them whole",
             std::string(name).c_str(), what));
}

void DlFilter::take(const perf_dlfilter_sample& sample, void* context) {
  const std::string_view name = text_of(sample.event);
  if (events_.changes_with(name)) samples_ = FoldedSamples(arguments_.rules);
  if (!events_.take(name)) return;
  const perf_dlfilter_al* place = perf_dlfilter_fns.resolve_ip(context);
  const perf_event_attr* event = perf_dlfilter_fns.attr(context);
  const bool tracepoint = event != nullptr && event->type == PERF_TYPE_TRACEPOINT;
  if (event != nullptr) report_what_is_hidden(name, *event);
  const std::string_view comm = place == nullptr ? std::string_view() : text_of(place->comm);
  // perf's name for a thread without a known name
  samples_.begin(comm.empty() ? ":" + std::to_string(sample.tid) : std::string(comm), sample.pid,
                 sample.tid);
  take_frames(sample, place, event, context);
  // perf script does not print a tracepoint's period
  samples_.end(tracepoint || sample.period == 0 ? 1 : sample.period);
}

void DlFilter::take_frames(const perf_dlfilter_sample& sample, const perf_dlfilter_al* place,
                           const perf_event_attr* event, void* context) {
  if (sample.raw_callchain == nullptr) {
    // perf script prints the code of any event but a tracepoint
    if (event == nullptr || event->type == PERF_TYPE_TRACEPOINT ||
        (event->sample_type & PERF_SAMPLE_IP) == 0)
      return;
    samples_.frame(sample.ip, place == nullptr ? std::string_view() : text_of(place->sym),
                   place == nullptr ? std::string_view() : text_of(place->dso));
    return;
  }
  const auto is_context = [](uint64_t address) {
    return address >= static_cast<uint64_t>(PERF_CONTEXT_MAX);
  };
  for (uint64_t i = 0; i < sample.raw_callchain_nr; ++i) {
    const uint64_t mark = sample.raw_callchain[i];
    if (is_context(mark) && mark != static_cast<uint64_t>(PERF_CONTEXT_HV) &&
        mark != static_cast<uint64_t>(PERF_CONTEXT_KERNEL) &&
        mark != static_cast<uint64_t>(PERF_CONTEXT_USER))
      return;  // perf too drops the whole chain as damaged
  }
  for (uint64_t i = 0; i < sample.raw_callchain_nr; ++i) {
    const uint64_t address = sample.raw_callchain[i];
    if (is_context(address)) continue;
    perf_dlfilter_al found{};
    found.size = kPlaceSize;
    if (perf_dlfilter_fns.resolve_address(context, address, &found) != 0) found = {};
    // in call chains perf script prints user addresses relative to the object
    const bool in_object = found.dso != nullptr && found.is_kernel_ip == 0;
    samples_.frame(in_object ? found.addr : address, text_of(found.sym), text_of(found.dso));
  }
}

void DlFilter::write() const {
  if (failed_) return;  // a part would be taken for the whole
  std::string drawn, others, missing;
  const auto add = [](std::string& list, const char* comma, const std::string& text) {
    list += (list.empty() ? "" : comma) + text;
  };
  for (const auto& [event, count] : events_.samples()) {
    const auto samples = static_cast<unsigned long long>(count);
    add(missing, ", ", format("%s (%llu)", event.c_str(), samples));
    if (events_.draws(event))
      add(drawn, "+", event);
    else
      add(others, ", ", format("%llu %s", samples, event.c_str()));
  }
  if (!arguments_.event.empty() && drawn.empty() && !others.empty()) {
    const std::string why = format("--dlarg '%s': no samples of '%s'; the input has %s",
                                   arguments_.event_may_be_missing ? "event-filter" : "event",
                                   arguments_.event.c_str(), missing.c_str());
    if (!arguments_.event_may_be_missing) throw Error(why);
    tell("warning: " + why);
  }
  Output out;
  samples_.write(out);
  out.close();
  if (!drawn.empty() && !others.empty() && arguments_.event != drawn)
    tell("drawn: " + drawn + "; not drawn: " + others);
}

// Runs `body`; prints what it throws, and then returns -1.
template <typename Body>
int guarded(Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("unknown error");
  }
  return -1;
}

}  // namespace
}  // namespace aiflame::dlfilter

AIFLAME_EXPORT int start(void** data, void* context) {
  *data = nullptr;
  return aiflame::dlfilter::guarded([&] {
    int count = 0;
    char** words = perf_dlfilter_fns.args(context, &count);
    *data = new aiflame::dlfilter::DlFilter(
        aiflame::dlfilter::parse_arguments(words == nullptr ? 0 : count, words));
    return 0;
  });
}

AIFLAME_EXPORT int filter_event(void* data, const perf_dlfilter_sample* sample, void* context) {
  auto* filter = static_cast<aiflame::dlfilter::DlFilter*>(data);
  if (filter == nullptr) return -1;
  const int status = aiflame::dlfilter::guarded([&] {
    filter->take(*sample, context);
    return 1;  // so that perf prints nothing for it
  });
  if (status < 0) filter->fail();
  return status;
}

AIFLAME_EXPORT int stop(void* data, void*) {
  const std::unique_ptr<aiflame::dlfilter::DlFilter> filter(
      static_cast<aiflame::dlfilter::DlFilter*>(data));
  if (filter == nullptr) return 0;  // start() failed and has said why
  const int status = aiflame::dlfilter::guarded([&] {
    filter->write();
    return 0;
  });
  // perf ignores the result, and a full disk must not end in success
  if (status != 0) std::_Exit(1);
  return 0;
}

AIFLAME_EXPORT const char* filter_description(const char** long_description) {
  if (long_description != nullptr)
    *long_description =
        "Prints folded stacks, for aiflame-svg and flamegraph.pl, in place of samples.\n"
        "--dlarg: pid, tid, kernel, jit, all, addrs, event=NAME; see aiflame-dlfilter(1).";
  return "fold samples into merged stacks (aiflame)";
}
