// SPDX-License-Identifier: MIT
// Runs in the kernel when a thread hits a launch probe, before the hit is reported: reads the
// thread's Python frames as they are at that moment. The thread cannot go on meanwhile. Nothing is
// written to the process, and what is not mapped is not read.
//
//   _PyRuntime ── interpreters ──► PyInterpreterState ── next ──► …
//                                          │ threads
//                                          ▼
//                                   PyThreadState ── next ──► …   the one with this thread's number
//                                          │ current_frame
//                                          ▼
//                                _PyInterpreterFrame ── previous ──► … NULL
#include <linux/bpf.h>
#include <linux/ptrace.h>
//
#include <bpf/bpf_helpers.h>

#include "tools/gpustall-record/python/python_probe.h"

// bpf_probe_read_user() is for programs under the GPL alone
char licence_text[] SEC("license") = "Dual MIT/GPL";

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, PYTHON_MAX_PROCESSES);
  __type(key, __u32);
  __type(value, struct python_process);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, PYTHON_RING_BYTES);
} stacks SEC(".maps");

// stacks that found no room
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} lost SEC(".maps");

// Visited at most: interpreters and threads; frames. Python's own limit of frames is 1000.
#define MOST_THREADS 2048
#define MOST_FRAMES 1024
// The longest frame that is read, and the words of a code object: file, name, qualified name, lines.
#define FRAME_WORDS 16
#define CODE_WORDS 4
// As in python_layout.h.
#define OWNED_BY_GENERATOR 1
#define OWNED_BY_C_STACK 3
#define REFERENCE_MARK 1ULL

static __always_inline __u64 word_at(__u64 address) {
  __u64 value = 0;
  bpf_probe_read_user(&value, sizeof value, (const void*)address);
  return value;
}

// Where the search for a thread's innermost frame is.
struct search {
  const struct python_process* process;
  __u64 interpreter, thread;
  __u64 frame; // 0 = none
  __u32 number;
  __u32 flags;
  __u32 is_done;
};

// A thread has a state in each interpreter that it has entered. Where two have frames, nothing tells
// here which one runs.
static long look_at_thread(__u32 step, void* context) {
  struct search* at = context;
  const struct python_process* process = at->process;
  if (!at->thread) {
    if (step > 0) at->interpreter = word_at(at->interpreter + process->next_interpreter);
    at->is_done = !at->interpreter;
    if (at->is_done) return 1;
    at->thread = word_at(at->interpreter + process->interpreter_threads);
    return 0;
  }
  if ((__u32)word_at(at->thread + process->thread_number) == at->number) {
    __u64 frame = word_at(at->thread + process->thread_frame);
    if (process->has_cframe && frame) frame = word_at(frame + process->cframe_frame);
    if (frame && at->frame) at->flags |= PYTHON_UNREAD;
    if (frame) at->frame = frame;
  }
  at->thread = word_at(at->thread + process->next_thread);
  return 0;
}

struct walk {
  const struct python_process* process;
  struct python_stack* out;
  __u64 frame;
};

static __always_inline __u64 word_in(const __u64* words, __u32 offset) {
  return words[(offset / 8) & (FRAME_WORDS - 1)];
}

static __always_inline __u32 byte_in(const __u64* words, __u32 offset) {
  return word_in(words, offset) >> offset % 8 * 8 & 0xff;
}

// Stops at a frame that cannot be one, and where there is no room.
static long take_frame(__u32 step, void* context) {
  struct walk* at = context;
  const struct python_process* process = at->process;
  struct python_stack* out = at->out;
  __u64 words[FRAME_WORDS] = {};
  __u32 bytes = process->frame_bytes;
  (void)step;
  if (!at->frame) return 1;
  if (bytes > sizeof words) bytes = sizeof words;
  if (at->frame % 8 || bpf_probe_read_user(words, bytes, (const void*)at->frame)) return 1;
  const __u32 owner = byte_in(words, process->frame_owner);
  const __u32 is_entry = process->frame_is_entry && byte_in(words, process->frame_is_entry);
  const __u32 count = out->count;
  if (!process->frame_is_entry && owner == OWNED_BY_C_STACK) {
    if (count > 0 && count <= PYTHON_MAX_FRAMES) out->frames[count - 1].code |= PYTHON_ENDS_RUN;
    at->frame = word_in(words, process->frame_previous);
    return 0;
  }
  if (count >= PYTHON_MAX_FRAMES) {
    out->flags |= PYTHON_CUT;
    return 1;
  }
  const __u64 code = word_in(words, process->frame_code) & ~REFERENCE_MARK;
  __u64 parts[CODE_WORDS];
  if (!code || code % 8) return 1;
  if (bpf_probe_read_user(parts, sizeof parts, (const void*)(code + process->code_file))) return 1;
  struct python_frame* to = &out->frames[count];
  to->code = code;
  if (is_entry) to->code |= PYTHON_ENDS_RUN;
  if (owner == OWNED_BY_GENERATOR) to->code |= PYTHON_OF_GENERATOR;
  to->instruction = word_in(words, process->frame_instruction);
  to->file = parts[0];
  to->name = parts[2];
  to->lines = parts[3];
  out->count = count + 1;
  at->frame = word_in(words, process->frame_previous);
  return 0;
}

// What the kernel hands to a program at a uprobe: its own struct pt_regs, which begins like this.
#if defined(__TARGET_ARCH_arm64)
typedef struct user_pt_regs probe_registers;
#define STACK_POINTER(registers) ((registers)->sp)
#else
typedef struct pt_regs probe_registers;
#define STACK_POINTER(registers) ((registers)->rsp)
#endif

SEC("uprobe")
int on_launch(probe_registers* registers) {
  const __u64 ids = bpf_get_current_pid_tgid();
  const __u32 pid = ids >> 32;
  const struct python_process* process = bpf_map_lookup_elem(&processes, &pid);
  if (!process) return 1;
  struct bpf_pidns_info here = {};
  if (bpf_get_ns_current_pid_tgid(process->namespace_device, process->namespace_inode, &here,
                                  sizeof here))
    return 1;
  // Verifiers before Linux 6.7 follow bpf_loop()'s function through its first step alone, and remove
  // the branches that this step does not take. From constants here they would see which ones. A 0 from
  // a map is not known to them.
  const __u32 zero = process->zero;
  struct search search = {.process = process,
                          .thread = zero,
                          .frame = zero,
                          .number = here.pid,
                          .flags = zero,
                          .is_done = zero};
  search.interpreter = word_at(process->interpreters);
  bpf_loop(MOST_THREADS, look_at_thread, &search, 0);
  if (!search.is_done) search.flags |= PYTHON_UNREAD;
  if (!search.frame && !search.flags) return 1;
  struct python_stack* out = bpf_ringbuf_reserve(&stacks, sizeof *out, 0);
  if (!out) {
    const __u32 first = 0;
    __u64* count = bpf_map_lookup_elem(&lost, &first);
    if (count) __sync_fetch_and_add(count, 1);
    return 1;
  }
  out->time = bpf_ktime_get_ns();
  out->sp = STACK_POINTER(registers);
  out->pid = pid;
  out->tid = (__u32)ids;
  out->count = 0;
  out->flags = search.flags;
  struct walk walk = {.process = process, .out = out, .frame = search.frame};
  bpf_loop(MOST_FRAMES, take_frame, &walk, 0);
  if (walk.frame && !(out->flags & PYTHON_CUT)) out->flags |= PYTHON_UNREAD;
  bpf_ringbuf_submit(out, 0);
  return 1;  // the hit is reported too
}
