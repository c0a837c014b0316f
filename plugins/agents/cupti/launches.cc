/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/launches.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/quick_lock.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/cupti/functions.h"
#include "plugins/agents/cupti/graph_nodes.h"
#include "plugins/agents/cupti/kept_calls.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/modules.h"

namespace aiflame::agent::cupti {
namespace {

// ---- what is known of a launch, by correlation id -----------------------------------------------

struct Slot {
  uint32_t correlation;  // 0 = free
  uint32_t outer;        // the enclosing call; 0 = this is the outermost
  // As reported, and when it was made. While a launch is held and has already ended, `instance` and
  // `stack` are its begin and end.
  uint64_t instance, stack, time;
  uint64_t returned;      // when its call did, CLOCK_MONOTONIC; 0 = not yet
  const KeptCall* graph;  // or of a copy
  bool is_copy;           // or a fill, or a function of the host
  bool is_host_function;
  bool is_over;           // its end was reported, or never will be
  bool is_held;           // it is reported when its call returns
  bool has_ended;         // while it was held
  uint16_t flags_of_end;  // then
};
// CUPTI numbers all API calls, not only launches, and kernel records come every 100 ms. This holds
// the launches among a million calls a second. A displaced launch gets no times.
constexpr uint32_t kSlots = 1 << 17, kLocks = 64;
Slot slots[kSlots];
QuickLock locks[kLocks];
std::atomic<int64_t> launches_outstanding{0};
std::atomic<bool> is_timed{false}, have_ended{false};

class SlotLock {
 public:
  explicit SlotLock(uint32_t correlation) : lock_(locks[correlation % kLocks]) { lock_.lock(); }
  ~SlotLock() { lock_.unlock(); }
  SlotLock(const SlotLock&) = delete;
  SlotLock& operator=(const SlotLock&) = delete;

 private:
  QuickLock& lock_;
};

// Must be called with the slot's lock held.
void end_without_times(Slot& slot, uint16_t flags) {
  if (slot.correlation == 0 || slot.is_over) return;
  slot.is_over = true;
  if (slot.outer != 0) return;
  if (!slot.is_copy) launches_outstanding.fetch_sub(1, std::memory_order_relaxed);
  if (slot.instance != 0 && !slot.is_held) report_done(slot.instance, 0, 0, flags);
  // its kernels are unknown and will stay so
  if (slot.graph != nullptr && !slot.is_copy && flags == AGENT_NO_TIMES) count_lost_launches(1);
}

void put(const Slot& made) {
  const SlotLock lock(made.correlation);
  Slot& slot = slots[made.correlation % kSlots];
  end_without_times(slot, AGENT_NO_TIMES);
  slot = made;
  if (made.outer == 0 && !made.is_over && !made.is_copy)
    launches_outstanding.fetch_add(1, std::memory_order_relaxed);
}

// Copies what is known of the launch; false if nothing is.
bool get(uint32_t correlation, Slot& out) {
  for (int outwards = 0; outwards < 2 && correlation != 0; ++outwards) {
    const SlotLock lock(correlation);
    out = slots[correlation % kSlots];
    if (out.correlation != correlation) return false;
    if (out.outer == 0) return true;
    correlation = out.outer;
  }
  return false;
}

// The launch call that this thread is in.
struct Inside {
  uint32_t recording;  // generation() when this was begun
  uint32_t depth;
  uint32_t correlation;
  const LaunchCall* call;  // the outermost
  const char* frame;       // of the callback for the outermost call
  uint64_t loads_before;   // see functions.h
  Function function;       // what is launched,
  Function inner;          // and by the driver within the runtime's call
  LaunchExtent size;
  Stack* held;  // of a launch that is held
  bool may_learn, is_captured;
  Call blocks;  // of a copy whose call waits for it
};
thread_local Inside inside;

Launched report(const LaunchCall& known, const Function& function, uint64_t object, uint32_t device,
                bool timed, const Stack* held = nullptr) {
  const OffStack<FrontText> ranges;
  const Front front = with_open_ranges(known.front, known.front_bytes, ranges);
  Launch launch{};
  launch.kernel_name = known.launches == Launches::graph ? kGraph
                       : function.name == nullptr        ? kUnknownKernel
                                                         : function.name;
  launch.kernel_name_bytes = static_cast<uint32_t>(strnlen(launch.kernel_name, AGENT_MAX_NAME));
  launch.front = front.at;
  launch.front_bytes = front.bytes;
  launch.device = device;
  launch.object = object;
  launch.size = inside.size;
  // kernels of one stream may overlap, by programmatic dependent launch
  launch.flags = static_cast<uint16_t>(AGENT_OUT_OF_ORDER | (timed ? 0 : AGENT_UNTIMED));
  launch.stack_flags = stack_flags_for(object);
  return held == nullptr ? report_launch(launch) : report_launch_of(launch, *held);
}

// Holds back a launch whose function's module may become known during the call, as a rule the first
// launch of that function. It is reported when the call returns. The stack is taken now, because
// the callback at the call's end comes from elsewhere in the runtime. False without memory, and in
// a signal's handler.
bool hold() {
  const OffStack<Stack> stack;
  if (!stack) return false;
  take_launch_stack(*stack);
  if ((stack->flags & kInHandler) != 0) return false;
  inside.held = static_cast<Stack*>(std::malloc(sizeof(Stack)));
  if (inside.held != nullptr)
    std::memcpy(inside.held, &*stack,
                offsetof(Stack, frames) + stack->count * sizeof stack->frames[0]);
  return inside.held != nullptr;
}
void let_go() {
  std::free(inside.held);
  inside.held = nullptr;
}

// As agent_done has it.
uint64_t return_time(const Slot& slot) {
  return slot.returned == 0 ? AGENT_INSIDE : slot.returned;
}

// A kernel or an operation of a graph, with the stacks of the graph's launch and of the call that
// made its node.
[[gnu::noinline]] void report_graph_kernel(const Slot& slot, const KernelRun& run,
                                           uint16_t stack_flags) {
  const KeptCall& graph = *slot.graph;
  const OffStack<FrontText> front;
  if (!front) return count_lost_launches(1);
  const KeptCall* captured = captured_at(run.node);
  Launch launch = launch_of_graph(graph, captured, run.name, run.device,
                                  object_of_node(run.node, run.name), *front);
  launch.size = run.size;
  launch.time = slot.time;
  launch.stack_flags = static_cast<uint16_t>(stack_flags | stack_flags_for(launch.object));
  const Launched launched =
      report_launch_at(launch, *graph.stack, captured == nullptr ? nullptr : captured->stack);
  if (launched.instance != 0)
    report_done(launched.instance, run.begin, run.end, run.flags, return_time(slot));
}

// ---- copies, fills and functions of the host ----------------------------------------------------

const char* name_of(Launches operation) {
  if (operation == Launches::fill) return "Memset";
  return operation == Launches::host_function ? AGENT_HOST_FUNCTION : "Memcpy";
}

Launch launch_of_copy(const KeptCall& call, const char* name, uint32_t device) {
  Launch launch = launch_of_call(call, name, device);
  launch.stack_flags = AGENT_OPERATION;
  return launch;
}

// The direction, the size and the kind of memory are known when it has run. `made`: with its
// correlation, which becomes 0 if the copy is lost.
//
// Not inlined: its Launch would be on the stack of each kernel's launch.
[[gnu::noinline]] void report_copy(const LaunchCall& known, uint32_t device, bool timed,
                                   Slot& made) {
  made.is_copy = true;
  made.is_host_function = known.launches == Launches::host_function;
  const OffStack<FrontText> ranges;
  const Front front = with_open_ranges(known.front, known.front_bytes, ranges);
  made.graph = keep_graph_launch(front.at, front.bytes);
  if (made.graph == nullptr) {
    count_lost_launches(1);
    made.correlation = 0;
    return;
  }
  Launch launch = launch_of_copy(*made.graph, name_of(known.launches), device);
  if (!timed) launch.flags |= AGENT_UNTIMED;
  const Launched launched = report_launch_at(launch, *made.graph->stack, nullptr);
  if (launched.instance == 0) made.correlation = 0;
  made.instance = launched.instance;
  made.stack = launched.stack;
  made.time = launched.time;
  made.is_over = !timed || launched.is_untimed;
}

// The call has returned. Its kernel's record may already have come.
void report_held(const LaunchCall& known, const Function& function, uint32_t device) {
  const bool timed = is_timed.load(std::memory_order_relaxed);
  const Launched launched =
      report(known, function, place_of(function).object, device, timed, inside.held);
  const SlotLock lock(inside.correlation);
  Slot& slot = slots[inside.correlation % kSlots];
  const bool is_there = slot.correlation == inside.correlation && slot.is_held;
  uint64_t begin = 0, end = 0;
  uint16_t flags = AGENT_NO_TIMES;
  bool is_over = !is_there || slot.is_over;
  if (is_there && slot.has_ended && !is_over) {
    begin = slot.instance;
    end = slot.stack;
    flags = slot.flags_of_end;
    is_over = true;
  }
  if (timed && is_over && launched.instance != 0) report_done(launched.instance, begin, end, flags);
  if (!is_there) return;
  if (!slot.is_over && (is_over || !timed)) {
    slot.is_over = true;
    launches_outstanding.fetch_sub(1, std::memory_order_relaxed);
  }
  slot.is_held = false;
  slot.instance = launched.instance;
  slot.stack = launched.stack;
}

}  // namespace

// When a recording ends within a call, no callback comes for the call's end: the next recording
// begins outside of all calls.
bool is_launching() {
  if (inside.recording != generation()) {
    let_go();
    inside = Inside{};
    inside.recording = generation();
  }
  return inside.depth > 0;
}

void forget_launches() {
  for (uint32_t i = 0; i < kSlots; ++i) {
    const SlotLock lock(i);
    slots[i] = Slot{};
  }
  launches_outstanding.store(0);
  have_ended.store(false);
}

void end_launches() {
  have_ended.store(true, std::memory_order_relaxed);
}

void set_timed(bool timed) {
  is_timed.store(timed, std::memory_order_relaxed);
}

void launch_entered(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device) {
  // A nested call runs further down the stack. If this one does not, there was no callback for the
  // end of the other.
  const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
  if (inside.depth > 0 && frame >= inside.frame) {
    if (inside.held != nullptr) count_lost_launches(1);
    let_go();
    inside.depth = 0;
  }
  if (inside.depth++ > 0) {
    if (known.domain == CUPTI_CB_DOMAIN_DRIVER_API) inside.inner = function_of(known, call);
    if (call.correlationId != inside.correlation && call.correlationId != 0) {
      Slot nested{};
      nested.correlation = call.correlationId;
      nested.outer = inside.correlation;
      nested.is_over = true;
      put(nested);
    }
    return;
  }
  inside.correlation = call.correlationId;
  inside.call = &known;
  inside.frame = frame;
  inside.loads_before = loads();
  inside.function = inside.inner = function_of(known, call);
  inside.size = size_of(known, call);
  const bool is_copy = known.launches == Launches::copy || known.launches == Launches::fill ||
                       known.launches == Launches::host_function;
  const bool is_of_one =
      !is_copy && known.launches != Launches::graph && known.launches != Launches::several;
  const FunctionPlace place = is_of_one ? place_of(inside.function) : FunctionPlace{};
  inside.may_learn = place.may_be_learned;
  inside.is_captured = false;
  inside.blocks = Call{};
  if (have_ended.load(std::memory_order_relaxed) || !begin_report()) {
    inside.correlation = 0;
    return;
  }
  const bool timed = is_timed.load(std::memory_order_relaxed) && call.correlationId != 0;
  if (call.correlationId == 0) note_missing_correlation();
  const bool is_graph = known.launches == Launches::graph;
  Slot made{};
  made.correlation = call.correlationId;
  if (is_copy) {
    report_copy(known, device, timed, made);
    if (known.waits) inside.blocks = {made.stack, made.time};
  } else if (is_graph && timed) {
    const OffStack<FrontText> ranges;
    const Front front = with_open_ranges(known.front, known.front_bytes, ranges);
    made.graph = keep_graph_launch(front.at, front.bytes);
    made.time = monotonic_ns();
    if (made.graph == nullptr) {
      count_lost_launches(1);
      return;
    }
  } else if (place.may_be_learned && call.correlationId != 0 && hold()) {
    made.is_held = true;
    made.time = monotonic_ns();
  } else {
    const Launched launched = report(known, inside.function, place.object, device, timed);
    made.instance = launched.instance;
    made.stack = launched.stack;
    made.time = launched.time;
    made.is_over = !timed || launched.is_untimed;
  }
  if (made.correlation != 0) put(made);
}

void node_created(const CUpti_GraphData& graph) {
  if (!is_launching()) return;
  inside.is_captured = true;
  const bool is_kernel = graph.nodeType == CU_GRAPH_NODE_TYPE_KERNEL;
  if (!is_kernel && !is_operation_node(graph.nodeType)) return;
  const OffStack<FrontText> ranges;
  const Front front = with_open_ranges(inside.call->front, inside.call->front_bytes, ranges);
  node_captured(graph, is_kernel ? inside.inner : Function{}, keep_capture(front.at, front.bytes));
}

namespace {

void note_return(uint32_t correlation) {
  const uint64_t now = monotonic_ns();
  const SlotLock lock(correlation);
  Slot& slot = slots[correlation % kSlots];
  if (slot.correlation == correlation) slot.returned = now;
}

thread_local Call waiting;
thread_local uint32_t wait_depth = 0;

}  // namespace

// The runtime's call has the driver's inside.
void wait_entered(const LaunchCall& known) {
  if (wait_depth++ > 0) return;
  waiting = begin_call_report() ? begin_call(known.front, known.front_bytes) : Call{};
}

void wait_left() {
  if (wait_depth == 0 || --wait_depth > 0) return;
  end_call(waiting, true);
}

void launch_left(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device) {
  if (inside.depth == 0 || --inside.depth > 0) return;
  // cudaError_t and CUresult: 0 is success in both
  int result = 0;
  if (call.functionReturnValue != nullptr)
    std::memcpy(&result, call.functionReturnValue, sizeof result);
  if (inside.correlation == 0) return;
  if (result == 0 && inside.may_learn) {
    // the context is the one that is current now, and the name is valid during the callback only
    inside.function.context = call.context;
    inside.function.name = inside.inner.name = call.symbolName;
    learn_from_launch(inside.function, inside.inner, inside.loads_before);
  }
  if (result == 0 && !inside.is_captured) {
    note_return(inside.correlation);
    if (inside.blocks.stack != 0) end_call(inside.blocks, true);
    if (inside.held != nullptr) report_held(known, inside.function, device);
    let_go();
    return;
  }
  let_go();
  const SlotLock lock(inside.correlation);
  Slot& slot = slots[inside.correlation % kSlots];
  if (slot.correlation == inside.correlation) end_without_times(slot, AGENT_FAILED);
}

void kernel_ran(const KernelRun& run) {
  Slot known;
  if (!get(run.correlation, known)) return;
  if (known.graph != nullptr && !known.is_copy) report_graph_kernel(known, run, 0);
  const SlotLock lock(known.correlation);
  Slot& slot = slots[known.correlation % kSlots];
  if (slot.correlation != known.correlation || slot.is_over) return;
  if (slot.is_held) {
    slot.has_ended = true;
    slot.instance = run.begin;
    slot.stack = run.end;
    slot.flags_of_end = run.flags;
    return;
  }
  slot.is_over = true;
  launches_outstanding.fetch_sub(1, std::memory_order_relaxed);
  if (slot.instance != 0)
    report_done(slot.instance, run.begin, run.end, run.flags, return_time(slot));
}

void copy_ran(const KernelRun& run) {
  Slot known;
  if (!get(run.correlation, known) || known.graph == nullptr) return;
  if (!known.is_copy) return report_graph_kernel(known, run, AGENT_OPERATION);
  bool is_first = false;
  {
    const SlotLock lock(known.correlation);
    Slot& slot = slots[known.correlation % kSlots];
    if (slot.correlation == known.correlation) is_first = !std::exchange(slot.is_over, true);
  }
  Launch launch = launch_of_copy(*known.graph, run.name, run.device);
  if (is_first) {
    report_done(known.instance, run.begin, run.end, run.flags, return_time(known),
                report_stack(launch, *known.graph->stack));
    return;
  }
  if (known.is_host_function) return;  // it has been given up
  // a call may make several copies
  launch.time = known.time;
  const Launched launched = report_launch_at(launch, *known.graph->stack, nullptr);
  if (launched.instance != 0)
    report_done(launched.instance, run.begin, run.end, run.flags, return_time(known));
}

uint64_t launched_at(uint32_t correlation) {
  Slot known;
  return get(correlation, known) ? known.time : 0;
}

void give_up_times(uint32_t before_correlation) {
  for (uint32_t i = 0; i < kSlots; ++i) {
    const SlotLock lock(i);
    Slot& slot = slots[i];
    // the ids wrap around
    if (static_cast<int32_t>(slot.correlation - before_correlation) < 0)
      end_without_times(slot, AGENT_NO_TIMES);
  }
}

void give_up_all_times() {
  for (uint32_t i = 0; i < kSlots; ++i) {
    const SlotLock lock(i);
    end_without_times(slots[i], AGENT_NO_TIMES);
  }
}

void give_up_copies(uint64_t copies_before, uint64_t functions_before) {
  for (uint32_t i = 0; i < kSlots; ++i) {
    const SlotLock lock(i);
    Slot& slot = slots[i];
    const uint64_t before = slot.is_host_function ? functions_before : copies_before;
    if (slot.is_copy && slot.time < before) end_without_times(slot, AGENT_NO_TIMES);
  }
}

uint64_t outstanding() {
  const int64_t count = launches_outstanding.load(std::memory_order_relaxed);
  return count > 0 ? static_cast<uint64_t>(count) : 0;
}

std::optional<uint64_t> stack_of(uint32_t correlation, const char* kernel, uint32_t device,
                                 uint64_t object) {
  Slot known;
  if (correlation == 0 || !get(correlation, known)) return 0;
  if (known.is_held) return std::nullopt;
  if (known.graph == nullptr || known.is_copy) return known.stack;
  // A sample does not name its node. The reader finds the launches of the graph's nodes that run
  // this kernel, and shares the samples if there are several.
  if (has_captures()) return 0;
  const OffStack<FrontText> front;
  if (!front) return 0;
  return report_stack(launch_of_graph(*known.graph, nullptr, kernel, device, object, *front),
                      *known.graph->stack);
}

}  // namespace aiflame::agent::cupti
