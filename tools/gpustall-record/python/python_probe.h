/* SPDX-License-Identifier: MIT
 *
 * What python_probe.bpf.c, which runs in the kernel, and PythonProbe tell each other. In C.
 */
#ifndef AIFLAME_PYTHON_PROBE_H
#define AIFLAME_PYTHON_PROBE_H

#include <linux/types.h>

/* Processes that are looked for at one time. */
#define PYTHON_MAX_PROCESSES 4096
/* Frames of a stack; those beyond are cut off at the outer end. Agents take as many of all kinds.
 */
#define PYTHON_MAX_FRAMES 128
/* Bytes for the stacks that the recorder has not read yet, which it does every 20 ms. */
#define PYTHON_RING_BYTES (8 << 20)

/* A process with an interpreter; by the kernel's number of the process. The names of the offsets
 * are those of libcommon/process/python_layout.h. */
struct python_process {
  __u64 interpreters;                      /* where the address of the first one stands */
  __u64 namespace_device, namespace_inode; /* of its pid namespace: Python numbers threads by it */
  __u32 next_interpreter, interpreter_threads;
  __u32 next_thread, thread_number, thread_frame;
  __u32 has_cframe, cframe_frame; /* Python 3.11 and 3.12 */
  __u32 frame_bytes, frame_code, frame_previous, frame_instruction, frame_owner;
  __u32 frame_is_entry; /* 0 = see owner */
  __u32 code_file;      /* the name stands two words behind it, then the lines */
  __u32 zero;           /* always 0, which the kernel's verifier cannot know */
};

/* A frame with its code object. The addresses in the object tell whether it is still the same one
 * when it is read. */
struct python_frame {
  __u64 code; /* its lowest bits are PYTHON_ENDS_RUN and PYTHON_OF_GENERATOR */
  __u64 instruction;
  __u64 file, name, lines;
};
#define PYTHON_ENDS_RUN 1ULL /* the outermost frame of a C frame */
#define PYTHON_OF_GENERATOR 2ULL
#define PYTHON_CODE_FLAGS 7ULL

enum {
  PYTHON_CUT = 1,    /* there are more frames */
  PYTHON_UNREAD = 2, /* a part could not be read, or is not what it should be */
};

struct python_stack {
  __u64 time; /* CLOCK_MONOTONIC ns, a little before that of the probe's hit */
  __u64 sp;   /* as in the hit */
  __u32 pid, tid;
  __u32 count, flags;
  struct python_frame frames[PYTHON_MAX_FRAMES];
};

#endif
